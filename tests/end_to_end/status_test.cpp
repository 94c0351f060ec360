// `status` and `explain` of real runs: at work, killed, drained, complete, copied to where nothing may be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/end_to_end/looks.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(Look, AtARunAtWorkShowsItsWorkerJobAndSpeedAndTakesNoLock) {
  const TinySweep sweep(kEndless);
  Running run(sweep.command(), sweep.folder());
  ASSERT_TRUE(shows(run, sweep.out(), trains));
  const auto now = document(sweep.out());
  EXPECT_EQ(now["life"], "working");
  EXPECT_EQ(now["jobs"]["running"], 1);
  EXPECT_EQ(now["jobs"]["left"], 3);
  EXPECT_EQ(now["status"]["pid"], run.pid());
  EXPECT_GT(now["status"]["workers"][0]["task"]["epoch_seconds"].get<double>(), 0);
  const auto key = now["status"]["workers"][0]["task"]["key"].get<std::string>();
  const auto screen = status(sweep.out());
  EXPECT_EQ(screen.status, 0);
  EXPECT_THAT(screen.output, AllOf(HasSubstr("training | at work for"), HasSubstr("0 of 4 jobs done, 1 running"),
                                   HasSubstr(key.substr(0, 8)), HasSubstr("/100000")));
  EXPECT_THAT(explain(sweep.out(), key.substr(0, 6)).output,
              AllOf(HasSubstr("running: worker 1 ("), HasSubstr("of 100000 epochs"), HasSubstr("under way")));
  EXPECT_THAT(sweep.log(), ContainsRegex("worker 1 starts .* \\[" + key.substr(0, 8) + "\\] \\(attempt 1\\)"));
  run.interrupt_twice();
  EXPECT_EQ(run.wait().status, 4) << "it was looked at, and went on";
}

TEST_F(Look, AtAKilledRunSaysSoAtOnceThatTheTryWasInterruptedAndHowToGoOn) {
  const TinySweep sweep(kEndless);
  Running run(sweep.command(), sweep.folder());
  ASSERT_TRUE(shows(run, sweep.out(), trains));
  const auto key = document(sweep.out())["status"]["workers"][0]["task"]["key"].get<std::string>();
  run.signal(SIGKILL);
  run.wait();
  const auto screen = status(sweep.out());
  EXPECT_EQ(screen.status, 0);
  EXPECT_THAT(screen.output, AllOf(HasSubstr(": died: no sign of life for"), HasSubstr("the same command goes on:"),
                                   HasSubstr("was at"), HasSubstr("0 of 4 jobs done, 0 failed, 4 left")));
  EXPECT_THAT(explain(sweep.out(), key).output, AllOf(HasSubstr("interrupted: attempt 1 on worker 1"),
                                                      HasSubstr("go on with it: "), HasSubstr("--out out")));
}

TEST_F(Look, AtADrainedRunThenAtTheCompleteOne) {
  const TinySweep sweep(SweepShape{2, 150});
  Running run(sweep.command(), sweep.folder());
  ASSERT_TRUE(run.until([&] { return sweep.committed() >= 1; }));
  run.signal(SIGUSR1);
  ASSERT_EQ(run.wait().status, 4);
  const auto drained = document(sweep.out());
  EXPECT_EQ(drained["life"], "ended");
  EXPECT_EQ(drained["status"]["exit_status"], 4);
  EXPECT_EQ(drained["status"]["committed"], sweep.committed());
  EXPECT_EQ(drained["jobs"]["left"], 4 - sweep.committed());
  EXPECT_THAT(status(sweep.out()).output,
              AllOf(HasSubstr(": drained "), HasSubstr("the same command goes on with what is left")));
  const auto before = drained["status"]["counter"].get<int>();
  ASSERT_EQ(sweep.run().status, 0);
  const auto complete = document(sweep.out());
  EXPECT_EQ(complete["jobs"]["done"], 4);
  EXPECT_EQ(
      complete["status"]["jobs"]["before"].get<std::size_t>() + complete["status"]["committed"].get<std::size_t>(), 4U);
  EXPECT_GT(complete["status"]["counter"].get<int>(), before);
  EXPECT_THAT(status(sweep.out()).output,
              AllOf(HasSubstr(": complete; "), HasSubstr("4 of 4 jobs done"), Not(HasSubstr("explain"))));
  EXPECT_EQ(explain(sweep.out(), "tiny/linear-map + full/ring").output,
            "tiny/linear-map + full/ring: complete: 2 of 2 jobs done\n");
  ASSERT_THAT(sweep.table(), HasSubstr("| linear-map + full (untrained) |"));
  EXPECT_EQ(explain(sweep.out(), "tiny/linear-map + full (untrained)/ring").status, 0) << "as its table prints it";
}

TEST_F(Look, AtACopyOnAnotherMachineWhereNothingMayBeWrittenTellsTheSame) {
  const TinySweep sweep;
  ASSERT_EQ(sweep.run({"--only", "class=ring"}).status, 0);
  const auto copy = from_ / "copy";
  fs::copy(sweep.out(), copy, fs::copy_options::recursive);
  for (const auto& entry : fs::recursive_directory_iterator(copy)) {
    fs::permissions(entry.path(), entry.is_directory() ? fs::perms(0555) : fs::perms(0444));
  }
  fs::permissions(copy, fs::perms(0555));
  const auto before = fs::last_write_time(copy);
  EXPECT_THAT(status(copy).output, AllOf(HasSubstr("did all that was asked"), HasSubstr("2 of 2 jobs done"),
                                         HasSubstr("run with --only class=ring; 2 other jobs")));
  EXPECT_THAT(
      explain(copy, "tiny/linear-map + full/cross").output,
      AllOf(HasSubstr("0 of 2 jobs done; missing:\n  2 jobs: left out: the last run was told --only class=ring\n"),
            HasSubstr("the same command without --only runs it\n")));
  EXPECT_EQ(fs::last_write_time(copy), before);
  for (const auto& entry : fs::recursive_directory_iterator(copy)) fs::permissions(entry.path(), fs::perms(0755));
  fs::permissions(copy, fs::perms(0755));
}

TEST_F(Look, AtAFailedJobTellsEveryTryWhoPaidAndWhatToType) {
  const TinySweep sweep;
  ASSERT_EQ(sweep.run({}, {fault("throw@class=ring,seed=0")}).status, 3);
  const auto now = document(sweep.out());
  ASSERT_EQ(now["failures"].size(), 1U) << "a row for a job, not for each try";
  EXPECT_EQ(now["failures"][0]["final"], true);
  EXPECT_EQ(now["failures"][0]["tries"], 2);
  EXPECT_EQ(now["status"]["faults"], "throw@class=ring,seed=0");
  EXPECT_EQ(now["status"]["failed"], 1);
  const auto key = now["failures"][0]["key"].get<std::string>();
  const auto told = explain(sweep.out(), "synthetic/ring linear-map + full seed 0").output;
  EXPECT_THAT(told, AllOf(HasSubstr("key " + key), HasSubstr("failed: given up at attempt 2: exception: "),
                          ContainsRegex("attempt 1, begun .* on worker 1 .*counted as a try of the job's own"),
                          testing::EndsWith(" --retry-failed\n")));
  // Its whole story in the log.
  std::size_t lines = 0;
  const auto log = sweep.log();
  for (auto at = log.find(key.substr(0, 8) + "]"); at != std::string::npos;
       at = log.find(key.substr(0, 8) + "]", at + 1))
    ++lines;
  EXPECT_EQ(lines, 4U) << "two begun, one tried again, one given up: " << log;
  EXPECT_THAT(status(sweep.out()).output,
              AllOf(HasSubstr("1 job(s) failed"), HasSubstr("given up"), HasSubstr("--retry-failed"),
                    HasSubstr("a rehearsal, failures are deliberate: PLUME_FAULT=throw@class=ring,seed=0"),
                    HasSubstr("explain " + sweep.out().string() + " " + key.substr(0, 8))));
}

/// Its worker is heard all the while.
TEST_F(Look, AtATrainerThatHangsSaysForHowLongItHasMadeNoStep) {
  const TinySweep sweep;
  Running run(sweep.command({"--hang-deadline", "40"}), sweep.folder(), {fault("hang@epoch=0")});
  ASSERT_TRUE(run.until([&] { return status(sweep.out()).output.find("no step for ") != std::string::npos; }));
  const auto screen = status(sweep.out()).output;
  EXPECT_THAT(screen, AllOf(HasSubstr(", killed at 40 s: "), HasSubstr("1 running"), Not(HasSubstr("0 s left"))));
  const auto now = document(sweep.out());
  EXPECT_EQ(now["status"]["workers"][0]["task"]["still"]["allowed"], 40);
  run.interrupt_twice();
  run.wait();
}

TEST_F(Look, AtARunThatBrokeSaysWhy) {
  const TinySweep sweep;
  ASSERT_EQ(sweep.run({}, {fault("throw")}).status, 1);
  EXPECT_THAT(status(sweep.out()).output,
              AllOf(HasSubstr(": broke "), HasSubstr("because: the sweep stopped: the first 3 trainings")));
}

TEST_F(Look, AtDamagedFilesNamesThemShowsTheRestAndEndsWithStatus1) {
  const TinySweep sweep;
  ASSERT_EQ(sweep.run().status, 0);
  const auto text = read_text(sweep.out() / "status.json");
  write_text(sweep.out() / "status.json", text.substr(0, text.size() / 2));
  const auto looked = status(sweep.out());
  EXPECT_EQ(looked.status, 1);
  EXPECT_THAT(looked.output, AllOf(HasSubstr("status.json: "), HasSubstr("4 of 4 jobs done")));
}

TEST_F(Look, WhereNothingHasRunYetOrThereIsNothing) {
  fs::create_directory(from_ / "empty");
  const auto empty = status(from_ / "empty");
  EXPECT_EQ(empty.status, 0);
  EXPECT_THAT(empty.output, HasSubstr("nothing has run here yet"));
  const auto none = status(from_ / "none");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.errors, AllOf(StartsWith("plume-bench: "), HasSubstr("none: no such directory; give the --out")));
  EXPECT_EQ(look({"status"}).status, 2);
  EXPECT_EQ(explain(from_ / "empty", "abcdef").status, 2);
}

TEST_F(Look, IntoAFolderOfSomethingElseIsRefused) {
  fs::create_directory(from_ / "pictures");
  write_text(from_ / "pictures" / "cat.txt", "a cat");
  for (const auto& refused : {status(from_ / "pictures"), explain(from_ / "pictures", "abcdef")}) {
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.errors,
                AllOf(HasSubstr("pictures: nothing of a run is in it"), HasSubstr("give the --out of")));
  }
}

}  // namespace
}  // namespace tests
