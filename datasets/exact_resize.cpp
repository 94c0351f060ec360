// Rows of pixels and columns are weighted alike: each output position is a weighted sum of a few input ones.
#include "datasets/exact_resize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "storage/error.hpp"

namespace datasets {
namespace {

constexpr int kMaxSide = 1 << 20;
constexpr int kMaxOutput = 1 << 10;  // weights are below 2^22 along a side, 2^44 over both, their sums with bytes 2^52

struct Tap {
  int pixel = 0;
  std::uint64_t weight = 0;
};
/// Where an output pixel lies along one side of the image. Two steps of two taps make four, some of weight 0.
using Position = std::array<Tap, 4>;

/// The pixels before and after the centre of output pixel i, where `size` pixels become `side`. It lies at
/// (i + 1/2) size / side - 1/2, in units of 1 / (2 side): (2 i + 1) size - side; not before the first pixel's centre,
/// not beyond the last one's. The weights add up to 2 side.
std::array<Tap, 2> taps(int i, int size, int side) {
  const auto whole = std::int64_t{2} * side;
  const std::int64_t at = std::max<std::int64_t>(0, (std::int64_t{2} * i + 1) * size - side);
  const auto before = static_cast<int>(at / whole);
  const auto share = static_cast<std::uint64_t>(at % whole);
  return {Tap{before, static_cast<std::uint64_t>(whole) - share}, Tap{std::min(before + 1, size - 1), share}};
}

/// What the weights of a position add up to.
std::uint64_t whole_of(int first_square, int side) {
  return 2 * static_cast<std::uint64_t>(side) * (first_square == 0 ? 1 : 2 * static_cast<std::uint64_t>(first_square));
}

std::vector<Position> positions_along(int size, int first_square, int side) {
  std::vector<Position> positions(static_cast<std::size_t>(side));
  for (int i = 0; i < side; ++i) {
    auto& position = positions[static_cast<std::size_t>(i)];
    if (first_square == 0) {
      const auto [before, after] = taps(i, size, side);
      position = {before, after};
      continue;
    }
    std::size_t k = 0;
    for (const Tap& in_square : taps(i, first_square, side)) {
      for (const Tap& tap : taps(in_square.pixel, size, first_square))
        position[k++] = {tap.pixel, in_square.weight * tap.weight};
    }
  }
  return positions;
}

void check(const Image& image, int first_square, int side) {
  if (side < 1 || side > kMaxOutput || first_square < 0 || first_square > kMaxOutput)
    throw std::logic_error(fmt::format("no exact resize to {} and {} pixels a side", first_square, side));
  const bool sound = image.width >= 1 && image.height >= 1 && image.width <= kMaxSide && image.height <= kMaxSide &&
                     image.rgb.size() == std::size_t{3} * static_cast<std::size_t>(image.width) *
                                             static_cast<std::size_t>(image.height);
  if (sound) return;
  throw storage::Error(fmt::format("an image of {} x {} with {} bytes cannot be made {} x {}", image.width,
                                   image.height, image.rgb.size(), side, side));
}

}  // namespace

Image exact_resize(const Image& image, int first_square, int side) {
  check(image, first_square, side);
  const auto across = positions_along(image.width, first_square, side);
  const auto down = positions_along(image.height, first_square, side);
  const std::uint64_t whole = whole_of(first_square, side);
  Image resized{side, side, {}};
  resized.rgb.reserve(std::size_t{3} * static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  for (const Position& y : down) {
    for (const Position& x : across) {
      std::array<std::uint64_t, 3> sums{};
      for (const Tap& row : y) {
        if (row.weight == 0) continue;
        for (const Tap& column : x) {
          const auto at = static_cast<std::size_t>(row.pixel) * static_cast<std::size_t>(image.width) +
                          static_cast<std::size_t>(column.pixel);
          for (std::size_t c = 0; c < 3; ++c) sums[c] += row.weight * column.weight * image.rgb[3 * at + c];
        }
      }
      for (const std::uint64_t sum : sums) resized.rgb.push_back(static_cast<std::uint8_t>(sum / (whole * whole)));
    }
  }
  return resized;
}

}  // namespace datasets
