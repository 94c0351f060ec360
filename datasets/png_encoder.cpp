// Encodes PNGs by libpng. Knows no files.
#include "datasets/png_encoder.hpp"

#include <png.h>

#include <csetjmp>
#include <stdexcept>

#include "storage/error.hpp"

namespace datasets {
namespace {

void append(png_structp png, png_bytep bytes, std::size_t count) {
  auto* out = static_cast<std::string*>(png_get_io_ptr(png));
  try {
    out->append(reinterpret_cast<const char*>(bytes), count);
  } catch (const std::exception&) {
    png_error(png, "no memory");  // no exception may pass through libpng
  }
}

void flush(png_structp) {}

[[noreturn]] void leave_encoder(png_structp png, png_const_charp) {
  std::longjmp(*static_cast<std::jmp_buf*>(png_get_error_ptr(png)), 1);
}

void pass_over(png_structp, png_const_charp) {}

/// Owns the encoder. write_pixels holds nothing with a destructor, since longjmp leaves it without running any.
struct Encoder {
  ~Encoder() { png_destroy_write_struct(&png, &info); }
  std::jmp_buf leave{};
  png_structp png = nullptr;
  png_infop info = nullptr;
};

bool write_pixels(Encoder& encoder, const Image& image, std::string& out) {
  if (setjmp(encoder.leave) != 0) return false;
  encoder.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoder.leave, leave_encoder, pass_over);
  if (encoder.png == nullptr) return false;
  encoder.info = png_create_info_struct(encoder.png);
  if (encoder.info == nullptr) return false;
  png_set_write_fn(encoder.png, &out, append, flush);
  png_set_IHDR(encoder.png, encoder.info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height),
               8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(encoder.png, encoder.info);
  const std::size_t bytes_a_row = 3 * static_cast<std::size_t>(image.width);
  for (int y = 0; y < image.height; ++y) {
    png_write_row(encoder.png, image.rgb.data() + static_cast<std::size_t>(y) * bytes_a_row);
  }
  png_write_end(encoder.png, nullptr);
  return true;
}

}  // namespace

std::string encode_png(const Image& image) {
  const auto pixels = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  if (image.width < 1 || image.height < 1 || image.rgb.size() != 3 * pixels) {
    throw std::invalid_argument("encode_png: the bytes do not fit the size");
  }
  Encoder encoder;
  std::string out;
  if (!write_pixels(encoder, image, out)) throw storage::Error("a picture cannot be written as PNG: no memory");
  return out;
}

}  // namespace datasets
