// Images as method plad reads them, against pixels computed by hand.
#include "workers/raw_images.hpp"

#include <gtest/gtest.h>

#include "storage/error.hpp"

namespace workers {
namespace {

/// Every pixel's red is `red(row, column)`, its green 7, its blue the row.
template <typename Red>
datasets::Image image_of(int width, int height, const Red& red) {
  datasets::Image image{width, height, {}};
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      for (const int byte : {static_cast<int>(red(row, column)), 7, row}) {
        image.rgb.push_back(static_cast<std::uint8_t>(byte));
      }
    }
  }
  return image;
}

std::vector<std::uint8_t> raw(const datasets::Image& image) {
  std::vector<std::uint8_t> bytes;
  append_raw_image(image, 0, bytes);
  EXPECT_EQ(bytes.size(), 3072U);
  return bytes;
}

int at(const std::vector<std::uint8_t>& bytes, int channel, int row, int column) {
  return bytes.at(static_cast<std::size_t>((channel * 32 + row) * 32 + column));
}

TEST(RawImage, Of32PixelsASideIsItsOwnBytesChannelsFirst) {
  const auto bytes = raw(image_of(32, 32, [](int row, int column) { return row * 8 + column; }));
  for (int row = 0; row < 32; ++row) {
    for (int column = 0; column < 32; ++column) {
      ASSERT_EQ(at(bytes, 0, row, column), (row * 8 + column) % 256);
      ASSERT_EQ(at(bytes, 1, row, column), 7);
      ASSERT_EQ(at(bytes, 2, row, column), row);
    }
  }
}

TEST(RawImage, Of48By40PixelsIsInterpolatedAndRoundedDown) {
  // Red: 200 at row 0, column 1; 40 at row 1, column 0; 0 elsewhere.
  const auto bytes = raw(image_of(48, 40, [](int row, int column) {
    return row == 0 && column == 1 ? 200 : row == 1 && column == 0 ? 40 : 0;
  }));
  // Output (0, 0) is centred at column 0.5 * 48 / 32 - 0.5 = 1/4 and row 0.5 * 40 / 32 - 0.5 = 1/8:
  // 7/8 * 1/4 * 200 + 1/8 * 3/4 * 40 = 43.75 + 3.75 = 47.5.
  EXPECT_EQ(at(bytes, 0, 0, 0), 47);
  // Output (0, 1): column 1.5 * 1.5 - 0.5 = 7/4, so a quarter of column 1: 7/8 * 1/4 * 200 = 43.75.
  EXPECT_EQ(at(bytes, 0, 0, 1), 43);
  EXPECT_EQ(at(bytes, 0, 0, 2), 0);
  // Blue is the row: output row 31 is centred at 31.5 * 40 / 32 - 0.5 = 38.875.
  EXPECT_EQ(at(bytes, 2, 31, 31), 38);
}

TEST(RawImage, OfOneColourKeepsItWhateverTheSize) {
  for (const int side : {1, 7, 31, 33, 100}) {
    const auto bytes = raw(image_of(side, 3, [](int, int) { return 199; }));
    EXPECT_EQ(std::vector<std::uint8_t>(bytes.begin(), bytes.begin() + 1024), std::vector<std::uint8_t>(1024, 199))
        << side << ": rounding down must not darken it";
  }
}

TEST(RawImage, SmallerThan32PixelsIsEnlargedWithItsEdgesHeld) {
  // Two columns, 0 and 100: output 0 to 7 lie before the centre of the first, 24 to 31 beyond the second's.
  const auto bytes = raw(image_of(2, 1, [](int, int column) { return column * 100; }));
  EXPECT_EQ(at(bytes, 0, 5, 7), 0);
  EXPECT_EQ(at(bytes, 0, 5, 8), 3);  // 8.5 / 16 - 0.5 = 1/32 of the way
  EXPECT_EQ(at(bytes, 0, 5, 24), 100);
}

TEST(RawImage, WhoseBytesDoNotFitItsSizeIsRefused) {
  std::vector<std::uint8_t> bytes;
  EXPECT_THROW(append_raw_image({2, 2, std::vector<std::uint8_t>(11)}, 0, bytes), storage::Error);
  EXPECT_THROW(append_raw_image({0, 2, {}}, 0, bytes), storage::Error);
  EXPECT_TRUE(bytes.empty());
}

}  // namespace
}  // namespace workers
