#include "datasets/png.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "storage/error.hpp"
#include "tests/datasets/png_writer.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

using datasets::decode_png;
using datasets::Image;
using datasets_test::png;
using storage_test::message_of;
using storage_test::read_plainly;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Made by png/make.py.
std::string fixture(const std::string& name) {
  return read_plainly(PLUME_SOURCE_DIR "/tests/datasets/png/" + name);
}

std::string refusal(const std::string& bytes) {
  const std::string message = message_of<storage::Error>([&] { decode_png(bytes, "cat/1.png"); });
  EXPECT_THAT(message, AllOf(StartsWith("cat/1.png: "), Not(HasSubstr("\n"))));
  return message;
}

/// The same bytes, each chunk (length 4, name 4, that many bytes, checksum 4) with the checksum that it should have.
std::string with_right_checksums(std::string bytes) {
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length * 256 + static_cast<unsigned char>(bytes[at + i]);
    if (length > bytes.size() - at - 12) break;
    const auto* covered = reinterpret_cast<const Bytef*>(bytes.data() + at + 4);
    const uLong checksum = crc32(0, covered, static_cast<uInt>(length + 4));
    for (std::size_t i = 0; i < 4; ++i) bytes[at + 8 + length + i] = static_cast<char>(checksum >> (24 - 8 * i));
    at += 12 + length;
  }
  return bytes;
}

TEST(Png, EveryKindIsDecodedAsPillowDoes) {
  for (const std::string name : {"grey1", "grey2", "grey4", "grey8", "rgb", "palette1", "palette2", "palette4",
                                 "palette8", "rgba", "grey_alpha", "palette_alpha", "grey_key", "rgb_key", "gamma",
                                 "profile", "interlaced_rgb", "interlaced_grey1", "interlaced_rgba"}) {
    const Image image = decode_png(fixture(name + ".png"), name);
    EXPECT_EQ(image.width, 11) << name;
    EXPECT_EQ(image.height, 9) << name;
    EXPECT_EQ(std::string(image.rgb.begin(), image.rgb.end()), fixture(name + ".rgb")) << name;
  }
}

TEST(Png, IsDecodedWithoutItsGammaAndItsColourProfile) {
  const Image plain = decode_png(fixture("rgb.png"), "x");
  EXPECT_EQ(decode_png(fixture("gamma.png"), "x").rgb, plain.rgb);
  EXPECT_EQ(decode_png(fixture("profile.png"), "x").rgb, plain.rgb);
}

TEST(Png, IsDecodedRowByRow) {
  const Image image = decode_png(png(2, 2, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), "x");
  EXPECT_THAT(image.rgb, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_THAT(decode_png(png(1, 2, 1, {7, 200}), "x").rgb, ElementsAre(7, 7, 7, 200, 200, 200));
}

TEST(Png, ThatIsTransparentLiesOnBlackRoundedToNearest) {
  // 200 * 100 / 255 = 78.43, 100 * 100 / 255 = 39.22; 255 * 127 / 255 = 127; 1 * 127 / 255 = 0.498, 3 * 127 / 255
  // = 1.49
  EXPECT_THAT(decode_png(png(2, 1, 4, {200, 100, 0, 100, 255, 1, 3, 127}), "x").rgb, ElementsAre(78, 39, 0, 127, 0, 1));
  // 1 * 128 / 255 = 0.502; nothing of alpha 0 is seen, all of alpha 255
  EXPECT_THAT(decode_png(png(3, 1, 2, {1, 128, 200, 0, 200, 255}), "x").rgb,
              ElementsAre(1, 1, 1, 0, 0, 0, 200, 200, 200));
}

TEST(Png, IsRefusedWhereverItIsCutOff) {
  for (const std::string name : {"rgb", "palette_alpha", "interlaced_rgba", "profile"}) {
    const std::string whole = fixture(name + ".png");
    for (std::size_t length = 0; length < whole.size(); ++length) {
      ASSERT_THROW(decode_png(std::string_view(whole).substr(0, length), "x"), storage::Error) << name << " " << length;
    }
  }
  const std::string whole = fixture("rgb.png");
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 12)),
              HasSubstr("damaged PNG image (it ends too early): replace or remove it"));
}

TEST(Png, IsRefusedWithAnyFlippedByte) {
  for (const std::string name : {"rgb", "palette_alpha", "interlaced_rgba", "profile"}) {
    const std::string whole = fixture(name + ".png");
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
      ASSERT_THROW(decode_png(flipped, "x"), storage::Error) << name << " " << at;
    }
  }
}

TEST(Png, SurvivesAnyFlippedByteUnderARightChecksum) {
  std::size_t refused = 0;
  for (const std::string name : {"rgb", "palette4", "palette_alpha", "grey_key", "interlaced_grey1"}) {
    const std::string whole = fixture(name + ".png");
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
      std::string flipped = whole;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
      try {
        const Image image = decode_png(with_right_checksums(flipped), "x");  // a changed palette is a picture too
        ASSERT_EQ(image.rgb.size(), static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 3);
      } catch (const storage::Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(Png, SaysWhatIsWrongWithOneThatIsNotRead) {
  EXPECT_EQ(refusal(fixture("animated.png")),
            "cat/1.png: is an animated PNG, expected one picture: save one frame of it");
  EXPECT_EQ(refusal(fixture("grey16.png")), "cat/1.png: has 16 bits a value, expected 8: convert it");
  EXPECT_EQ(refusal(fixture("rgb16.png")), "cat/1.png: has 16 bits a value, expected 8: convert it");
  EXPECT_EQ(refusal("GIF89a"), "cat/1.png: is no PNG image, whatever its name says: convert or remove it");
  std::string as_text = fixture("rgb.png");
  as_text.replace(as_text.find("\r\n"), 2, "\n");
  EXPECT_THAT(refusal(as_text),
              HasSubstr("damaged PNG image (its first bytes are changed, as a transfer as text does)"));
}

TEST(Png, IsRefusedBeforeMemoryIsTakenForAnImpossibleSize) {
  EXPECT_THAT(refusal(fixture("bomb.png")), HasSubstr("has 60000x60000 pixels, expected at most 16384 a side"));
  EXPECT_THAT(refusal(fixture("largest_bomb.png")),
              HasSubstr("damaged PNG image (too few bytes for so many pixels): replace or remove it"));
  // One colour all over: deflate makes nearly as many bytes of one as it can (1,032).
  EXPECT_EQ(decode_png(png(2000, 2000, 1, std::vector<std::uint8_t>(4'000'000, 9)), "x").rgb.size(), 12'000'000u);
}

}  // namespace
