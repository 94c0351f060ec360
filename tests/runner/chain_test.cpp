// Whether a chain of allocations goes on.
#include "runner/chain.hpp"
#include "runner/status_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

using testing::HasSubstr;

constexpr int kDrained = 4, kKilled = 137;

TEST(Chain, GoesOnAfterADrainedOrKilledRunThatGotSomethingDone) {
  for (const int status : {kDrained, kKilled, 143}) {
    const auto verdict = chain_verdict(status, {12, 0}, {10, 0});
    EXPECT_TRUE(verdict.again) << verdict.why;
    EXPECT_EQ(verdict.memory.ended, 12);
    EXPECT_EQ(verdict.memory.idle, 0);
  }
}

TEST(Chain, EndsWhereNothingIsLeftOrAnotherAllocationCannotHelp) {
  for (const int status : {0, 1, 2, 3, 126, 127}) {
    const auto verdict = chain_verdict(status, {12, 0}, {10, 0});
    EXPECT_FALSE(verdict.again) << status;
    EXPECT_THAT(verdict.why, testing::AnyOf(HasSubstr("chain ends"), HasSubstr("chain is complete"))) << status;
  }
}

TEST(Chain, BearsOneAllocationThatGotNothingDoneAndEndsWithTheSecondInARow) {
  const auto first = chain_verdict(kKilled, {10, 0}, {10, 0});
  EXPECT_TRUE(first.again);
  const auto second = chain_verdict(kDrained, {10, 0}, first.memory);
  EXPECT_FALSE(second.again);
  EXPECT_THAT(second.why, HasSubstr("2 allocations in a row got nothing done"));
}

TEST(Chain, CountsAnewAfterAnAllocationThatGotSomethingDone) {
  const auto first = chain_verdict(kDrained, {10, 0}, {10, 0});
  const auto second = chain_verdict(kDrained, {11, 0}, first.memory);
  EXPECT_TRUE(chain_verdict(kDrained, {11, 0}, second.memory).again);
}

TEST(Chain, TakesFeaturesAndCheckpointsForSomethingDone) {
  const auto first = chain_verdict(kDrained, {0, 500}, {0, 1});
  EXPECT_TRUE(first.again);
  EXPECT_EQ(first.memory.idle, 0);
}

TEST(Chain, TakesAResultOfAJobThatHadFailedForSomethingDone) {
  const auto verdict = chain_verdict(kDrained, {.ended = 10, .parts = 0, .committed = 2}, {10, 1});
  EXPECT_TRUE(verdict.again);
  EXPECT_THAT(verdict.why, HasSubstr("10 jobs have ended, 2 of them in this allocation"));
}

TEST(Chain, ThatEndedForWantOfProgressMayBeSubmittedAgain) {
  const auto last = chain_verdict(kDrained, {10, 0}, {10, 1});
  ASSERT_FALSE(last.again);
  EXPECT_TRUE(chain_verdict(kDrained, {10, 0}, last.memory).again) << "something was changed, or so it is hoped";
}

TEST(Chain, SaysWhatGoesOnAfterFailedJobsAndWhereTheLogOfABrokenRunLies) {
  const ChainPlace place{"/runs/a/logs/run.log", "sbatch /runs/a/slurm/run.sbatch", false};
  EXPECT_THAT(chain_verdict(3, {12, 0}, {10, 0}, place).why,
              testing::EndsWith("to try them again: sbatch /runs/a/slurm/run.sbatch --retry-failed"));
  EXPECT_THAT(chain_verdict(1, {12, 0}, {10, 0}, place).why,
              HasSubstr("; /runs/a/logs/run.log says why; once that is mended: sbatch /runs/a/slurm/run.sbatch"));
  EXPECT_THAT(chain_verdict(kDrained, {10, 0}, {10, 1}, place).why,
              testing::EndsWith("; then: sbatch /runs/a/slurm/run.sbatch"));
  EXPECT_THAT(chain_verdict(3, {12, 0}, {10, 0}).why, HasSubstr("run it with --retry-failed"));
}

TEST(Chain, OfASweepThatStoppedSaysWhyAndOneRemedy) {
  ChainPlace place{"/runs/a/logs/run.log", "sbatch /runs/a/slurm/run.sbatch", false};
  place.stopped = "the sweep stopped: no such layer";
  place.failed = 3;
  EXPECT_EQ(chain_verdict(1, {12, 0}, {10, 0}, place).why,
            "the run itself broke (exit status 1): the chain ends; the sweep stopped: no such layer; once that is "
            "mended: sbatch /runs/a/slurm/run.sbatch --retry-failed");
}

TEST(Chain, OfARunThatDidNotBeginNamesWhatItsScriptPrinted) {
  ChainPlace place{"/runs/a/logs/run.log", "sbatch /runs/a/slurm/run.sbatch", false};
  place.began = false;
  place.output = "/runs/a/slurm/plume-s-12.out";
  const auto why = chain_verdict(1, {0, 0}, {0, 0}, place).why;
  EXPECT_THAT(why, HasSubstr("could not be started (exit status 1): the chain ends; /runs/a/slurm/plume-s-12.out"));
  EXPECT_THAT(why, testing::Not(HasSubstr("run.log"))) << "there is none";
  EXPECT_THAT(chain_verdict(213, {0, 0}, {0, 0}, place).why, testing::StartsWith("its run did not begin (status 213)"));
}

TEST(Chain, SaysWhichTrainingsMadeWay) {
  const auto why = chain_verdict(kDrained, {10, 2, 0, 0, "1 training(s) made way"}, {10, 0}).why;
  EXPECT_THAT(why, HasSubstr("10 jobs have ended, 0 of them in this allocation, and 1 training(s) made way"));
}

TEST(Chain, OfAnExtractionEndsWithFeaturesAndNotWithResults) {
  EXPECT_EQ(chain_verdict(0, {0, 500}, {0, 0}, {"", "", true}).why,
            "every feature is in the cache: the chain is complete");
}

TEST(Chain, KeepsWhatItSaidForThoseWhoLookAtTheDirectory) {
  const tests::TemporaryFolder folder;
  RunStatus status;
  status.counter = 7;
  status.checkpoints = 1;
  tests::write_text(folder / "status.json", encode(status));
  print_chain(folder.path(), kDrained);
  const auto goes_on = read_chain(folder.path());
  ASSERT_TRUE(goes_on && goes_on->word);
  EXPECT_EQ(goes_on->counter, 7U);
  EXPECT_TRUE(goes_on->word->again);
  EXPECT_EQ(goes_on->word->status, kDrained);
  print_chain(folder.path(), 1);
  const auto ends = read_chain(folder.path());
  EXPECT_FALSE(ends->word->again);
  EXPECT_THAT(ends->word->why, HasSubstr((folder / "logs/run.log").string()));
}

TEST(Chain, KeepsTheWordOfEachClusterWithItsName) {
  const tests::TemporaryFolder folder;
  ChainMemory memory{12, 1, 7, ChainWord{true, kDrained, "drained", 1'700'000'000}};
  memory.word->cluster = "deep";
  write_chain(folder.path(), memory);
  EXPECT_EQ(read_chain(folder.path()), memory);
}

TEST(Chain, KeepsWhyAndNotWhatToTypeWhichTheDirectoryTells) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "slurm/run.sbatch", "#!/bin/bash\n");
  testing::internal::CaptureStdout();
  EXPECT_EQ(print_chain(folder.path(), 127), kChainEnds);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("; once that is mended: sbatch "));
  const auto why = read_chain(folder.path())->word->why;
  EXPECT_THAT(why, testing::EndsWith(" says why"));
}

TEST(Chain, ReadsTheFileOfAVersionThatKeptNoWord) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "chain.json", R"({"version":1,"ended":12,"idle":1,"counter":7})");
  EXPECT_EQ(read_chain(folder.path()), (ChainMemory{12, 1, 7, {}}));
}

TEST(Chain, RemembersInTheDirectoryWhatItSaw) {
  const tests::TemporaryFolder folder;
  EXPECT_EQ(print_chain(folder.path(), kDrained), 0);
  EXPECT_EQ(print_chain(folder.path(), kDrained), kChainEnds);
  EXPECT_EQ(print_chain(folder.path(), 0), 0) << "no run has begun here: the 0 is not believed";
  EXPECT_THAT(read_chain(folder.path())->word->why, testing::StartsWith("the run's exit status is 0, but no run has"));
}

TEST(Chain, TakesWhatTheLastRunSaysOfItselfForProgressOnce) {
  const tests::TemporaryFolder folder;
  RunStatus status;
  status.counter = 7;
  status.checkpoints = 1;
  tests::write_text(folder / "status.json", encode(status));
  EXPECT_EQ(print_chain(folder.path(), kDrained), 0);
  EXPECT_EQ(print_chain(folder.path(), kDrained), 0) << "no run has written since: the first without progress";
  EXPECT_EQ(print_chain(folder.path(), kDrained), kChainEnds);
  status.counter = 9;
  tests::write_text(folder / "status.json", encode(status));
  EXPECT_EQ(print_chain(folder.path(), kDrained), 0);
}

TEST(Chain, TakesADamagedMemoryForAChainThatBegins) {
  const tests::TemporaryFolder folder;
  for (const char* text :
       {"", "{", "[]", R"({"version":2})", R"({"version":1,"ended":-1,"idle":0})",
        R"({"version":1,"ended":0,"idle":99})", R"({"version":1,"ended":0,"idle":0,"said":{"again":1}})"}) {
    tests::write_text(folder / "chain.json", text);
    EXPECT_EQ(print_chain(folder.path(), kDrained), 0) << text;
  }
}

TEST(Chain, OfNoDirectoryIsAMistake) {
  const tests::TemporaryFolder folder;
  EXPECT_THROW(print_chain(folder / "none", kDrained), storage::UsageError);
}

}  // namespace
}  // namespace runner
