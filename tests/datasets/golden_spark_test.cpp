// SPARK's crops against those that Pillow decoded (tests/golden/backbones/README.md, section 4).
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "datasets/dataset.hpp"
#include "datasets/exact_resize.hpp"
#include "datasets/jpeg.hpp"
#include "storage/digest.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using datasets::Image;
using datasets::Split;
using nlohmann::json;
using storage_test::read_plainly;
using storage_test::write_plainly;

class GoldenSpark : public testing::Test {
 protected:
  static fs::path folder() {
    const char* given = std::getenv("PLUME_GOLDEN_DIR");
    return fs::path(given != nullptr ? given : PLUME_SOURCE_DIR "/tests/golden") / "backbones/preprocess";
  }
  static std::string jpeg_of(std::size_t k) {
    return read_plainly(fs::path(PLUME_SOURCE_DIR) / "tests/datasets/jpeg" / ("spark" + std::to_string(k) + ".jpg"));
  }
  static Image crop_of(const json& picture) {
    const std::string bytes = read_plainly(folder() / picture.at("crop").at("file").get<std::string>());
    const auto& shape = picture.at("crop").at("shape");
    return {shape.at(1).get<int>(), shape.at(0).get<int>(), {bytes.begin(), bytes.end()}};
  }
  const json pictures_ = json::parse(read_plainly(folder() / "preprocess.json")).at("spark");
};

TEST_F(GoldenSpark, PicturesAreDecodedAsByPillow) {
  ASSERT_EQ(pictures_.size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    const Image image = datasets::decode_jpeg(jpeg_of(k), "spark");
    const double pixels = double(image.width) * image.height;
    for (std::size_t c = 0; c < 3; ++c) {
      double sum = 0;
      for (std::size_t i = c; i < image.rgb.size(); i += 3) sum += image.rgb[i];
      EXPECT_NEAR(sum / pixels, pictures_[k].at("decoded_mean").at(c).get<double>(), 0.5) << k << " " << c;
    }
  }
}

TEST_F(GoldenSpark, CropsAreThoseOfTheFixture) {
  const storage_test::TemporaryFolder root;
  std::string labels = "filename,class,bbox\n";
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string name = fs::path(pictures_[k].at("file").get<std::string>()).filename().string();
    for (const std::string split : {"train", "val"}) write_plainly(root.path() / split / name, jpeg_of(k));
    labels +=
        name + "," + pictures_[k].at("class").get<std::string>() + ",\"" + pictures_[k].at("bbox").dump() + "\"\n";
  }
  for (const std::string split : {"train.csv", "val.csv"}) write_plainly(root / split, labels);
  const auto data = datasets::open_images({.id = "spark", .kind = "spark2022"}, root.path());
  for (std::size_t k = 0; k < 2; ++k) {
    const Image part = data->read(Split::train, static_cast<std::int64_t>(k));
    const Image expected = crop_of(pictures_[k]);
    ASSERT_EQ(part.width, expected.width);
    ASSERT_EQ(part.height, expected.height);
    ASSERT_EQ(part.rgb.size(), expected.rgb.size());
    for (std::size_t i = 0; i < part.rgb.size(); ++i) ASSERT_NEAR(part.rgb[i], expected.rgb[i], 2) << k << " " << i;
  }
}

TEST_F(GoldenSpark, CropsOf32PixelsAreWhatTorchComputesInDoubles) {
  // torch.nn.functional.interpolate of the fixtures' crops, float64, to 512 and to 32, cut to bytes.
  const std::uint32_t expected[] = {0x99f8e51e, 0x62903d36};
  for (std::size_t k = 0; k < 2; ++k) {
    const Image small = datasets::exact_resize(crop_of(pictures_[k]), 512, 32);
    EXPECT_EQ(storage::crc32c({reinterpret_cast<const char*>(small.rgb.data()), small.rgb.size()}), expected[k]) << k;
  }
}

}  // namespace
