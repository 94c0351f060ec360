#include "datasets/box.hpp"

#include <gtest/gtest.h>

namespace {

using datasets::Box;
using datasets::crop;
using datasets::Image;
using datasets::is_empty;
using datasets::parse_box;

TEST(Box, IsFourIntegersInBrackets) {
  const Box expected{296, 536, 353, 581};
  for (const char* text : {"[296, 536, 353, 581]", "[296,536,353,581]", " [ 296 , 536,353 ,581 ] "}) {
    EXPECT_EQ(parse_box(text), expected) << text;
  }
  EXPECT_EQ(parse_box("[-3, 0, 10, 2000000000]"), (Box{-3, 0, 10, 2'000'000'000}));
}

TEST(Box, IsNothingElse) {
  for (const char* text :
       {"", "[]", "[1, 2, 3]", "[1, 2, 3, 4, 5]", "1, 2, 3, 4", "[1, 2, 3, 4", "[1 2 3 4]", "[1, 2, 3, 4.0]",
        "[1, 2, 3, 4] x", "[1, 2, 3, x]", "[1, 2, 3, ]", "[1, 2, 3, 3000000000]", "[1e2, 2, 3, 4]", "(1, 2, 3, 4)"}) {
    EXPECT_FALSE(parse_box(text)) << text;
  }
}

TEST(Box, IsEmptyWhereItsEndsAreNotBeyondItsBeginnings) {
  EXPECT_FALSE(is_empty({0, 0, 1, 1}));
  EXPECT_FALSE(is_empty({-5, -5, 1, 1}));
  for (const Box& box : {Box{3, 0, 3, 9}, Box{0, 3, 9, 3}, Box{4, 0, 3, 9}, Box{0, 4, 9, 3}, Box{-5, 0, 0, 9},
                         Box{0, -5, 9, -1}, Box{}}) {
    EXPECT_TRUE(is_empty(box)) << box.row_min << " " << box.column_min;
  }
}

/// 4 columns, 3 rows; red is 10 row + column.
Image numbered() {
  Image image{4, 3, {}};
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 4; ++column) {
      for (const int byte : {10 * row + column, 1, 2}) image.rgb.push_back(static_cast<std::uint8_t>(byte));
    }
  }
  return image;
}

std::vector<int> reds(const Image& image) {
  std::vector<int> values;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) values.push_back(image.rgb[i]);
  return values;
}

TEST(Box, CutsRowsFirstWithoutItsEnds) {
  const auto part = crop(numbered(), {0, 1, 2, 4});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->width, 3);
  EXPECT_EQ(part->height, 2);
  EXPECT_EQ(reds(*part), (std::vector<int>{1, 2, 3, 11, 12, 13}));
  EXPECT_EQ(part->rgb.size(), 18u);
}

TEST(Box, IsCutToTheImage) {
  const auto part = crop(numbered(), {-7, 2, 2'000'000'000, 2'000'000'000});
  ASSERT_TRUE(part);
  EXPECT_EQ(reds(*part), (std::vector<int>{2, 3, 12, 13, 22, 23}));
  EXPECT_EQ(crop(numbered(), {0, 0, 3, 4})->rgb, numbered().rgb);
}

TEST(Box, OutsideOfTheImageCutsNothing) {
  for (const Box& box : {Box{3, 0, 9, 9}, Box{0, 4, 9, 9}, Box{-9, 0, 0, 4}, Box{2, 2, 2, 3}, Box{2, 3, 1, 4}}) {
    EXPECT_FALSE(crop(numbered(), box)) << box.row_min << " " << box.column_min;
  }
}

}  // namespace
