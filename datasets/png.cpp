// Decodes PNGs by libpng. Knows no files.
#include "datasets/png.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "datasets/image_size.hpp"
#include "storage/error.hpp"

namespace datasets {
namespace {

constexpr std::string_view kSignature = "\x89PNG\r\n\x1A\n";
constexpr std::uint64_t kMostExpansion = 1032;  // deflate: 258 bytes from 2 bits, at most

/// What libpng reads from and reports to.
struct Source {
  std::string_view left;
  std::jmp_buf leave{};
  char complaint[128] = "out of memory";
};

/// Owns the decoder. The functions below that call setjmp hold nothing with a destructor, since longjmp leaves them
/// without running any.
struct Decoder {
  explicit Decoder(std::string_view bytes) : source{bytes} {}
  ~Decoder() { png_destroy_read_struct(&png, &info, nullptr); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  Source source;
  png_structp png = nullptr;
  png_infop info = nullptr;
};

/// For errors and for warnings: after one of those libpng invents, leaves out or guesses.
[[noreturn]] void leave_decoder(png_structp png, png_const_charp text) {
  auto* source = static_cast<Source*>(png_get_error_ptr(png));
  std::strncpy(source->complaint, text, sizeof(source->complaint) - 1);
  std::longjmp(source->leave, 1);
}

void read_some(png_structp png, png_bytep out, std::size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (count > source->left.size()) png_error(png, "it ends too early");
  std::memcpy(out, source->left.data(), count);
  source->left.remove_prefix(count);
}

/// Whether all before the pixels could be read; if not, the complaint says why.
bool read_header(Decoder& decoder) {
  if (setjmp(decoder.source.leave) != 0) return false;
  decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder.source, leave_decoder, leave_decoder);
  if (decoder.png == nullptr) return false;
  decoder.info = png_create_info_struct(decoder.png);
  if (decoder.info == nullptr) return false;
  png_set_read_fn(decoder.png, &decoder.source, read_some);
  // All chunks but those that make pixels are skipped unread: nobody needs profiles, texts and their faults.
  png_set_keep_unknown_chunks(decoder.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_user_limits(decoder.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // expect_decodable_size names the limit
  png_read_info(decoder.png, decoder.info);
  return true;
}

bool is_transparent(const Decoder& decoder) {
  return (png_get_color_type(decoder.png, decoder.info) & PNG_COLOR_MASK_ALPHA) != 0 ||
         png_get_valid(decoder.png, decoder.info, PNG_INFO_tRNS) != 0;
}

/// Whether all pixels could be read up to the end mark. `pixels` has room for RGB or, if transparent, RGBA.
bool read_pixels(Decoder& decoder, std::uint8_t* pixels, std::size_t bytes_a_row) {
  if (setjmp(decoder.source.leave) != 0) return false;
  png_set_expand(decoder.png);  // palettes and few bits to 8 bits, tRNS to alpha
  png_set_gray_to_rgb(decoder.png);
  const int passes = png_set_interlace_handling(decoder.png);
  png_read_update_info(decoder.png, decoder.info);
  if (png_get_rowbytes(decoder.png, decoder.info) != bytes_a_row) png_error(decoder.png, "a row has another length");
  const png_uint_32 height = png_get_image_height(decoder.png, decoder.info);
  for (int pass = 0; pass < passes; ++pass) {
    for (png_uint_32 y = 0; y < height; ++y) png_read_row(decoder.png, pixels + y * bytes_a_row, nullptr);
  }
  png_read_end(decoder.png, nullptr);
  return true;
}

/// What a walk over the chunks tells before any of them is decoded.
struct Chunks {
  bool animated = false;
  std::uint64_t pixel_bytes = 0;  ///< of compressed pixels, at most
};

/// A chunk is a length (4 bytes, big-endian), a name (4), that many bytes and a checksum (4). libpng checks them.
Chunks walk_chunks(std::string_view bytes) {
  Chunks found;
  bytes.remove_prefix(kSignature.size());
  while (bytes.size() >= 8) {
    const std::uint64_t length = png_get_uint_32(reinterpret_cast<png_const_bytep>(bytes.data()));
    const std::string_view name = bytes.substr(4, 4);
    if (name == "acTL") found.animated = true;
    if (name == "IDAT") found.pixel_bytes += std::min<std::uint64_t>(length, bytes.size());
    bytes.remove_prefix(std::min<std::uint64_t>(length + 12, bytes.size()));
  }
  return found;
}

/// RGBA to RGB on black, in place.
void put_on_black(std::vector<std::uint8_t>& pixels) {
  const std::size_t count = pixels.size() / 4;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned alpha = pixels[4 * i + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      pixels[3 * i + c] = static_cast<std::uint8_t>((2 * pixels[4 * i + c] * alpha + 255) / 510);
    }
  }
  pixels.resize(3 * count);
}

}  // namespace

bool is_png(std::string_view bytes) {
  return bytes.starts_with(kSignature.substr(0, 4));
}

Image decode_png(std::string_view bytes, const std::string& name) {
  const auto refuse = [&](const std::string& what) { throw storage::Error(fmt::format("{}: {}", name, what)); };
  const auto damaged = [&](const char* how) {
    refuse(fmt::format("damaged PNG image ({}): replace or remove it", how));
  };
  if (!is_png(bytes)) refuse("is no PNG image, whatever its name says: convert or remove it");
  if (!bytes.starts_with(kSignature)) damaged("its first bytes are changed, as a transfer as text does");
  const Chunks chunks = walk_chunks(bytes);
  if (chunks.animated) refuse("is an animated PNG, expected one picture: save one frame of it");
  Decoder decoder(bytes);
  if (!read_header(decoder)) damaged(decoder.source.complaint);
  const png_uint_32 width = png_get_image_width(decoder.png, decoder.info);
  const png_uint_32 height = png_get_image_height(decoder.png, decoder.info);
  expect_decodable_size(width, height, name);
  if (png_get_bit_depth(decoder.png, decoder.info) == 16) refuse("has 16 bits a value, expected 8: convert it");
  // A few bytes that claim many pixels are known before memory is taken for them.
  const std::uint64_t packed = std::uint64_t{png_get_rowbytes(decoder.png, decoder.info)} * height;
  if (packed > kMostExpansion * chunks.pixel_bytes) damaged("too few bytes for so many pixels");
  const bool transparent = is_transparent(decoder);
  const std::size_t bytes_a_row = std::size_t{width} * (transparent ? 4 : 3);
  Image image{static_cast<int>(width), static_cast<int>(height), std::vector<std::uint8_t>(bytes_a_row * height)};
  if (!read_pixels(decoder, image.rgb.data(), bytes_a_row)) damaged(decoder.source.complaint);
  if (transparent) put_on_black(image.rgb);
  return image;
}

}  // namespace datasets
