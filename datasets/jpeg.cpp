// Decodes JPEGs by libjpeg-turbo's libjpeg interface. Knows no files.
#include "datasets/jpeg.hpp"

#include <csetjmp>
#include <cstdio>
// clang-format off
#include <jpeglib.h>  // needs <cstdio> before it
#include <jerror.h>
// clang-format on

#include "datasets/image_size.hpp"
#include "storage/error.hpp"

namespace datasets {
namespace {

constexpr int kMostScans = 200;  // real progressive files have about ten; a crafted one may have thousands

/// What libjpeg reports to. Its first member is libjpeg's own part, so that one pointer serves both.
struct Complaints {
  jpeg_error_mgr base;
  std::jmp_buf leave;
  char text[JMSG_LENGTH_MAX];
};

[[noreturn]] void leave_decoder(j_common_ptr info) {
  auto* complaints = reinterpret_cast<Complaints*>(info->err);
  complaints->base.format_message(info, complaints->text);
  std::longjmp(complaints->leave, 1);
}

/// Level -1 is a warning: "premature end of file" and its like, after which libjpeg invents grey pixels. Only wrong
/// version numbers in headers do no harm.
void stop_at_warning(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  if (level < 0 && code != JWRN_JFIF_MAJOR && code != JWRN_ADOBE_XFORM) leave_decoder(info);
}

void stop_at_many_scans(j_common_ptr info) {
  const auto* decoder = reinterpret_cast<j_decompress_ptr>(info);
  if (decoder->input_scan_number <= kMostScans) return;
  auto* complaints = reinterpret_cast<Complaints*>(info->err);
  std::snprintf(complaints->text, sizeof(complaints->text), "more than %d scans", kMostScans);
  std::longjmp(complaints->leave, 1);
}

/// Owns the decoder. The two functions below hold nothing with a destructor, since longjmp leaves them without running
/// any.
struct Decoder {
  jpeg_decompress_struct info{};
  Complaints complaints{};
  jpeg_progress_mgr progress{};

  Decoder() {
    info.err = jpeg_std_error(&complaints.base);
    complaints.base.error_exit = leave_decoder;
    complaints.base.emit_message = stop_at_warning;
    complaints.base.output_message = [](j_common_ptr) {};
    progress.progress_monitor = stop_at_many_scans;
  }
  ~Decoder() { jpeg_destroy_decompress(&info); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
};

/// Whether the header could be read; if not, the complaint says why.
bool read_header(Decoder& decoder, std::string_view bytes) {
  if (setjmp(decoder.complaints.leave) != 0) return false;
  jpeg_create_decompress(&decoder.info);
  decoder.info.progress = &decoder.progress;
  jpeg_mem_src(&decoder.info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&decoder.info, TRUE);
  return true;
}

/// Whether all pixels could be read up to the end mark. `rgb` has room for width * height * 3 bytes.
bool read_pixels(Decoder& decoder, std::uint8_t* rgb) {
  if (setjmp(decoder.complaints.leave) != 0) return false;
  jpeg_decompress_struct& info = decoder.info;
  info.out_color_space = JCS_RGB;
  info.dct_method = JDCT_ISLOW;
  info.do_fancy_upsampling = TRUE;
  jpeg_start_decompress(&info);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = rgb + std::size_t{info.output_scanline} * info.output_width * 3;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return true;
}

std::string colours_of(J_COLOR_SPACE space) {
  switch (space) {
    case JCS_GRAYSCALE:
    case JCS_RGB:
    case JCS_YCbCr:
      return "";
    case JCS_CMYK:
    case JCS_YCCK:
      return "CMYK";
    default:
      return "neither RGB nor grey";
  }
}

}  // namespace

bool is_jpeg(std::string_view bytes) {
  return bytes.starts_with("\xFF\xD8\xFF");
}

Image decode_jpeg(std::string_view bytes, const std::string& name) {
  const auto refuse = [&](const std::string& what) { throw storage::Error(name + ": " + what); };
  if (bytes.empty()) refuse("is empty, expected a JPEG image");
  if (!is_jpeg(bytes)) refuse("is no JPEG image, whatever its name says: convert or remove it");
  Decoder decoder;
  const auto damaged = [&] {
    refuse(std::string("damaged JPEG image (") + decoder.complaints.text + "): replace or remove it");
  };
  if (!read_header(decoder, bytes)) damaged();
  const unsigned width = decoder.info.image_width;
  const unsigned height = decoder.info.image_height;
  expect_decodable_size(width, height, name);
  const std::string colours = colours_of(decoder.info.jpeg_color_space);
  if (!colours.empty()) refuse("is " + colours + ", expected RGB or grey: convert it");
  Image image{static_cast<int>(width), static_cast<int>(height),
              std::vector<std::uint8_t>(std::size_t{width} * height * 3)};
  if (!read_pixels(decoder, image.rgb.data())) damaged();
  return image;
}

}  // namespace datasets
