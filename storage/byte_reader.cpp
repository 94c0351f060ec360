// Checked reading of bytes, and foreign text made safe for a message.
#include "storage/byte_reader.hpp"

#include <fmt/format.h>

#include "storage/error.hpp"

namespace storage {

ByteReader::ByteReader(std::string_view bytes, const std::string& origin, std::size_t position)
    : bytes_(bytes), origin_(origin), position_(position) {
  if (position > bytes.size())
    refuse(origin, fmt::format("damaged: a record begins behind the end, at byte {}", position));
}

std::string_view ByteReader::take(std::uint64_t count, const char* what) {
  if (count > remaining()) fail(std::string("truncated: the file ends in the middle of ") + what);
  std::string_view taken = bytes_.substr(position_, static_cast<std::size_t>(count));
  position_ += taken.size();
  return taken;
}

std::string_view ByteReader::take_line(std::size_t most, const char* what) {
  const std::string_view rest = bytes_.substr(position_, most + 1);
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) fail(std::string("no end of ") + what);
  position_ += end + 1;
  return rest.substr(0, end);
}

std::uint64_t ByteReader::little_endian(int count, const char* what) {
  const std::string_view taken = take(static_cast<std::uint64_t>(count), what);
  std::uint64_t value = 0;
  for (int i = count - 1; i >= 0; --i)
    value = value << 8 | static_cast<std::uint8_t>(taken[static_cast<std::size_t>(i)]);
  return value;
}

void ByteReader::fail(const std::string& what) const {
  refuse(origin_, fmt::format("{} (near byte {})", what, position_));
}

void refuse(const std::string& origin, const std::string& what) {
  throw Error(origin + ": " + what);
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 80;
  std::string out = "\"";
  for (const char c : text.substr(0, kMost)) out += c >= 0x20 && c < 0x7f ? c : '?';
  return out + (text.size() > kMost ? "...\"" : "\"");
}

}  // namespace storage
