// Statistics and identities of feature sets.
#include "workers/feature_set.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/temporary_folder.hpp"

namespace workers {
namespace {

using sweeps::Normalisation;

/// A 1 x 2 image whose channels have the byte values (a, b), (10, 10), (0, 255).
ScannedImage image(double a, double b, std::uint32_t crc = 1) {
  ScannedImage i;
  i.crc32c = crc;
  i.width = 2;
  i.height = 1;
  i.sums = {a + b, 20, 255};
  i.squares = {a * a + b * b, 200, 255 * 255};
  return i;
}

const std::vector<std::string> kClasses = {"cat", "dog"};

TEST(ScanMerge, PoolsAClassOverAllItsPixels) {
  const auto scan = merge_scan(kClasses, {0, 0}, {image(0, 10), image(20, 30)}, 224);
  // Channel 0 of cat: 0 10 20 30: mean 15, variance 125. A mean of per-image stds would be 5.
  EXPECT_DOUBLE_EQ(scan.class_statistics[0].mean[0], 15 / 255.0);
  EXPECT_DOUBLE_EQ(scan.class_statistics[0].std_dev[0], std::sqrt(125.0) / 255.0);
  EXPECT_DOUBLE_EQ(scan.class_statistics[0].std_dev[1], 0);
  EXPECT_DOUBLE_EQ(scan.class_statistics[0].mean[2], 0.5);
  EXPECT_EQ(scan.class_rows, (std::vector<std::int64_t>{2, 0}));
}

TEST(ScanMerge, UsesTheSumsAfterTheResizeWhenImagesDifferInSize) {
  auto small = image(0, 10);
  auto wide = image(20, 30);
  wide.width = 4;
  for (auto* i : {&small, &wide}) {
    i->square_sums = {2, 2, 2};  // square of side 2: four pixels of 0.5
    i->square_squares = {1, 1, 1};
  }
  const auto scan = merge_scan(kClasses, {0, 0}, {small, wide}, 2);
  EXPECT_FALSE(scan.one_size);
  EXPECT_DOUBLE_EQ(scan.class_statistics[0].mean[0], 0.5);
  EXPECT_DOUBLE_EQ(scan.class_statistics[0].std_dev[0], 0);
}

TEST(Statistics, OfTheDataSetAreMeansOverItsClassesWithoutEmptyOnes) {
  auto scan = merge_scan({"a", "b", "empty"}, {0, 1}, {image(0, 0), image(100, 100)}, 224);
  const auto s = statistics_for(Normalisation::dataset, scan, {0});
  EXPECT_DOUBLE_EQ(s.mean[0], 50 / 255.0);
  EXPECT_DOUBLE_EQ(statistics_for(Normalisation::normal_class, scan, {1}).mean[0], 100 / 255.0);
  EXPECT_DOUBLE_EQ(statistics_for(Normalisation::imagenet, scan, {1}).mean[0], 0.485);
}

TEST(Identity, ChangesWithEverythingThatTheRowsDependOn) {
  const auto scan = merge_scan(kClasses, {0, 1}, {image(0, 10, 1), image(20, 30, 2)}, 224);
  const auto other_pixels = merge_scan(kClasses, {0, 1}, {image(0, 10, 1), image(20, 30, 3)}, 224);
  const auto other_labels = merge_scan(kClasses, {1, 0}, {image(0, 10, 1), image(20, 30, 2)}, 224);
  const ChannelStatistics s{{0.1, 0.2, 0.3}, {1, 1, 1}};
  const ChannelStatistics t{{0.1, 0.2, 0.4}, {1, 1, 1}};
  const auto id = [](const SplitScan& scanned, datasets::Split split, std::optional<std::int64_t> rows,
                     const std::string& backbone, const std::string& weights, const ChannelStatistics& numbers,
                     int size) {
    return feature_set_id(identity_of(scanned, split, rows, backbone, weights, Normalisation::dataset, numbers, size));
  };
  using datasets::Split;
  const std::set<std::string> ids = {
      id(scan, Split::train, {}, "b", "w", s, 224),         id(other_pixels, Split::train, {}, "b", "w", s, 224),
      id(other_labels, Split::train, {}, "b", "w", s, 224), id(scan, Split::test, {}, "b", "w", s, 224),
      id(scan, Split::train, 5, "b", "w", s, 224),          id(scan, Split::train, {}, "c", "w", s, 224),
      id(scan, Split::train, {}, "b", "x", s, 224),         id(scan, Split::train, {}, "b", "w", t, 224),
      id(scan, Split::train, {}, "b", "w", s, 256),
  };
  EXPECT_EQ(ids.size(), 9U);
  EXPECT_EQ(ids.begin()->size(), 32U);
}

TEST(Identity, OfImagesHoldsWhatTheBytesDependOnAndNothingElse) {
  auto scan = merge_scan(kClasses, {0, 1}, {image(0, 10, 1), image(20, 30, 2)}, 224);
  scan.content_digest = "c0ffee";
  EXPECT_EQ(identity_of_images(scan, datasets::Split::test, 5),
            R"({"backbone":"raw32","content":"c0ffee","format":1,"rows_per_class":5,"size":32,"split":"test"})");
  EXPECT_EQ(identity_of_features(scan, datasets::Split::test, 5, 768),
            R"({"backbone":"features","content":"c0ffee","format":1,"length":768,"rows_per_class":5,"split":"test"})");
  EXPECT_EQ(identity_of_images(scan, datasets::Split::train, {}),
            R"({"backbone":"raw32","content":"c0ffee","format":1,"size":32,"split":"train"})");
}

TEST(RowKind, IsImagesForRaw32AndFeaturesForEveryBackbone) {
  EXPECT_EQ(row_kind_of("raw32"), storage::RowKind::images);
  EXPECT_EQ(row_kind_of("efficientnet-lite0"), storage::RowKind::features);
}

TEST(KeptScan, ReadsBackWhatWasSavedAndIgnoresADamagedFile) {
  const tests::TemporaryFolder cache;
  const auto train = merge_scan(kClasses, {0, 1}, {image(0, 10), image(20, 31)}, 224);
  const auto test = merge_scan(kClasses, {1}, {image(1, 2)}, 224);
  EXPECT_FALSE(load_scan(cache.path(), "key"));
  save_scan(cache.path(), "key", {train, test});
  EXPECT_EQ(load_scan(cache.path(), "key"), (std::array<SplitScan, 2>{train, test}));

  const auto file = cache / "scan/key.json";
  auto text = tests::read_text(file);
  const auto digit = text.find("\"rows\":1");
  ASSERT_NE(digit, std::string::npos);
  text[digit + 7] = '2';
  tests::write_text(file, text);
  EXPECT_FALSE(load_scan(cache.path(), "key"));
}

TEST(Identity, SaysWhichWeightsMadeTheRows) {
  const auto scan = merge_scan(kClasses, {0}, {image(0, 10)}, 224);
  const auto through = [&](const std::string& weights) {
    return identity_of(scan, datasets::Split::train, 5, "resnet50", weights, Normalisation::dataset, {}, 224);
  };

  EXPECT_EQ(weights_of(through("random:7")), "random:7");
  EXPECT_EQ(weights_of(through(std::string(64, 'a'))), std::string(64, 'a'));
  EXPECT_EQ(weights_of(identity_of_images(scan, datasets::Split::train, 5)), "");
}

}  // namespace
}  // namespace workers
