// Bytes of processes and files, against what was measured on two AMD EPYC cores (peak resident set of the real
// program).
#include "runner/plan_sizes.hpp"

#include <gtest/gtest.h>

namespace runner {
namespace {

constexpr double kMega = 1e6;

JobSizes job(double parameters, bool searches = false) {
  return {{"train", 0.4 * kMega}, {"test", 0.1 * kMega}, parameters, searches, ""};
}

TEST(TrainerBytes, AreWithinATenthOfWhatWasMeasured) {
  const double full = 60.3e6;  // linear-map at D = 3072
  EXPECT_NEAR(trainer_bytes({job(full)}) / kMega, 1162, 116);
  EXPECT_NEAR(trainer_bytes({job(full, true)}) / kMega, 1430, 143) << "a range test";
  EXPECT_NEAR(trainer_bytes({job(3.67e6)}) / kMega, 245, 25) << "gaussian: the classifier alone";
  // 40,000 and 10,000 rows of 1,024 numbers, and a small network.
  const JobSizes rows{{"train", 163.8 * kMega}, {"test", 41 * kMega}, 6e4, false, ""};
  EXPECT_NEAR(trainer_bytes({rows}) / kMega, 558, 56);
  auto extracting = job(1e6);
  extracting.made_through = "efficientnet-lite0";
  EXPECT_NEAR(trainer_bytes({extracting}) / kMega, 659, 66);
  extracting.made_through = "vgg16";
  EXPECT_NEAR(trainer_bytes({extracting}) / kMega, 2534, 253);
}

TEST(TrainerBytes, KeepTheSetsOfTwoJobsAndShareThoseOfOne) {
  const auto on = [](const std::string& set, double mega) {
    return JobSizes{{set, mega * kMega}, {"test", 0}, 0, false, ""};
  };
  const double alone = trainer_bytes({on("a", 100)});
  EXPECT_DOUBLE_EQ(trainer_bytes({on("a", 100), on("a", 100)}), alone);
  EXPECT_DOUBLE_EQ(trainer_bytes({on("a", 100), on("b", 80)}) - alone, 80 * kMega);
  EXPECT_DOUBLE_EQ(trainer_bytes({on("a", 100), on("b", 80), on("c", 70)}) - alone, 80 * kMega);
}

TEST(JournalBytes, AreWithinAFifthOfWhatWasMeasured) {
  EXPECT_NEAR(journal_bytes({24, 24 * 400, 24 * 400 * 10}) / 4.35e6, 1, 0.2) << "24 trainings of 400 epochs";
  EXPECT_NEAR(journal_bytes({6, 6 * 20, 6 * 20 * 6}) / (6 * 8718), 1, 0.3) << "6 trainings of 20 epochs, 6 classes";
}

TEST(ReportBytes, AreWithinAThirdOfWhatWasMeasured) {
  EXPECT_NEAR(report_bytes({36, 549, 1620, 1}) / kMega, 0.80, 0.27) << "the quick start";
  EXPECT_NEAR(report_bytes({328, 656, 9600, 9}) / kMega, 11.1, 3.7) << "the paper at scale quick: nine tables";
}

TEST(CoordinatorBytes, AreThoseOfTheScaleBenchmark) {
  // 100,000 jobs of 10 epochs, a journal of 554 MB: 1,387 MB at the end (docs/speed.md).
  const JournalShape shape{100'000, 1e6, 1e7};
  EXPECT_NEAR(journal_bytes(shape) / 554e6, 1, 0.2);
  EXPECT_NEAR(coordinator_bytes(shape, 0) / 1387e6, 1, 0.2);
}

}  // namespace
}  // namespace runner
