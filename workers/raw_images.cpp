// The resize to 32x32, in integers.
#include "workers/raw_images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "storage/error.hpp"
#include "storage/feature_file.hpp"

namespace workers {
namespace {

constexpr int kSide = static_cast<int>(storage::kImageSide);
constexpr int kMaxSide = 1 << 20;
constexpr std::uint32_t kWhole = 2 * kSide;  // the weights of a position's two pixels add up to this

/// Where an output pixel lies along one side of the image: between two pixels, `share` / kWhole of the way.
struct Position {
  int before = 0;
  int after = 0;
  std::uint32_t share = 0;
};

/// Pixel i is centred at (i + 1/2) size / kSide - 1/2, in units of 1 / kWhole: (2 i + 1) size - kSide; not before the
/// first pixel's centre, not beyond the last one's.
std::array<Position, kSide> positions_along(int size) {
  std::array<Position, kSide> positions;
  for (int i = 0; i < kSide; ++i) {
    const int at = std::max(0, (2 * i + 1) * size - kSide);
    auto& p = positions[static_cast<std::size_t>(i)];
    p.before = at / static_cast<int>(kWhole);
    p.after = std::min(p.before + 1, size - 1);
    p.share = static_cast<std::uint32_t>(at) % kWhole;
  }
  return positions;
}

void check(const datasets::Image& image) {
  const bool sound = image.width >= 1 && image.height >= 1 && image.width <= kMaxSide && image.height <= kMaxSide &&
                     image.rgb.size() == std::size_t{3} * static_cast<std::size_t>(image.width) *
                                             static_cast<std::size_t>(image.height);
  if (sound) return;
  throw storage::Error(fmt::format("an image of {} x {} with {} bytes cannot be made {} x {}", image.width,
                                   image.height, image.rgb.size(), kSide, kSide));
}

}  // namespace

void append_raw_image(const datasets::Image& image, int first_square, std::vector<std::uint8_t>& rows) {
  if (first_square != 0) throw std::logic_error("raw images of a data set with a first square");
  check(image);
  const auto across = positions_along(image.width);
  const auto down = positions_along(image.height);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const auto pixel = [&](int row, int column) -> std::uint32_t {
      const auto index =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(column);
      return image.rgb[3 * index + channel];
    };
    for (const Position& y : down) {
      for (const Position& x : across) {
        const auto between = [&](int row) {
          return (kWhole - x.share) * pixel(row, x.before) + x.share * pixel(row, x.after);
        };
        const auto sum = (kWhole - y.share) * between(y.before) + y.share * between(y.after);
        rows.push_back(static_cast<std::uint8_t>(sum / (kWhole * kWhole)));
      }
    }
  }
}

}  // namespace workers
