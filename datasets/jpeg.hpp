// JPEG bytes to RGB bytes.
#pragma once

#include <string>
#include <string_view>

#include "datasets/dataset.hpp"

namespace datasets {

/// Whether the bytes start as a JPEG does.
bool is_jpeg(std::string_view bytes);

/// Decodes baseline and progressive JPEGs as Pillow does (libjpeg-turbo, exact integer DCT, smooth chroma upsampling);
/// grey becomes RGB, an EXIF orientation is ignored. `name` is what messages call the bytes. Throws storage::Error for
/// anything else than a whole, undamaged JPEG: truncated data, which libjpeg only warns about, CMYK, an image too
/// large.
Image decode_jpeg(std::string_view bytes, const std::string& name);

}  // namespace datasets
