// Implements it by libjpeg. An error ends the program: that is libjpeg's default.
#include "tests/datasets/jpeg_writer.hpp"

#include <cstdio>
#include <cstdlib>
#include <vector>
// clang-format off
#include <jpeglib.h>  // needs <cstdio> before it
// clang-format on

namespace datasets_test {

std::string jpeg(int width, int height, int shade, Colours colours, Scans scans) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = colours == Colours::rgb ? 3 : colours == Colours::grey ? 1 : 4;
  info.in_color_space = colours == Colours::rgb ? JCS_RGB : colours == Colours::grey ? JCS_GRAYSCALE : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 95, TRUE);
  const jpeg_scan_info separate[3] = {{1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
  if (scans == Scans::progressive) jpeg_simple_progression(&info);
  if (scans == Scans::one_a_component) {
    info.scan_info = separate;
    info.num_scans = info.input_components;
  }
  jpeg_start_compress(&info, TRUE);
  std::vector<JSAMPLE> row(static_cast<std::size_t>(width * info.input_components));
  while (info.next_scanline < info.image_height) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<JSAMPLE>(shade + 3 * i + 2 * info.next_scanline);
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_compress(&info);
  std::string text(reinterpret_cast<char*>(bytes), size);
  std::free(bytes);
  jpeg_destroy_compress(&info);
  return text;
}

}  // namespace datasets_test
