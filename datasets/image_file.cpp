// Tells formats by their first bytes and hands the bytes to their decoder. Decodes nothing itself.
#include "datasets/image_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "datasets/jpeg.hpp"
#include "datasets/png.hpp"
#include "storage/error.hpp"

namespace datasets {
namespace {

using namespace std::string_view_literals;

/// What people have under an image's name: told by bytes at an offset.
struct Lookalike {
  std::size_t at;
  std::string_view bytes;
  std::string_view what;
  std::string_view mend;
};
constexpr std::string_view kConvert = "convert it";
constexpr std::string_view kFetch = "fetch the image itself";
// The first that fits. A TIFF, a BMP and an ISO file (bytes 4 to 7 are "ftyp", then the brand) by their usual starts.
constexpr std::array kLookalikes = {
    Lookalike{0, "GIF87a"sv, "a GIF image", kConvert},
    Lookalike{0, "GIF89a"sv, "a GIF image", kConvert},
    Lookalike{8, "WEBP"sv, "a WebP image", kConvert},
    Lookalike{0, "II*\0"sv, "a TIFF image", kConvert},
    Lookalike{0, "MM\0*"sv, "a TIFF image", kConvert},
    Lookalike{0, "II+\0"sv, "a BigTIFF image", kConvert},
    Lookalike{0, "MM\0+"sv, "a BigTIFF image", kConvert},
    Lookalike{4, "ftypavif"sv, "an AVIF image", kConvert},
    Lookalike{4, "ftypavis"sv, "an AVIF image", kConvert},
    Lookalike{4, "ftyphei"sv, "a HEIC image", kConvert},
    Lookalike{4, "ftyphev"sv, "a HEIC image", kConvert},
    Lookalike{4, "ftypmif1"sv, "a HEIC or AVIF image", kConvert},
    Lookalike{4, "ftypmsf1"sv, "a HEIC or AVIF image", kConvert},
    Lookalike{4, "ftypjxl "sv, "a JPEG XL image", kConvert},
    Lookalike{4, "JXL \r\n\x87\n"sv, "a JPEG XL image", kConvert},
    Lookalike{0, "\xFF\x0A"sv, "a JPEG XL image", kConvert},
    Lookalike{4, "jP  \r\n\x87\n"sv, "a JPEG 2000 image", kConvert},
    Lookalike{0, "%PDF-"sv, "a PDF document", kConvert},
    Lookalike{0, "version https://git-lfs"sv, "a Git LFS pointer", kFetch},
    Lookalike{0, "BM"sv, "a BMP image", kConvert},
};

/// Web pages stand where a download failed. They may start with white space or a byte order mark.
bool is_html(std::string_view bytes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
  const auto starts_with = [&](std::string_view tag) {
    return bytes.size() >= tag.size() && std::equal(tag.begin(), tag.end(), bytes.begin(), [](char small, char given) {
             return small == (given >= 'A' && given <= 'Z' ? given - 'A' + 'a' : given);
           });
  };
  return starts_with("<!doctype html") || starts_with("<html") || starts_with("<head");
}

/// The rest of a message about bytes that are neither JPEG nor PNG.
std::string what_else(std::string_view bytes) {
  if (bytes.empty()) return "is empty, expected JPEG or PNG: replace or remove it";
  for (const Lookalike& known : kLookalikes) {
    if (bytes.size() < known.at || !bytes.substr(known.at).starts_with(known.bytes)) continue;
    return fmt::format("is {}, expected JPEG or PNG: {}", known.what, known.mend);
  }
  if (is_html(bytes)) return fmt::format("is an HTML page, expected JPEG or PNG: {}", kFetch);
  return "is neither a JPEG nor a PNG image, whatever its name says: convert or remove it";
}

}  // namespace

Image decode_image(std::string_view bytes, const std::string& name) {
  if (is_jpeg(bytes)) return decode_jpeg(bytes, name);
  if (is_png(bytes)) return decode_png(bytes, name);
  throw storage::Error(fmt::format("{}: {}", name, what_else(bytes)));
}

}  // namespace datasets
