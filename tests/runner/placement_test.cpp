// Workers and threads from the CPUs that may be used.
#include "runner/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"

namespace runner {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Cpus kEight{8, 2};

std::string refusal(std::optional<int> asked, std::optional<int> committed, const Cpus& cpus) {
  try {
    choose_threads(asked, 1, cpus, committed);
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "(not refused)";
}

TEST(Placement, StartsAWorkerPerSocketButTwoWhereThereAreTwoCpus) {
  EXPECT_EQ(choose_workers({}, {64, 4}), 4);
  EXPECT_EQ(choose_workers({}, {2, 1}), 2);
  EXPECT_EQ(choose_workers({}, {1, 1}), 1);
  EXPECT_EQ(choose_workers(5, {2, 1}), 5);
}

TEST(Placement, DividesTheCpusAmongTheWorkers) {
  EXPECT_EQ(choose_threads({}, 2, kEight, {}), 4);
  EXPECT_EQ(choose_threads({}, 100, kEight, {}), 1);
}

TEST(Placement, GoesOnWithTheThreadsOfTheCommittedResults) {
  EXPECT_EQ(choose_threads({}, 2, kEight, 3), 3);
}

TEST(Placement, RefusesThreadsBeyondTheCpusAndSaysWhatToGive) {
  EXPECT_THAT(refusal(9, {}, kEight), AllOf(HasSubstr("--threads 9"), HasSubstr("8 CPUs"), HasSubstr("--threads 8")));
}

TEST(Placement, RefusesToMixThreadCountsInOneDirectory) {
  EXPECT_THAT(refusal(2, 1, kEight), AllOf(HasSubstr("--threads 2"), HasSubstr("--threads 1"), HasSubstr("--out")));
  EXPECT_THAT(refusal({}, 16, kEight), AllOf(HasSubstr("16 threads"), HasSubstr("8 CPUs")));
  EXPECT_EQ(refusal(1, 1, kEight), "(not refused)");
}

TEST(Placement, SeesAtLeastOneCpuOnThisMachine) {
  EXPECT_GE(usable_cpus().usable, 1);
  EXPECT_GE(usable_cpus().sockets, 1);
}

}  // namespace
}  // namespace runner
