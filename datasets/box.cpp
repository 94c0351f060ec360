// Reads boxes and cuts them out.
#include "datasets/box.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace datasets {
namespace {

void pass_spaces(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
}

/// Passes `c` and the spaces around it.
bool pass(std::string_view& text, char c) {
  pass_spaces(text);
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  pass_spaces(text);
  return true;
}

bool pass_integer(std::string_view& text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc();
}

}  // namespace

std::optional<Box> parse_box(std::string_view text) {
  Box box;
  const bool sound = pass(text, '[') && pass_integer(text, box.row_min) && pass(text, ',') &&
                     pass_integer(text, box.column_min) && pass(text, ',') && pass_integer(text, box.row_max) &&
                     pass(text, ',') && pass_integer(text, box.column_max) && pass(text, ']') && text.empty();
  return sound ? std::optional(box) : std::nullopt;
}

bool is_empty(const Box& box) {
  return box.row_max <= std::max(box.row_min, 0) || box.column_max <= std::max(box.column_min, 0);
}

std::optional<Image> crop(const Image& image, const Box& box) {
  const int top = std::max(box.row_min, 0);
  const int bottom = std::min(box.row_max, image.height);
  const int left = std::max(box.column_min, 0);
  const int right = std::min(box.column_max, image.width);
  if (top >= bottom || left >= right) return std::nullopt;
  Image part{right - left, bottom - top, {}};
  part.rgb.reserve(std::size_t{3} * static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height));
  for (int row = top; row < bottom; ++row) {
    const auto at = [&](int column) { return image.rgb.begin() + 3 * (std::ptrdiff_t{row} * image.width + column); };
    part.rgb.insert(part.rgb.end(), at(left), at(right));
  }
  return part;
}

}  // namespace datasets
