// Boxes around the object of an image, as SPARK's label files write them.
#pragma once

#include <optional>
#include <string_view>

#include "datasets/dataset.hpp"

namespace datasets {

/// Rows first. The ends are excluded: [296, 536, 353, 581] has 57 rows and 45 columns.
struct Box {
  int row_min = 0;
  int column_min = 0;
  int row_max = 0;
  int column_max = 0;

  bool operator==(const Box&) const = default;
};

/// "[row_min, column_min, row_max, column_max]", four integers; nothing where `text` is anything else.
std::optional<Box> parse_box(std::string_view text);

/// No pixel of any image lies in it: its ends are not beyond its beginnings, or not beyond 0.
bool is_empty(const Box& box);

/// The part of `image` inside the box; nothing where no pixel is.
std::optional<Image> crop(const Image& image, const Box& box);

}  // namespace datasets
