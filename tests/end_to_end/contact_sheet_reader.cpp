// Finds attributes by text, decodes base64 bit by bit and PNG by libpng's simplified reader.
#include "tests/end_to_end/contact_sheet_reader.hpp"

#include <png.h>

#include <stdexcept>
#include <string_view>

namespace tests {
namespace {

std::string attribute(std::string_view tag, const std::string& name) {
  const auto start = tag.find(" " + name + "=\"");
  if (start == std::string_view::npos) throw std::runtime_error("an <img> has no " + name);
  const auto from = start + name.size() + 3;
  return std::string(tag.substr(from, tag.find('"', from) - from));
}

std::string decoded_base64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) throw std::runtime_error("an <img> is not in base64");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

PictureOfSheet decoded(std::string_view tag) {
  constexpr std::string_view kForm = "data:image/png;base64,";
  const auto source = attribute(tag, "src");
  if (!source.starts_with(kForm)) throw std::runtime_error("an <img> is not in the page itself");
  const auto bytes = decoded_base64(source.substr(kForm.size()));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0)
    throw std::runtime_error(image.message);
  image.format = PNG_FORMAT_RGB;
  PictureOfSheet picture{attribute(tag, "title"), image.width, image.height, {}};
  picture.rgb.resize(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr) == 0)
    throw std::runtime_error(image.message);
  return picture;
}

}  // namespace

std::vector<PictureOfSheet> pictures_of(const std::string& html) {
  std::vector<PictureOfSheet> pictures;
  for (auto at = html.find("<img "); at != std::string::npos; at = html.find("<img ", at + 1)) {
    pictures.push_back(decoded(std::string_view(html).substr(at, html.find('>', at) - at)));
  }
  return pictures;
}

}  // namespace tests
