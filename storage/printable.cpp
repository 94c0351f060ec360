// Walks over UTF-8 character by character. Knows no terminal in particular.
#include "storage/printable.hpp"

#include <algorithm>
#include <cstdint>

#include "storage/utf8.hpp"

namespace storage {

/// Control characters (U+0000..U+001F, U+007F..U+009F), U+200B, U+200E, U+200F, U+2028..U+202E, U+2060..U+206F, U+FEFF.
/// Not the joiners U+200C and U+200D, which some scripts need.
bool is_obeyed(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  if (character.size() == 2) return byte(0) == 0xc2 && byte(1) < 0xa0;
  if (character.size() != 3) return false;
  const int last = byte(2);
  if (byte(0) == 0xe2 && byte(1) == 0x80)
    return last == 0x8b || last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae);
  if (byte(0) == 0xe2 && byte(1) == 0x81) return last >= 0xa0 && last <= 0xaf;
  return character == "\xef\xbb\xbf";
}

namespace {

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

std::string shown(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    const std::string_view character = text.substr(i, std::max<std::size_t>(length, 1));
    if (length == 0 || is_obeyed(character)) {
      out += '?';
    } else {
      out += character;
    }
    i += character.size();
  }
  return out;
}

}  // namespace

std::string printable_line(std::string_view text, std::size_t most) {
  if (text.size() <= most) return shown(text);
  std::size_t head = (most - 3) / 2, tail = text.size() - (most - 3 - head);
  for (int back = 0; back < 3 && head > 0 && continues(text[head]); ++back) --head;
  for (int on = 0; on < 3 && tail < text.size() && continues(text[tail]); ++on) ++tail;
  return shown(text.substr(0, head)) + "..." + shown(text.substr(tail));
}

bool is_plain_text(std::string_view text) {
  return printable_line(text, text.size() + 8) == text;
}

}  // namespace storage
