// Merged scans and the statistics that they give, on sums that can be checked by hand.
#include "workers/split_scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/workers/scanned_images.hpp"

namespace workers {
namespace {

using sweeps::Normalisation;

ScannedImage unreadable(const std::string& why) {
  ScannedImage i;
  i.fault = why;
  return i;
}

const std::vector<std::string> kClasses = {"cat", "dog"};
const ScanRule kByImage{224, false, datasets::Averaging::images};

TEST(ScanMerge, PoolsAClassOverAllItsPixels) {
  const auto scan = merge_scan(kClasses, {0, 0}, {image(0, 10), image(20, 30)}, {});
  const auto cat = statistics_of(scan, {0});
  // Channel 0 of cat: 0 10 20 30: mean 15, variance 125. A mean of per-image stds would be 5.
  EXPECT_DOUBLE_EQ(cat.mean[0], 15 / 255.0);
  EXPECT_DOUBLE_EQ(cat.std_dev[0], std::sqrt(125.0) / 255.0);
  EXPECT_DOUBLE_EQ(cat.std_dev[1], 0);
  EXPECT_DOUBLE_EQ(cat.mean[2], 0.5);
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
  const auto scan = merge_scan(kClasses, {0, 0}, {small, wide}, {.square = 2});
  EXPECT_TRUE(scan.resized);
  EXPECT_DOUBLE_EQ(statistics_of(scan, {0}).mean[0], 0.5);
  EXPECT_DOUBLE_EQ(statistics_of(scan, {0}).std_dev[0], 0);
}

TEST(ScanMerge, UsesTheSumsAfterTheResizeWhereTheDataSetHasAFirstSquare) {
  auto one = image(0, 10);
  one.square_sums = {1, 2, 3};  // square of side 2
  one.square_squares = {1, 1, 3};
  const auto scan = merge_scan(kClasses, {0, 0}, {one, one}, {.square = 2, .resize = true});
  const auto cat = statistics_of(scan, {0});
  EXPECT_DOUBLE_EQ(cat.mean[0], 0.25);
  EXPECT_DOUBLE_EQ(cat.std_dev[0], std::sqrt(0.25 - 0.0625));
}

TEST(ScanMerge, IsWithoutAFaultyRowAsIfItWereNotThere) {
  const auto with =
      merge_scan(kClasses, {0, 1, 1, 0},
                 {image(0, 10, 1), unreadable("dog.jpg: not a JPEG"), image(3, 4, 2), image(20, 30, 3)}, {});
  auto without = merge_scan(kClasses, {0, 1, 0}, {image(0, 10, 1), image(3, 4, 2), image(20, 30, 3)}, {});
  EXPECT_EQ(with.skipped, (std::vector<SkippedRow>{{1, "dog.jpg: not a JPEG"}}));
  EXPECT_EQ(with.row_count(), 4);
  EXPECT_EQ(with.checksums, (std::vector<std::uint32_t>{1, 2, 3}));
  without.skipped = with.skipped;
  EXPECT_EQ(with, without);
}

TEST(ScanMerge, AFaultyRowIsNoImageOfAnotherSize) {
  const auto scan = merge_scan(kClasses, {0, 0, 0}, {unreadable("x"), image(0, 10), image(20, 30)}, {});
  EXPECT_FALSE(scan.resized);
}

TEST(Statistics, OfTheDataSetAreMeansOverItsClassesWithoutEmptyOnes) {
  const auto scan = merge_scan({"a", "b", "empty"}, {0, 1}, {image(0, 0), image(100, 100)}, {});
  EXPECT_DOUBLE_EQ(statistics_for(Normalisation::dataset, scan, {0}).mean[0], 50 / 255.0);
  EXPECT_DOUBLE_EQ(statistics_for(Normalisation::normal_class, scan, {1}).mean[0], 100 / 255.0);
  EXPECT_DOUBLE_EQ(statistics_for(Normalisation::imagenet, scan, {1}).mean[0], 0.485);
}

TEST(Statistics, OfSeveralNormalClassesArePooledOverTheirPixels) {
  const auto scan =
      merge_scan({"a", "b", "c"}, {0, 0, 2, 1}, {image(0, 10), image(20, 30), image(60, 80), image(9, 9)}, {});
  const auto s = statistics_for(Normalisation::normal_class, scan, {0, 2});
  // 0 10 20 30 60 80: mean 100 / 3, mean of squares 11400 / 6 = 1900.
  EXPECT_DOUBLE_EQ(s.mean[0], 100.0 / 3 / 255);
  EXPECT_DOUBLE_EQ(s.std_dev[0], std::sqrt(1900 - 10000.0 / 9) / 255);
}

TEST(Statistics, ByImageAreMeansOfEachImagesMeanAndSpread) {
  // Channel 0 of the images: mean 5 and spread 5, mean 25 and spread 5, mean 100 and spread 20.
  const auto scan = merge_scan(kClasses, {0, 0, 1}, {image(0, 10), image(20, 30), image(80, 120)}, kByImage);
  const auto all = statistics_for(Normalisation::dataset, scan, {});
  EXPECT_DOUBLE_EQ(all.mean[0], (5 + 25 + 100) / 3.0 / 255);
  EXPECT_DOUBLE_EQ(all.std_dev[0], (5 + 5 + 20) / 3.0 / 255);
  EXPECT_DOUBLE_EQ(all.std_dev[1], 0);
  const auto cat = statistics_for(Normalisation::normal_class, scan, {0});
  EXPECT_DOUBLE_EQ(cat.mean[0], 15 / 255.0);
  EXPECT_DOUBLE_EQ(cat.std_dev[0], 5 / 255.0);
}

}  // namespace
}  // namespace workers
