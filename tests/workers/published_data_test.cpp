// Data sets beside what is published of them.
#include "workers/published_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workers/made_up_images.hpp"

namespace workers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Adds an image of a class of its own, with these statistics over its one pixel.
void add_class(SplitScan& scan, const std::array<double, 3>& mean, const std::array<double, 3>& std_dev) {
  ClassSums sums;
  sums.pixels = 1;
  for (std::size_t c = 0; c < 3; ++c) {
    sums.image_means[c] = mean[c];
    sums.image_spreads[c] = std_dev[c];
    sums.sums[c] = mean[c];
    sums.squares[c] = std_dev[c] * std_dev[c] + mean[c] * mean[c];
  }
  scan.resized = true;  // sums of values in [0, 1]
  scan.class_rows.push_back(1);
  scan.class_sums.push_back(sums);
}

SplitScan airplanes(const std::array<double, 3>& mean, const std::array<double, 3>& std_dev) {
  SplitScan scan;
  add_class(scan, mean, std_dev);
  return scan;
}

TEST(PublishedData, KnowsTheReleasedConstantsOfSpark) {
  const auto compared =
      compare_with_published("spark2021", {"Aura"}, airplanes({0.0943, 0.0930, 0.0953}, {0.0987, 0.0948, 0.0924}));
  ASSERT_EQ(compared.size(), 1U);
  EXPECT_TRUE(compared[0].same());
  EXPECT_TRUE(compared[0].form->in_paper);
  EXPECT_NEAR(compared[0].difference, 0.09484387 - 0.0948, 1e-9) << "green's std is the farthest";
}

TEST(PublishedData, TellsTheJpegCopyOfCifar10FromTheOriginal) {
  const std::vector<std::string> classes = {"airplane", "truck"};
  auto scan = airplanes({0.52561, 0.56019, 0.58868}, {0.24882, 0.24023, 0.26410});
  // So that the means over both classes are the copy's: 2 * 0.491250 - 0.52561, and so on.
  add_class(scan, {0.456890, 0.403990, 0.304362}, {0.239494, 0.238864, 0.235636});
  const auto compared = compare_with_published("cifar10", classes, scan);
  ASSERT_EQ(compared.size(), 2U);
  EXPECT_TRUE(compared[0].same());
  EXPECT_FALSE(compared[0].form->in_paper);
  EXPECT_FALSE(compared[1].same());
  EXPECT_TRUE(compared[1].form->in_paper);
  EXPECT_NEAR(compared[1].difference, 0.26597 - 0.26410, 1e-5) << "blue's std of airplanes is the farthest";
}

TEST(PublishedData, SaysNothingOfOtherKinds) {
  EXPECT_THAT(compare_with_published("image-folder", {"airplane"}, airplanes({0, 0, 0}, {1, 1, 1})), IsEmpty());
  EXPECT_EQ(official_counts("image-folder"), "");
  EXPECT_EQ(official_counts("cifar100"), "2,500 training and 500 test images a class");
}

TEST(PublishedData, NamesClassesWithOtherCountsThanOfficially) {
  const workers_test::MadeUpRow cat = {0, {}};
  workers_test::MadeUpImages data({"cat", "dog"}, std::vector<workers_test::MadeUpRow>(4999, cat),
                                  std::vector<workers_test::MadeUpRow>(1000, cat));
  EXPECT_THAT(departures_from_official("cifar10", data),
              ElementsAre("cat: 4,999 training images, officially 5,000", "dog: 0 training images, officially 5,000",
                          "dog: 0 test images, officially 1,000"));
  EXPECT_THAT(departures_from_official("image-folder", data), IsEmpty());
  data.never = {"dog"};
  EXPECT_THAT(departures_from_official("spark2021", data),
              ElementsAre("normal classes: 4,999 training images, officially 75,000",
                          "normal classes: 1,000 test images, officially 25,000",
                          "anomalies: 0 test images, officially 5,000"));
}

}  // namespace
}  // namespace workers
