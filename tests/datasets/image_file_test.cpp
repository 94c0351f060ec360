#include "datasets/image_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "tests/datasets/jpeg_writer.hpp"
#include "tests/datasets/png_writer.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

using namespace std::string_literals;
using datasets::decode_image;
using datasets_test::jpeg;
using datasets_test::png;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& bytes) {
  return storage_test::message_of<storage::Error>([&] { decode_image(bytes, "1.jpg"); });
}

TEST(ImageFile, IsKnownByItsFirstBytesAndNotByItsName) {
  EXPECT_THAT(decode_image(png(1, 1, 3, {1, 2, 3}), "1.jpg").rgb, ElementsAre(1, 2, 3));
  EXPECT_EQ(decode_image(jpeg(8, 6, 100), "1.png").rgb.size(), 8u * 6 * 3);
}

TEST(ImageFile, OfAnotherFormatIsCalledWhatItIs) {
  const std::vector<std::pair<std::string, std::string>> others = {
      {"GIF89a\x01\x00\x01\x00"s, "a GIF image"},
      {"RIFF\x24\0\0\0WEBPVP8 "s, "a WebP image"},
      {"BM\x46\0\0\0"s, "a BMP image"},
      {"II*\0\x08\0\0\0"s, "a TIFF image"},
      {"MM\0*\0\0\0\x08"s, "a TIFF image"},
      {"\0\0\0\x18"
       "ftypheic\0\0\0\0"s,
       "a HEIC image"},
      {"\0\0\0\x1C"
       "ftypavif\0\0\0\0"s,
       "an AVIF image"},
      {"\0\0\0\x0CjP  \r\n\x87\n"s, "a JPEG 2000 image"},
      {"%PDF-1.7\n", "a PDF document"},
  };
  for (const auto& [bytes, what] : others) {
    EXPECT_EQ(refusal(bytes), "1.jpg: is " + what + ", expected JPEG or PNG: convert it");
  }
}

TEST(ImageFile, ThatWasNeverFetchedIsCalledWhatItIs) {
  for (const std::string page : {"<!DOCTYPE html><html>404</html>", "\n <HTML>", "\xEF\xBB\xBF<!doctype HTML>"}) {
    EXPECT_EQ(refusal(page), "1.jpg: is an HTML page, expected JPEG or PNG: fetch the image itself");
  }
  EXPECT_THAT(refusal("version https://git-lfs.github.com/spec/v1\n"), HasSubstr("is a Git LFS pointer, expected"));
}

TEST(ImageFile, ThatIsNothingKnownIsRefusedAtAnyLength) {
  EXPECT_EQ(refusal(""), "1.jpg: is empty, expected JPEG or PNG: replace or remove it");
  for (const std::string bytes : {"x", "\xFF\xD8", "\x89PN", "   ", "<", "not an image at all"}) {
    EXPECT_EQ(refusal(bytes), "1.jpg: is neither a JPEG nor a PNG image, whatever its name says: convert or remove it");
  }
}

TEST(ImageFile, ThatIsDamagedIsRefusedByItsDecoder) {
  EXPECT_THAT(refusal(jpeg(8, 8, 0).substr(0, 100)), HasSubstr("1.jpg: damaged JPEG image"));
  EXPECT_THAT(refusal(png(8, 8, 1, std::vector<std::uint8_t>(64, 5)).substr(0, 40)),
              HasSubstr("1.jpg: damaged PNG image"));
  EXPECT_THAT(refusal(jpeg(8, 8, 0, datasets_test::Colours::cmyk)), HasSubstr("is CMYK, expected RGB or grey"));
}

}  // namespace
