#include "datasets/jpeg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "storage/error.hpp"
#include "tests/datasets/jpeg_writer.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

using datasets::decode_jpeg;
using datasets::Image;
using datasets_test::Colours;
using datasets_test::jpeg;
using datasets_test::Scans;
using storage_test::message_of;
using storage_test::read_plainly;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::filesystem::path kJpegs = PLUME_SOURCE_DIR "/tests/datasets/jpeg";

std::string refusal(const std::string& bytes) {
  const std::string message = message_of<storage::Error>([&] { decode_jpeg(bytes, "train/cat/1.jpg"); });
  EXPECT_THAT(message, AllOf(StartsWith("train/cat/1.jpg: "), Not(HasSubstr("\n"))));
  return message;
}

/// Width and height stand in the frame header: FF C0 (or C2), length 2, precision 1, height 2, width 2.
std::string with_size(std::string bytes, int width, int height) {
  const std::size_t at = bytes.find("\xFF\xC0");
  EXPECT_NE(at, std::string::npos);
  bytes[at + 5] = static_cast<char>(height >> 8);
  bytes[at + 6] = static_cast<char>(height);
  bytes[at + 7] = static_cast<char>(width >> 8);
  bytes[at + 8] = static_cast<char>(width);
  return bytes;
}

TEST(Jpeg, GoldenCifarPicturesAreDecodedAsPillowDoes) {
  const char* given = std::getenv("PLUME_GOLDEN_DIR");
  const std::filesystem::path golden = given != nullptr ? given : PLUME_SOURCE_DIR "/tests/golden";
  const std::string expected = read_plainly(golden / "backbones/preprocess/cifar4_u8.bin");  // [4, 3, 32, 32]
  ASSERT_EQ(expected.size(), 4u * 3 * 1024);
  for (std::size_t k = 0; k < 4; ++k) {
    const Image image = decode_jpeg(read_plainly(kJpegs / ("cifar" + std::to_string(k) + ".jpg")), "cifar");
    ASSERT_EQ(image.width, 32);
    ASSERT_EQ(image.height, 32);
    for (std::size_t i = 0; i < 3 * 1024; ++i) {
      const auto byte = static_cast<std::uint8_t>(expected[k * 3 * 1024 + (i % 3) * 1024 + i / 3]);
      ASSERT_EQ(image.rgb[i], byte) << "picture " << k << " byte " << i;
    }
  }
}

TEST(Jpeg, OtherKindsAreDecodedAsPillowDoes) {
  for (const std::string name : {"halved_chroma", "progressive", "grey"}) {
    const Image image = decode_jpeg(read_plainly(kJpegs / (name + ".jpg")), name);
    EXPECT_EQ(image.width, 17);
    EXPECT_EQ(image.height, 13);
    const std::string expected = read_plainly(kJpegs / (name + ".rgb"));
    EXPECT_EQ(std::string(image.rgb.begin(), image.rgb.end()), expected) << name;
  }
}

TEST(Jpeg, IsRefusedWhereverItIsCutOff) {
  for (const Scans scans : {Scans::one, Scans::one_a_component, Scans::progressive}) {
    const std::string whole = jpeg(24, 20, 40, Colours::rgb, scans);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      ASSERT_THROW(decode_jpeg(std::string_view(whole).substr(0, length), "x"), storage::Error) << length;
    }
    EXPECT_EQ(decode_jpeg(whole, "x").rgb.size(), 24u * 20 * 3);
    EXPECT_THAT(refusal(whole.substr(0, whole.size() - 2)),
                HasSubstr("damaged JPEG image (Premature end of JPEG file)"));
  }
}

TEST(Jpeg, SurvivesAnyFlippedByte) {
  const std::string whole = jpeg(24, 20, 40);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    try {
      const Image image = decode_jpeg(flipped, "x");  // a changed coefficient is a picture too
      ASSERT_EQ(image.rgb.size(), static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 3);
    } catch (const storage::Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50u);
}

TEST(Jpeg, SaysWhatAFileIsThatIsNone) {
  EXPECT_EQ(refusal(""), "train/cat/1.jpg: is empty, expected a JPEG image");
  EXPECT_THAT(refusal("<!DOCTYPE html><html>404</html>"), HasSubstr("is no JPEG image, whatever its name says"));
  EXPECT_THAT(refusal("\x89PNG\r\n\x1A\n"), HasSubstr("is no JPEG image"));
  EXPECT_THAT(refusal(jpeg(16, 16, 0, Colours::cmyk)), HasSubstr("is CMYK, expected RGB or grey"));
}

TEST(Jpeg, IsRefusedBeforeMemoryIsTakenForAnImpossibleSize) {
  EXPECT_THAT(refusal(with_size(jpeg(16, 16, 0), 60000, 60000)),
              HasSubstr("has 60000x60000 pixels, expected at most 16384"));
  EXPECT_THAT(refusal(with_size(jpeg(16, 16, 0), 16, 16385)), HasSubstr("has 16x16385 pixels"));
}

TEST(Jpeg, IsRefusedWithThousandsOfScans) {
  // A file may send a component anew as often as it likes: cheap to store, endless to decode.
  const std::string whole = jpeg(16, 16, 0, Colours::rgb, Scans::one_a_component);
  const std::size_t first = whole.find("\xFF\xDA");
  const std::size_t second = whole.find("\xFF\xDA", first + 1);
  ASSERT_NE(second, std::string::npos);
  const auto with_repeats = [&](int count) {
    std::string bytes = whole.substr(0, second);
    for (int i = 0; i < count; ++i) bytes += whole.substr(first, second - first);
    return bytes + whole.substr(second);
  };
  EXPECT_EQ(decode_jpeg(with_repeats(1), "x").rgb, decode_jpeg(whole, "x").rgb);
  EXPECT_THAT(refusal(with_repeats(300)), HasSubstr("more than 200 scans"));
}

}  // namespace
