// Expected times from measured ones.
#include "runner/run_times.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace runner {
namespace {

TEST(RunTimes, ScaleTheMedianOfAKindByTheWork) {
  RunTimes times;
  EXPECT_TRUE(times.empty());
  times.add({"scan", 100}, 10);
  EXPECT_DOUBLE_EQ(times.seconds_of({"scan", 50}).value(), 5);
  times.add({"scan", 200}, 18);
  EXPECT_DOUBLE_EQ(times.seconds_of({"scan", 300}).value(), 28.5) << "0.1 and 0.09 s a row";
  times.add({"scan", 1}, 9999);
  EXPECT_DOUBLE_EQ(times.seconds_of({"scan", 100}).value(), 10) << "one that hung does not count";
}

TEST(RunTimes, KnowNothingOfOtherKinds) {
  RunTimes times;
  times.add({"scan", 100}, 10);
  EXPECT_FALSE(times.seconds_of({"extract", 100}));
  EXPECT_FALSE(times.seconds_of({"", 100}));
  EXPECT_FALSE(times.seconds_of({"scan", 0}));
}

TEST(RunTimes, ForgetAllButTheNewest) {
  RunTimes times;
  for (int i = 0; i < 100; ++i) times.add({"scan", 1}, 50);
  for (std::size_t i = 0; i < RunTimes::kKept / 2 + 1; ++i) times.add({"scan", 1}, 2);
  EXPECT_DOUBLE_EQ(times.seconds_of({"scan", 1}).value(), 2) << "yesterday's node was slow";
}

TEST(RunTimes, PassOverWhatIsNoTime) {
  RunTimes times;
  times.add({"", 1}, 5);
  times.add({"scan", 0}, 5);
  times.add({"scan", std::nan("")}, 5);
  times.add({"scan", 1}, 0);
  times.add({"scan", 1}, std::nan(""));
  EXPECT_TRUE(times.empty());
}

}  // namespace
}  // namespace runner
