// Makes small JPEGs. Test-only.
#pragma once

#include <string>

namespace datasets_test {

enum class Colours { rgb, grey, cmyk };

/// A JPEG of quality 95 with smooth colours that depend on `shade`.
std::string jpeg(int width, int height, int shade, Colours colours = Colours::rgb, bool progressive = false);

}  // namespace datasets_test
