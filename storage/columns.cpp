// Widths by the C library's own table (wcwidth), in its UTF-8 locale whatever the user's is.
#include "storage/columns.hpp"

#include <wchar.h>

#include <algorithm>
#include <clocale>
#include <cstdint>

#include "storage/printable.hpp"
#include "storage/utf8.hpp"

namespace storage {
namespace {

constexpr std::string_view kCutMark = "…";

/// Of the character at the start of `text`, which is UTF-8.
wchar_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<std::uint8_t>(character[i])); };
  std::uint32_t point = byte(0);
  if (character.size() > 1) point &= 0xffU >> (character.size() + 1);
  for (std::size_t i = 1; i < character.size(); ++i) point = point << 6U | (byte(i) & 0x3fU);
  return static_cast<wchar_t>(point);
}

/// wcwidth asks the thread's locale.
class Utf8Locale {
 public:
  Utf8Locale() : before_(uselocale(mine())) {}
  ~Utf8Locale() { uselocale(before_); }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  static locale_t mine() {
    static const locale_t made = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    return made;  // null where there is none: uselocale then leaves all as it is
  }
  locale_t before_;
};

std::size_t width_of(std::string_view character) {
  if (character.size() == 1) return 1;
  const int width = ::wcwidth(code_point(character));
  return width < 0 ? 1 : static_cast<std::size_t>(width);
}

std::string made_printable(std::string_view text) {
  return printable_line(text, std::max<std::size_t>(text.size(), 8));
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  const Utf8Locale utf8;
  const auto clean = made_printable(text);
  std::size_t columns = 0;
  for (std::size_t at = 0; at < clean.size();) {
    const std::size_t length = character_length(clean, at);
    columns += width_of(std::string_view(clean).substr(at, length));
    at += length;
  }
  return columns;
}

std::size_t bytes_within(std::string_view clean, std::size_t columns) {
  const Utf8Locale utf8;
  std::size_t used = 0, at = 0;
  while (at < clean.size()) {
    const std::size_t length = character_length(clean, at);
    const std::size_t width = width_of(clean.substr(at, length));
    if (used + width > columns) break;
    used += width;
    at += length;
  }
  return at;
}

std::string cut_to(std::string_view text, std::size_t columns) {
  auto clean = made_printable(text);
  if (columns_of(clean) <= columns) return clean;
  if (columns == 0) return "";
  return clean.substr(0, bytes_within(clean, columns - 1)) + std::string(kCutMark);
}

std::string cut_middle(std::string_view text, std::size_t columns) {
  const auto clean = made_printable(text);
  const std::size_t all = columns_of(clean);
  if (all <= columns || columns < 8) return cut_to(clean, columns);
  const std::size_t tail = columns * 2 / 5;
  std::size_t from = bytes_within(clean, all - tail);
  while (columns_of(std::string_view(clean).substr(from)) > tail) from += character_length(clean, from);
  return clean.substr(0, bytes_within(clean, columns - 1 - tail)) + std::string(kCutMark) + clean.substr(from);
}

std::string filled_to(std::string_view text, std::size_t columns) {
  auto cut = cut_to(text, columns);
  return cut.append(columns - std::min(columns, columns_of(cut)), ' ');
}

std::string filled_from_left(std::string_view text, std::size_t columns) {
  const auto cut = cut_to(text, columns);
  return std::string(columns - std::min(columns, columns_of(cut)), ' ') + cut;
}

}  // namespace storage
