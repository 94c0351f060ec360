// The bytes of an image file to RGB bytes, whichever of the known formats they are in.
#pragma once

#include <string>
#include <string_view>

#include "datasets/dataset.hpp"

namespace datasets {

/// Decodes a JPEG or a PNG (jpeg.hpp, png.hpp); which of them it is say the first bytes, not the name. `name` is what
/// messages call the bytes. Throws storage::Error for anything else, calling it what it is ("is a WebP image, expected
/// JPEG or PNG: convert it"), and where the decoder does.
Image decode_image(std::string_view bytes, const std::string& name);

}  // namespace datasets
