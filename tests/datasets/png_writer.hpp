// Makes small PNGs. Test-only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace datasets_test {

/// An 8-bit PNG of width * height * channels bytes: grey (1), grey and alpha (2), RGB (3) or RGBA (4).
std::string png(int width, int height, int channels, const std::vector<std::uint8_t>& bytes);

}  // namespace datasets_test
