// RGB bytes to PNG bytes.
#pragma once

#include <string>

#include "datasets/dataset.hpp"

namespace datasets {

/// 8-bit RGB, no interlace, no other chunks: the same image gives the same bytes. Throws std::invalid_argument where
/// the image's bytes do not fit its size, storage::Error where libpng gives up (no memory).
std::string encode_png(const Image& image);

}  // namespace datasets
