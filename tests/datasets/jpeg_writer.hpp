// Makes small JPEGs. Test-only.
#pragma once

#include <string>

namespace datasets_test {

enum class Colours { rgb, grey, cmyk };
enum class Scans { one, one_a_component, progressive };

/// A JPEG of quality 95 with smooth colours that depend on `shade`.
std::string jpeg(int width, int height, int shade, Colours colours = Colours::rgb, Scans scans = Scans::one);

}  // namespace datasets_test
