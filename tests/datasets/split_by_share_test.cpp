#include "datasets/split_by_share.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace {

using datasets::drawn_for_test;
using datasets::test_count;
using testing::ElementsAre;

TEST(SplitByShare, RoundsEachClassToNearestButLeavesBothSplitsOne) {
  EXPECT_EQ(test_count(0.2, 2), 1);    // 0.4
  EXPECT_EQ(test_count(0.2, 7), 1);    // 1.4
  EXPECT_EQ(test_count(0.2, 8), 2);    // 1.6
  EXPECT_EQ(test_count(0.25, 10), 3);  // 2.5
  EXPECT_EQ(test_count(0.2, 1000), 200);
  EXPECT_EQ(test_count(0.9, 2), 1);     // 1.8
  EXPECT_EQ(test_count(0.99, 10), 9);   // 9.9
  EXPECT_EQ(test_count(0.001, 10), 1);  // 0.01
}

TEST(SplitByShare, DrawsTheSameRowsOnEveryMachine) {
  // Held against Philox4x32-10 and Fisher-Yates written in Python.
  const auto rows_of = [](std::uint64_t seed, const std::string& class_name) {
    std::vector<int> rows;
    const std::vector<bool> drawn = drawn_for_test({.test = 0.3, .seed = seed}, "image-folder", class_name, 10);
    for (int k = 0; k < 10; ++k) {
      if (drawn[static_cast<std::size_t>(k)]) rows.push_back(k);
    }
    return rows;
  };
  EXPECT_THAT(rows_of(0, "cat"), ElementsAre(1, 4, 8));
  EXPECT_THAT(rows_of(0, "dog"), ElementsAre(1, 5, 6));
  EXPECT_THAT(rows_of(1, "cat"), ElementsAre(3, 6, 8));
}

TEST(SplitByShare, DrawsEveryRowAboutAsOften) {
  std::vector<int> times(10, 0);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const std::vector<bool> drawn = drawn_for_test({.test = 0.3, .seed = seed}, "image-folder", "cat", 10);
    for (std::size_t k = 0; k < 10; ++k) times[k] += drawn[k] ? 1 : 0;
  }
  for (const int count : times) EXPECT_NEAR(count, 300, 75);  // five standard deviations
}

}  // namespace
