// Implements the check of sizes. Knows no format.
#include "datasets/image_size.hpp"

#include <fmt/format.h>

#include "storage/error.hpp"

namespace datasets {

void expect_decodable_size(std::uint32_t width, std::uint32_t height, const std::string& name) {
  if (width >= 1 && height >= 1 && width <= kMostPixelsASide && height <= kMostPixelsASide) return;
  throw storage::Error(fmt::format("{}: has {}x{} pixels, expected at most {} a side: scale it down", name, width,
                                   height, kMostPixelsASide));
}

}  // namespace datasets
