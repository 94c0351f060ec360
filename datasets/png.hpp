// PNG bytes to RGB bytes.
#pragma once

#include <string>
#include <string_view>

#include "datasets/dataset.hpp"

namespace datasets {

/// Whether the bytes start as a PNG does, even one whose line ends a transfer as text has changed.
bool is_png(std::string_view bytes);

/// Decodes grey, RGB and palette PNGs of 1, 2, 4 or 8 bits, interlaced or not; grey becomes RGB. A transparent picture
/// lies on black: each value becomes value * alpha / 255, rounded to nearest (200 at alpha 100: 78.43, so 78; no ties
/// exist). Colour profiles and gamma are ignored, as Pillow does. `name` is what messages call the bytes. Throws
/// storage::Error for anything else than a whole, undamaged PNG (what libpng only warns about is damage too), and for
/// 16 bits a value, an animation and an image too large.
Image decode_png(std::string_view bytes, const std::string& name);

}  // namespace datasets
