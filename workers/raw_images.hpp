// Images as methods plad and rotation read them: 3x32x32 bytes, channels first (method.md sections 2 and 6). Knows no
// LibTorch.
#pragma once

#include <cstdint>
#include <vector>

#include "datasets/dataset.hpp"

namespace workers {

/// Appends the 3072 bytes of `image`: a 32x32 image's own, any other by datasets::exact_resize, over the data set's
/// first_square where that is not 0. Throws storage::Error for a side above 2^20 or bytes that do not fit the size.
void append_raw_image(const datasets::Image& image, int first_square, std::vector<std::uint8_t>& rows);

}  // namespace workers
