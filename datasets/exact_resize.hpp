// Resizing to a small square of bytes, exactly.
#pragma once

#include "datasets/dataset.hpp"

namespace datasets {

/// `image` as side x side pixels, resized as backbones' inputs are (bilinear, pixel centres at halves, no antialias);
/// where `first_square` is not 0, to first_square x first_square before, without rounding there. Each value is rounded
/// down. Computed in integers, so exact: along a side of S pixels the weights of a resize to `side` are multiples of
/// 1 / (2 side). Example: S = 48, side = 32, output pixel 0 is centred at 0.5 * 48 / 32 - 0.5 = 0.25, so 3/4 of the
/// first pixel and 1/4 of the second. Throws storage::Error for a side above 2^20 or bytes that do not fit the size,
/// std::logic_error for a side or first_square out of [1, 1024].
Image exact_resize(const Image& image, int first_square, int side);

}  // namespace datasets
