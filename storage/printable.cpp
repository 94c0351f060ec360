// Walks over UTF-8 character by character. Knows no terminal in particular.
#include "storage/printable.hpp"

#include <algorithm>
#include <cstdint>

namespace storage {

namespace {

/// The bytes of the character that begins at `at`, 0 when there is none: overlong forms, surrogates and numbers beyond
/// U+10FFFF are none.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0; };
  const int lead = byte(at), second = byte(at + 1);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(at + k) & 0xc0) != 0x80) return 0;
  }
  const bool outside = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                       (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  return outside ? 0 : length;
}

/// Control characters (U+0000..U+001F, U+007F..U+009F), U+200B..U+200F, U+2028..U+202E, U+2060..U+206F, U+FEFF.
bool is_obeyed(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  if (character.size() == 2) return byte(0) == 0xc2 && byte(1) < 0xa0;
  if (character.size() != 3) return false;
  const int last = byte(2);
  if (byte(0) == 0xe2 && byte(1) == 0x80) return (last >= 0x8b && last <= 0x8f) || (last >= 0xa8 && last <= 0xae);
  if (byte(0) == 0xe2 && byte(1) == 0x81) return last >= 0xa0 && last <= 0xaf;
  return character == "\xef\xbb\xbf";
}

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

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_length(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

}  // namespace storage
