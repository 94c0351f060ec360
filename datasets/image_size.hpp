// What sizes of pictures are decoded at all, whatever their format.
#pragma once

#include <cstdint>
#include <string>

namespace datasets {

/// The largest side that is decoded.
inline constexpr std::uint32_t kMostPixelsASide = 16'384;

/// Throws storage::Error, before anything is allocated, for a picture that claims a side of 0 or above
/// kMostPixelsASide. `name` is what messages call it.
void expect_decodable_size(std::uint32_t width, std::uint32_t height, const std::string& name);

}  // namespace datasets
