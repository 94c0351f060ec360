// What kinds of data sets fix, whether their files are at hand or not.
#include "datasets/official.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace datasets {
namespace {

using testing::ElementsAre;

TEST(OfficialDataset, HasTheRowsOfEachClassOfCifar) {
  const auto cifar10 = official_dataset("cifar10");
  ASSERT_NE(cifar10, nullptr);
  EXPECT_EQ(cifar10->classes().at(9), "truck");
  EXPECT_EQ(cifar10->size(Split::train), 50'000);
  EXPECT_EQ(cifar10->label(Split::train, 4'999), 0);
  EXPECT_EQ(cifar10->label(Split::train, 5'000), 1);
  EXPECT_EQ(cifar10->label(Split::test, 9'999), 9);
  const auto cifar100 = official_dataset("cifar100");
  EXPECT_EQ(cifar100->classes().size(), 20U);
  EXPECT_EQ(rows_of_classes(*cifar100, Split::train).at(3), 2'500);
}

TEST(OfficialDataset, HasTheSatellitesOfSparkAndItsDebris) {
  const auto spark = official_dataset("spark2021");
  ASSERT_NE(spark, nullptr);
  EXPECT_THAT(spark->only_anomalies(), ElementsAre("Debris"));
  EXPECT_EQ(spark->normal_sets().at(0).name, "satellites");
  EXPECT_EQ(spark->size(Split::train), 75'000) << "the paper does not say how many are debris";
  EXPECT_EQ(spark->size(Split::test), 30'000);
  EXPECT_EQ(rows_of_classes(*spark, Split::test).at(6), 5'000);
  EXPECT_EQ(official_dataset("spark2022")->only_anomalies().at(0), "debris");
  EXPECT_EQ(official_counts_of("spark2022"), nullptr);
}

TEST(OfficialDataset, IsNoneWhereFilesSayTheClasses) {
  for (const char* kind : {"image-folder", "features", "synthetic"}) EXPECT_EQ(official_dataset(kind), nullptr) << kind;
}

}  // namespace
}  // namespace datasets
