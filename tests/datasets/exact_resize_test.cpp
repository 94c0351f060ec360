// Against pixels computed by hand; tests/workers/raw_images_test.cpp has those of the resize without a first square.
#include "datasets/exact_resize.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "storage/error.hpp"

namespace {

using datasets::exact_resize;
using datasets::Image;

/// One row of `width` pixels: red as given, else 0; green 7.
Image row_of(int width, const std::map<int, int>& reds) {
  Image image{width, 1, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * width))};
  for (int column = 0; column < width; ++column) {
    const auto at = static_cast<std::size_t>(3 * column);
    image.rgb[at + 1] = 7;
    if (reds.contains(column)) image.rgb[at] = static_cast<std::uint8_t>(reds.at(column));
  }
  return image;
}

Image turned(const Image& row) {
  return {row.height, row.width, row.rgb};
}

TEST(ExactResize, GoesOverTheFirstSquare) {
  // 1024 pixels to 512: pixel j is the mean of 2 j and 2 j + 1. 512 to 32: pixel i is the mean of 16 i + 7 and
  // 16 i + 8, so of 32 i + 14, 15, 16 and 17. Straight from 1024 to 32 it is that of 32 i + 15 and 16.
  const Image image = row_of(1024, {{14, 200}, {17, 3}, {46, 8}, {47, 100}});
  const Image over = exact_resize(image, 512, 32);
  ASSERT_EQ(over.width, 32);
  ASSERT_EQ(over.height, 32);
  ASSERT_EQ(over.rgb.size(), 3072u);
  EXPECT_EQ(over.rgb[0], 50) << "203 / 4, rounded down";
  EXPECT_EQ(over.rgb[1], 7);
  EXPECT_EQ(over.rgb[3], 27);
  EXPECT_EQ(over.rgb[3 * 32 * 31 + 3], 27) << "all rows alike";
  const Image straight = exact_resize(image, 0, 32);
  EXPECT_EQ(straight.rgb[0], 0);
  EXPECT_EQ(straight.rgb[3], 50);
}

TEST(ExactResize, RoundsOnlyAtTheEnd) {
  // 1.5 and 2.5 in the first square.
  EXPECT_EQ(exact_resize(row_of(1024, {{14, 1}, {15, 2}, {16, 2}, {17, 3}}), 512, 32).rgb[0], 2);
}

TEST(ExactResize, TreatsRowsAsColumns) {
  const Image row = row_of(1000, {{10, 255}, {14, 90}, {15, 200}, {500, 77}, {501, 78}});
  const Image across = exact_resize(row, 512, 32);
  const Image down = exact_resize(turned(row), 512, 32);
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t j = 0; j < 32; ++j) ASSERT_EQ(across.rgb[3 * (32 * i + j)], down.rgb[3 * (32 * j + i)]);
  }
}

TEST(ExactResize, KeepsOneColourWhateverTheSize) {
  for (const int side : {1, 7, 511, 512, 513, 4000}) {
    const Image image{side, 3, std::vector<std::uint8_t>(static_cast<std::size_t>(9 * side), 255)};
    EXPECT_EQ(exact_resize(image, 512, 32).rgb, std::vector<std::uint8_t>(3072, 255)) << side;
  }
}

TEST(ExactResize, RefusesAnImageWhoseBytesDoNotFitAndSquaresBeyondItsIntegers) {
  EXPECT_THROW(exact_resize({2, 2, std::vector<std::uint8_t>(11)}, 512, 32), storage::Error);
  EXPECT_THROW(exact_resize({0, 2, {}}, 512, 32), storage::Error);
  EXPECT_THROW(exact_resize(row_of(4, {}), 512, 0), std::logic_error);
  EXPECT_THROW(exact_resize(row_of(4, {}), -1, 32), std::logic_error);
  EXPECT_THROW(exact_resize(row_of(4, {}), 1025, 32), std::logic_error);
}

}  // namespace
