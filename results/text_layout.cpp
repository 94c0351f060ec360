// Widths, padding and folding of UTF-8 text.
#include "results/text_layout.hpp"

#include <algorithm>
#include <cstddef>

namespace results {

std::size_t display_width(std::string_view text) {
  const auto starts_code_point = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t own = display_width(text);
  return std::string(width > own ? width - own : 0, ' ').append(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t own = display_width(text);
  return std::string(text).append(width > own ? width - own : 0, ' ');
}

std::string centred(std::string_view text, std::size_t width) {
  const std::size_t own = display_width(text);
  const std::size_t left = width > own ? (width - own) / 2 : 0;
  return pad_right(std::string(left, ' ').append(text), width);
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return text;
}

std::string folded(std::string_view text, std::size_t width, std::string_view first, std::string_view next) {
  std::string lines, line(first);
  bool line_has_word = false;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (word.empty()) continue;
    if (line_has_word && display_width(line) + 1 + display_width(word) > width) {
      lines += line + "\n";
      line = next;
      line_has_word = false;
    }
    if (line_has_word) line += ' ';
    line += word;
    line_has_word = true;
  }
  return lines + line + "\n";
}

std::string on_one_line(std::string_view text) {
  std::string clean(text);
  for (char& c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = ' ';
  }
  return clean;
}

}  // namespace results
