// Runs that must end in time, and runs that are only rehearsed, with the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>

#include "storage/json.hpp"
#include "tests/end_to_end/tiny_sweep.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Two classes, and of each `seeds` trainings of 2 epochs and as many of `long_epochs`.
class MixedSweep : public TinySweep {
 public:
  MixedSweep(int seeds, int long_epochs) : TinySweep({seeds}) {
    auto text = read_text(folder() / "sweep.json");
    const std::string brief = "\"epochs\": 2";
    text.replace(text.find(brief), brief.size(), "\"epochs\": [2, " + std::to_string(long_epochs) + "]");
    write_text(folder() / "sweep.json", text);
  }
  /// Seconds that the longest committed training took.
  double longest_seconds() const {
    double longest = 0;
    const auto text = read_text(out() / "journal.jsonl");
    const std::string key = "\"wall_seconds\":";
    for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
      longest = std::max(longest, std::stod(text.substr(at + key.size())));
    }
    return longest;
  }
};

constexpr int kLong = 400;  // a second or so

/// So that tasks may run for `seconds`: a deadline far away, and a margin that is nearly all of it.
std::vector<std::string> with_time_for_tasks(double seconds) {
  return {"--deadline", "1h", "--deadline-margin", std::to_string(3600 - seconds)};
}

TEST(Deadline, WhatFitsIsDoneTheRestIsLeftAndTheNextRunFinishesIt) {
  const MixedSweep sweep(1, kLong), undisturbed(1, kLong);
  ASSERT_EQ(undisturbed.run().status, 0);
  ASSERT_EQ(sweep.run({"--only", "epochs=400,class=ring"}).status, 0);
  auto flags = with_time_for_tasks(0.6 * sweep.longest_seconds());
  flags.insert(flags.end(), {"--workers", "2"});  // each begins with a short one
  const auto ended = sweep.run(flags);
  EXPECT_EQ(ended.status, 4);
  EXPECT_EQ(sweep.committed(), 3U) << "two short trainings besides the long one: " << ended.errors;
  EXPECT_THAT(
      last_line_of(ended),
      AllOf(HasSubstr("drained: --deadline 1h ends at "), HasSubstr(" kept free), and the shortest job left takes "),
            HasSubstr("(more than the "),
            HasSubstr(" that this run had: give it more time, or checkpoints with --checkpoint-every, or it never "
                      "runs); 1 of 4 jobs are left; the same")));
  EXPECT_TRUE(sweep.journal("attempt").empty()) << "nothing was begun in vain";
  EXPECT_EQ(sweep.run().status, 0);
  EXPECT_EQ(sweep.table(), undisturbed.table());
}

TEST(Deadline, WhatNobodyHasTimedIsBegunAndMakesWayWhenTimeIsOver) {
  const TinySweep sweep({1, 100'000});
  const auto start = std::chrono::steady_clock::now();
  const auto ended = sweep.run({"--deadline", "6", "--deadline-margin", "3"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_EQ(ended.status, 4);
  EXPECT_THAT(ended.errors, HasSubstr("draining: --deadline 6 ends by "));
  EXPECT_THAT(last_line_of(ended), HasSubstr("drained: 2 of 2 jobs are left"));
  ASSERT_EQ(sweep.journal("attempt").size(), 1U);
  EXPECT_EQ(sweep.journal("attempt").front().cause, "drained") << "with a checkpoint";
}

bool is_training(const TinySweep& sweep) {
  const auto journal = sweep.out() / "journal.jsonl";
  return fs::exists(journal) && read_text(journal).find(R"("type":"start")") != std::string::npos;
}

TEST(Deadline, OfASignalIsThatOfWhoeverSentIt) {
  const TinySweep sweep({1, 100'000});
  auto command = sweep.command({"--deadline", "1h", "--drain-within", "5"});
  Running run(command, sweep.folder());
  ASSERT_TRUE(run.until([&] { return is_training(sweep); })) << sweep.log();
  const auto start = std::chrono::steady_clock::now();
  run.signal(SIGUSR1);
  const auto ended = run.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30)) << "there was an hour for it, else";
  EXPECT_EQ(ended.status, 4);
  ASSERT_EQ(sweep.journal("attempt").size(), 1U);
  EXPECT_EQ(sweep.journal("attempt").front().cause, "drained") << "with a checkpoint";
}

/// What Slurm sends to every process, and what a script sends that is told to end.
class DeadlineOfAnEnd : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Signals, DeadlineOfAnEnd, testing::Values(SIGTERM, SIGUSR2),
                         [](const auto& number) { return number.param == SIGTERM ? "Sigterm" : "Sigusr2"; });

TEST_P(DeadlineOfAnEnd, ComesBeforeThatOfADrainWhereBothAreSaid) {
  const TinySweep sweep({1, 100'000});
  auto command = sweep.command({"--drain-within", "3600", "--end-within", "5"});
  Running run(command, sweep.folder());
  ASSERT_TRUE(run.until([&] { return is_training(sweep); })) << sweep.log();
  run.signal(SIGUSR1);
  ASSERT_TRUE(run.until([&] { return sweep.log().find("draining: ") != std::string::npos; })) << sweep.log();
  const auto start = std::chrono::steady_clock::now();
  run.signal(GetParam());
  const auto ended = run.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30)) << "an hour, else";
  EXPECT_EQ(ended.status, 4);
  ASSERT_EQ(sweep.journal("attempt").size(), 1U);
  EXPECT_EQ(sweep.journal("attempt").front().cause, "drained") << "with a checkpoint";
}

TEST(Deadline, WhatMakesNoWayIsGivenUpWhenTimeIsOver) {
  const TinySweep sweep({1, 100'000});
  const auto start = std::chrono::steady_clock::now();
  const auto ended = sweep.run({"--deadline", "4", "--deadline-margin", "1", "--checkpoint-every", "0"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_EQ(ended.status, 4);
  EXPECT_THAT(last_line_of(ended), HasSubstr("stopped, running jobs were given up: 2 of 2 jobs are left"));
  EXPECT_EQ(read_text(sweep.out() / "exit_status"), "4\n");
}

TEST(Deadline, ThatIsNoTimeIsRefusedBeforeAnythingIsWritten) {
  const TinySweep sweep;
  const auto ended = sweep.run({"--deadline", "soon"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(last_line_of(ended), HasSubstr("--deadline: expected seconds from now"));
  EXPECT_FALSE(fs::exists(sweep.out()));
}

/// A squeue on the PATH before any other.
std::vector<std::string> in_an_allocation(const TinySweep& sweep, const std::string& squeue) {
  const auto script = sweep.folder() / "bin/squeue";
  write_text(script, "#!/bin/sh\n" + squeue + "\n");
  chmod(script.c_str(), 0755);
  return {"SLURM_JOB_ID=7", "PATH=" + (sweep.folder() / "bin").string() + ":" + getenv("PATH")};
}

TEST(Allocation, ItsEndIsAskedOfSqueueOnce) {
  const TinySweep sweep;
  const auto ended =
      sweep.run({}, in_an_allocation(sweep,
                                     "echo \"$TZ $SLURM_TIME_FORMAT $*\" >> asked; echo $(($(date +%s) + 7200)) "
                                     "2:00:00"));
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(read_text(sweep.folder() / "asked"), "UTC %s --noheader --jobs 7 --format %e %L\n");
  EXPECT_THAT(ended.errors, HasSubstr("the allocation: this run ends by "));
  EXPECT_THAT(sweep.log(), HasSubstr("what cannot end 60 s before is not started"));
}

TEST(Allocation, WithoutAnEndAndOneThatNobodyKnowsAreRunAsLongAsTheyLast) {
  const TinySweep unlimited, broken;
  const auto ended = unlimited.run({}, in_an_allocation(unlimited, "echo NONE UNLIMITED"));
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.errors, Not(HasSubstr("allocation")));
  const auto unknown =
      broken.run({}, in_an_allocation(broken, "echo 'Unable to contact slurm controller' >&2; exit 1"));
  EXPECT_EQ(unknown.status, 0);
  EXPECT_THAT(unknown.errors,
              HasSubstr("nobody says when Slurm job 7 ends: squeue ended with status 1: Unable to contact "
                        "slurm controller; --deadline does"));
}

// ---- rehearsals
// --------------------------------------------------------------------------------------------------------------

/// Every file below a folder with its time of change, but for what the program printed.
std::map<std::string, fs::file_time_type> files_of(const fs::path& folder) {
  std::map<std::string, fs::file_time_type> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) files[entry.path()] = entry.last_write_time();
  for (const char* printed : {"stdout.txt", "stderr.txt"}) files.erase(folder / printed);
  return files;
}

TEST(DryRun, WritesNothingAndSaysWhatTheRunThenDoes) {
  const MixedSweep sweep(2, 3);
  const std::vector<std::string> some = {"--only", "seed=0", "--share", "1/2"};
  auto dry = some;
  dry.emplace_back("--dry-run");
  const auto before = files_of(sweep.folder());
  const auto told = sweep.run(dry);
  EXPECT_EQ(told.status, 0) << told.errors;
  EXPECT_EQ(files_of(sweep.folder()), before);
  EXPECT_THAT(told.output, HasSubstr("  this run: 2 jobs (--only seed=0, --share 1/2), 2 to run\n"));
  EXPECT_EQ(sweep.run(some).status, 0);
  EXPECT_EQ(sweep.committed(), 2U);
  const auto done = files_of(sweep.folder());
  const auto again = sweep.run({"--share", "1/2", "--dry-run"});
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(files_of(sweep.folder()), done);
  EXPECT_THAT(again.output,
              AllOf(HasSubstr("8 distinct jobs out of 8 named, 2 done, 6 to run\n"),
                    HasSubstr("  the cache holds every feature\n"), HasSubstr(", from 2 jobs that ran on CPUs")));
}

/// The same refusal, with the same exit status, of a rehearsal and of a run.
void expect_both_refuse(const TinySweep& sweep, const std::vector<std::string>& flags, const std::string& why) {
  auto dry = flags;
  dry.emplace_back("--dry-run");
  const auto rehearsed = sweep.run(dry), run = sweep.run(flags);
  EXPECT_EQ(rehearsed.status, run.status) << rehearsed.errors << run.errors;
  EXPECT_NE(run.status, 0);
  EXPECT_EQ(last_line_of(rehearsed), last_line_of(run));
  EXPECT_THAT(last_line_of(run), HasSubstr(why));
}

TEST(DryRun, RefusesWhatARunRefuses) {
  const TinySweep sweep;
  write_text(sweep.folder() / "file", "");
  expect_both_refuse(sweep, {"--data", "cifar10=/nowhere"}, "the sweep names no data set \"cifar10\"");
  expect_both_refuse(sweep, {"--weights", "resnet50=/nowhere", "--only", "seed=77"}, "seed");
  expect_both_refuse(sweep, {"--cache", "file"}, "the feature cache cannot be made here");
  expect_both_refuse(sweep, {"--workers", "1", "--threads", "1000"}, "--threads");
  expect_both_refuse(sweep, {"--deadline", "yesterday"}, "--deadline");
}

TEST(DryRun, RefusesADamagedJournalAndADirectoryThatIsInUse) {
  const TinySweep sweep({4, 2});
  ASSERT_EQ(sweep.run().status, 0);
  auto journal = read_text(sweep.out() / "journal.jsonl");
  journal[journal.size() / 2] ^= 1;
  write_text(sweep.out() / "journal.jsonl", journal);
  expect_both_refuse(sweep, {}, "plume-bench repair");

  const TinySweep busy({2, 100'000});
  Running at_work(busy.command(), busy.folder());
  ASSERT_TRUE(at_work.until([&] { return busy.log().find(" starts ") != std::string::npos; }));
  expect_both_refuse(busy, {}, "another run works on this directory");
}

}  // namespace
}  // namespace tests
