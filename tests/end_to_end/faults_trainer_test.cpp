// What befalls trainers, and what becomes of their jobs: each row of the failure table with the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "tests/end_to_end/memory_limits.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/end_to_end/tiny_sweep.hpp"

namespace tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kNoInfrastructureRetries{"--infrastructure-retries", "0"};

/// A fault for each of the four trainings of a tiny sweep of two seeds.
struct Expected {
  const char* fault;
  const char* where;
  const char* cause;
  const char* message;
};
constexpr Expected kBeforeTheFirstStep[] = {
    {"throw", "class=ring,seed=0", "exception", "an exception on request (PLUME_FAULT)"},
    {"bad-alloc", "class=cross,seed=0", "out-of-memory", "std::bad_alloc"},
    {"device-oom", "class=ring,seed=1", "device-out-of-memory", "CUDA out of memory. Tried to allocate 1.00 GiB"},
    {"exit", "class=cross,seed=1", "exited", "status 1"},
};
constexpr Expected kAfterAnEpoch[] = {
    {"segv", "class=ring,seed=0", "signal", "SIGSEGV"},
    {"kill", "class=cross,seed=0", "signal", "SIGKILL"},
    {"throw", "class=ring,seed=1", "exception", "an exception on request (PLUME_FAULT)"},
    {"hang", "class=cross,seed=1", "hung", "no step in "},  // how long it may depends on what came before
};

std::string faults_of(const Expected (&all)[4], const std::string& more) {
  std::string text;
  for (const Expected& one : all) text += (text.empty() ? "" : ";") + std::string(one.fault) + "@" + one.where + more;
  return fault(text);
}

/// A line for each expected cause, in any order; each on one line, with the expected words.
void expect_causes(const std::vector<JournalLine>& lines, const Expected (&all)[4], int attempt) {
  ASSERT_EQ(lines.size(), 4U);
  for (const Expected& one : all) {
    const auto is_it = [&](const JournalLine& line) {
      return line.cause == one.cause && line.message.find(one.message) != std::string::npos;
    };
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(), is_it), 1) << one.fault;
  }
  for (const JournalLine& line : lines) {
    EXPECT_EQ(line.attempt, attempt);
    EXPECT_THAT(line.message, Not(HasSubstr("\n")));
  }
}

TEST(TrainerFault, WithoutRetriesLeavesAFailedJobThatSaysWhyUntilRetryFailed) {
  const TinySweep sweep;
  undisturbed_table();

  const auto failed =
      sweep.run({"--job-retries", "0", "--infrastructure-retries", "0"}, {faults_of(kBeforeTheFirstStep, "")});

  EXPECT_EQ(failed.status, 3) << failed.errors;
  expect_causes(sweep.journal("failed"), kBeforeTheFirstStep, 1);
  EXPECT_TRUE(sweep.journal("attempt").empty());
  EXPECT_THAT(failed.errors, HasSubstr("4 job(s) failed (see out/logs/run.log); --retry-failed runs them again"));
  EXPECT_THAT(failed.output, HasSubstr("4 failed"));
  for (const Expected& one : kBeforeTheFirstStep) {
    EXPECT_THAT(sweep.log(), testing::ContainsRegex("failed at attempt 1: " + std::string(one.cause) + ": "));
  }
  EXPECT_EQ(sweep.run().status, 3) << "a failed job is not run again unasked";
  EXPECT_EQ(sweep.journal().size(), 4U);

  const auto again = sweep.run({"--retry-failed"});
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(sweep.table(), undisturbed_table());
}

TEST(TrainerFault, CostsOneOfTheJobsOwnRetriesAndNoneOfTheInfrastructures) {
  const TinySweep sweep;
  undisturbed_table();

  auto flags = kNoInfrastructureRetries;
  flags.insert(flags.end(), {"--job-retries", "1", "--hang-deadline", "1"});
  const auto ended = sweep.run(flags, {faults_of(kAfterAnEpoch, ",attempt=1,epoch=0")});

  EXPECT_EQ(ended.status, 0) << ended.errors;
  expect_causes(sweep.journal("attempt"), kAfterAnEpoch, 1);
  for (const JournalLine& line : sweep.journal("done")) EXPECT_EQ(line.attempt, 2);
  EXPECT_EQ(sweep.committed(), 4U);
  EXPECT_THAT(sweep.log(), testing::ContainsRegex(
                               "attempt 1 on worker 1 .* ended without a result: signal: trainer killed by SIGSEGV"));
  EXPECT_EQ(sweep.table(), undisturbed_table()) << "faults change no numbers";
}

TEST(TrainerFault, OnRequestIsSaidOnceAndKeptInTheLog) {
  const TinySweep sweep;
  const auto ended = sweep.run({"--only", "seed=0"}, {fault("segv@seed=7")});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  const std::string line = "PLUME_FAULT is set: \"segv@seed=7\": trainers fail on request";
  EXPECT_THAT(ended.errors, HasSubstr(line));
  EXPECT_EQ(ended.errors.find(line), ended.errors.rfind(line));
  EXPECT_THAT(sweep.log(), HasSubstr(line));
}

TEST(TrainerFault, ThatIsMistypedIsRefusedBeforeAnythingRuns) {
  const TinySweep sweep;
  const auto ended = sweep.run({}, {fault("segv@epoc=1")});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(last_line_of(ended), AllOf(HasSubstr("PLUME_FAULT"), HasSubstr("epoc"), HasSubstr("\"epoch\"")));
  EXPECT_FALSE(std::filesystem::exists(sweep.out()));
}

/// Trainings that go on until they are disturbed, and the trainer that is at one.
class AtWork : public testing::Test {
 protected:
  /// Waits until an epoch of the first training was reported; --only shows epochs.
  pid_t trainer_of(Running& run) {
    const auto reported = [&] {
      return read_text(sweep_.folder() / "stderr.txt").find(" epoch 0: ") != std::string::npos;
    };
    if (!run.until(reported)) return 0;
    const auto children = children_of(run.pid());
    return children.size() == 1 ? children.front() : 0;
  }
  const TinySweep sweep_{{.seeds = 1, .epochs = 3000}};
};

class Struck : public AtWork, public testing::WithParamInterface<int> {};

TEST_P(Struck, ByASignalIsReplacedAndTheJobIsTriedAgain) {
  Running run(sweep_.command({"--only", "class=ring", "--infrastructure-retries", "0"}), sweep_.folder());
  const pid_t trainer = trainer_of(run);
  ASSERT_GT(trainer, 0);
  kill(trainer, GetParam());
  ASSERT_TRUE(run.until([&] { return !sweep_.journal("attempt").empty(); }));
  const auto attempt = sweep_.journal("attempt").front();
  EXPECT_EQ(attempt.cause, "signal");
  EXPECT_THAT(attempt.message,
              HasSubstr(GetParam() == SIGKILL ? "trainer killed by SIGKILL" : "trainer killed by SIGSEGV"));
  ASSERT_TRUE(run.until([&] { return sweep_.log().find("(attempt 2)") != std::string::npos; }));
  EXPECT_THAT(children_of(run.pid()), Not(testing::Contains(trainer))) << "reaped";
}

INSTANTIATE_TEST_SUITE_P(Real, Struck, testing::Values(SIGKILL, SIGSEGV));

TEST_F(AtWork, StoppedForGoodIsHungAndKilled) {
  Running run(sweep_.command({"--only", "class=ring", "--job-retries", "0", "--hang-deadline", "1"}), sweep_.folder());
  const pid_t trainer = trainer_of(run);
  ASSERT_GT(trainer, 0);
  kill(trainer, SIGSTOP);
  const auto ended = run.wait();
  EXPECT_EQ(ended.status, 3) << ended.errors;
  const auto failed = sweep_.journal("failed");
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].cause, "hung");
  EXPECT_THAT(failed[0].message, AllOf(HasSubstr("trainer killed: no step in"), HasSubstr("with a median of")));
  EXPECT_NE(kill(trainer, 0), 0) << "nothing is left of it";
}

TEST(Memory, ThatTheHostRefusesIsOutOfMemory) {
  const TinySweep small;
  const auto peak = peak_of_processes(small, "VmPeak:");
  const TinySweep large({.seeds = 1, .epochs = 1, .dimension = 3072});
  auto command = large.command({"--only", "class=ring", "--infrastructure-retries", "0"});
  command.insert(command.begin(), {"prlimit", "--as=" + std::to_string(peak + (std::int64_t{256} << 20))});

  const auto ended = Running(command, large.folder()).wait();

  EXPECT_EQ(ended.status, 3) << ended.errors;
  ASSERT_EQ(large.journal("attempt").size(), 1U) << "tried once more, at the job's expense";
  ASSERT_EQ(large.journal("failed").size(), 1U);
  for (const JournalLine& line : large.journal()) {
    EXPECT_EQ(line.cause, "out-of-memory");
    EXPECT_THAT(line.message, testing::AnyOf(HasSubstr("can't allocate memory"), HasSubstr("std::bad_alloc")));
  }
}

TEST(Memory, ThatTheKernelTakesAwayIsOutOfMemoryToo) {
  const MemoryGroup group(std::int64_t{512} << 20);
  if (!group.why_not().empty()) GTEST_SKIP() << "no memory cgroup can be made here: " << group.why_not();
  const TinySweep sweep({.seeds = 1, .epochs = 1, .dimension = 3072});
  auto command = group.inside(sweep.command({"--only", "class=ring", "--infrastructure-retries", "0"}));

  const auto ended = Running(command, sweep.folder()).wait();

  EXPECT_EQ(ended.status, 3) << ended.errors;
  ASSERT_EQ(sweep.journal("attempt").size(), 1U);
  ASSERT_EQ(sweep.journal("failed").size(), 1U);
  for (const JournalLine& line : sweep.journal()) {
    EXPECT_EQ(line.cause, "out-of-memory");
    EXPECT_THAT(line.message, HasSubstr("trainer killed by the kernel's out of memory killer"));
  }
}

TEST(SameErrorEverywhere, StopsTheSweepSaysWhyAndRetryFailedMendsIt) {
  const TinySweep sweep;
  undisturbed_table();

  const auto stopped = sweep.run({"--workers", "2"}, {fault("throw")});

  EXPECT_EQ(stopped.status, 1);
  EXPECT_THAT(
      last_line_of(stopped),
      AllOf(HasSubstr("the sweep stopped: the first 3 trainings that ended all failed with the same error: exception: "
                      "an exception on request (PLUME_FAULT)"),
            HasSubstr("--retry-failed")));
  EXPECT_EQ(sweep.journal("failed").size(), 3U) << "the fourth was spared";
  EXPECT_GE(sweep.journal("attempt").size(), 3U) << "each was tried twice";
  const auto mended = sweep.run({"--retry-failed"});
  EXPECT_EQ(mended.status, 0) << mended.errors;
  EXPECT_EQ(sweep.table(), undisturbed_table());
}

TEST(Divergence, IsAResultThatIsCommittedShownAndNotTriedAgain) {
  const TinySweep sweep({.epochs = 4, .lr = "1e6"});

  const auto ended = sweep.run({"--job-retries", "0"});

  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(sweep.committed(), 4U);
  EXPECT_EQ(sweep.journal().size(), 4U) << "nothing was tried twice";
  EXPECT_THAT(ended.output, HasSubstr("diverged 2/2"));
  EXPECT_THAT(sweep.log(), HasSubstr("diverged at epoch 0 (a loss or a score stopped being finite)"));
  const auto again = sweep.run();
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.output, ended.output);
  EXPECT_EQ(sweep.committed(), 4U);
}

}  // namespace
}  // namespace tests
