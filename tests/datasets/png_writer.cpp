// Implements it by libpng.
#include "tests/datasets/png_writer.hpp"

#include <png.h>

#include <array>
#include <stdexcept>

namespace datasets_test {

std::string png(int width, int height, int channels, const std::vector<std::uint8_t>& bytes) {
  constexpr std::array<png_uint_32, 4> kFormats = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB, PNG_FORMAT_RGBA};
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = kFormats.at(static_cast<std::size_t>(channels - 1));
  if (bytes.size() != PNG_IMAGE_SIZE(image)) throw std::invalid_argument("png: as many bytes as the picture has");
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string out(size, '\0');
  if (png_image_write_to_memory(&image, out.data(), &size, 0, bytes.data(), 0, nullptr) == 0)
    throw std::runtime_error(image.message);
  out.resize(size);
  return out;
}

}  // namespace datasets_test
