// Images as method plad reads them: 3x32x32 bytes, channels first (method.md sections 2 and 6). Knows no LibTorch.
#pragma once

#include <cstdint>
#include <vector>

#include "datasets/dataset.hpp"

namespace workers {

/// Appends the 3072 bytes of `image`: a 32x32 image's own, any other resized as backbones' inputs are (bilinear, pixel
/// centres at halves, no antialias) and each value rounded down. Computed in integers, so exact: along a side of S
/// pixels the weights are 64ths. Example: S = 48, output pixel 0 is centred at 0.5 * 48 / 32 - 0.5 = 0.25, so 3/4 of
/// the first pixel and 1/4 of the second. Throws storage::Error for a side above 2^20 or bytes that do not fit the
/// size. An image of a data set with a first square is resized to that before, without rounding there.
void append_raw_image(const datasets::Image& image, int first_square, std::vector<std::uint8_t>& rows);

}  // namespace workers
