// The parts that a supervisor judges with: time awake, signs of life, what an end means, the kernel's count, one-line
// texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/temporary_folder.hpp"
#include "workers/awake_clock.hpp"
#include "workers/end_of_trainer.hpp"
#include "workers/one_line.hpp"
#include "workers/oom_counter.hpp"
#include "workers/progress_watch.hpp"

namespace workers {
namespace {

using testing::HasSubstr;

TEST(AwakeClock, DoesNotCountTheTimeInWhichTheProcessWasStopped) {
  Seconds reading{100};
  AwakeClock clock([&] { return reading; });
  std::vector<double> seen;
  for (const double now : {100.0, 101.0, 102.0, 3702.0, 3703.0, 3600.0, 3601.0}) {
    reading = Seconds(now);
    seen.push_back(clock.now().count());
  }
  EXPECT_EQ(seen, (std::vector<double>{0, 1, 2, 12, 13, 13, 14}));
}

TEST(ProgressWatch, AllowsTheLoadDeadlineUntilTheFirstMovement) {
  SupervisorOptions options;
  options.load_deadline = Seconds(900);
  const ProgressWatch watch(options, Seconds(50));
  EXPECT_EQ(watch.overdue(Seconds(950)), std::nullopt);
  EXPECT_THAT(watch.overdue(Seconds(951)).value(), HasSubstr("900 s"));
}

TEST(ProgressWatch, AllowsAMultipleOfTheMedianStepOnceItMoves) {
  SupervisorOptions options;
  options.hang_floor = Seconds(60);
  options.hang_factor = 50;
  ProgressWatch watch(options, Seconds(0));
  for (const double now : {500, 504, 508, 508, 512, 700}) {  // gaps 4 4 0 4 188: median 4
    watch.moved(Seconds(now));
  }
  EXPECT_EQ(watch.overdue(Seconds(900)), std::nullopt);
  EXPECT_THAT(watch.overdue(Seconds(901)).value(), HasSubstr("no step in 200 s, with a median of 4 s"));
}

TEST(ProgressWatch, AllowsTheSecondStepFiveTimesWhatCameBeforeTheFirst) {
  SupervisorOptions options;
  options.hang_floor = Seconds(60);
  options.load_deadline = Seconds(900);
  ProgressWatch watch(options, Seconds(0));
  watch.moved(Seconds(100));  // a batch of large images through a large network, on a busy machine
  EXPECT_EQ(watch.overdue(Seconds(600)), std::nullopt);
  EXPECT_THAT(watch.overdue(Seconds(601)).value(), HasSubstr("no step in 500 s; the first came after 100 s"));
  watch.moved(Seconds(200));
  EXPECT_EQ(watch.overdue(Seconds(5200)), std::nullopt) << "from then on by the gaps";
}

TEST(ProgressWatch, AllowsTheSecondStepNeitherLessThanTheFloorNorMoreThanTheLoadDeadline) {
  SupervisorOptions options;
  options.hang_floor = Seconds(60);
  options.load_deadline = Seconds(900);
  ProgressWatch quick(options, Seconds(0));
  quick.moved(Seconds(1));
  EXPECT_EQ(quick.overdue(Seconds(61)), std::nullopt);
  EXPECT_TRUE(quick.overdue(Seconds(62)).has_value());
  ProgressWatch slow(options, Seconds(0));
  slow.moved(Seconds(800));
  EXPECT_TRUE(slow.overdue(Seconds(1701)).has_value());
}

TEST(ProgressWatch, NeverAllowsLessThanTheFloor) {
  SupervisorOptions options;
  options.hang_floor = Seconds(60);
  ProgressWatch watch(options, Seconds(0));
  for (int step = 0; step < 5; ++step) {
    watch.moved(Seconds(0.1 * step));
  }
  EXPECT_EQ(watch.overdue(Seconds(60.4)), std::nullopt);
  EXPECT_TRUE(watch.overdue(Seconds(60.5)).has_value());
}

TEST(EndOfTrainer, IsNamedByItsSignalStatusAndLastWords) {
  const auto told = [](ProcessEnd end, bool ready, bool oom, const std::string& words) {
    const Diagnosis diagnosis = diagnose({end, ready, oom, words});
    return std::string(name_of(diagnosis.cause)) + ": " + diagnosis.message;
  };
  const auto name = [](Cause cause) { return std::string(name_of(cause)); };
  EXPECT_EQ(told({SIGSEGV, 0}, true, false, ""),
            name(Cause::signal) + ": trainer killed by SIGSEGV (Segmentation fault)");
  EXPECT_EQ(told({SIGKILL, 0}, true, false, ""),
            name(Cause::signal) + ": trainer killed by SIGKILL (out of memory killer or somebody's kill)");
  EXPECT_EQ(told({SIGKILL, 0}, true, true, ""),
            name(Cause::out_of_memory) + ": trainer killed by the kernel's out of memory killer");
  EXPECT_EQ(told({SIGSEGV, 0}, true, true, ""),
            name(Cause::signal) + ": trainer killed by SIGSEGV (Segmentation fault)");
  EXPECT_EQ(told({0, 3}, true, false, "no disk"),
            name(Cause::exited) + ": trainer ended by itself with status 3; its last words: no disk");
  EXPECT_EQ(told({0, 127}, false, false, ""),
            name(Cause::start_failed) + ": trainer ended by itself with status 127 before it was ready");
}

TEST(OomCounter, ReadsBothVersionsOfTheKernelsFile) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "v2", "low 0\nhigh 0\nmax 12\noom 4\noom_kill 3\noom_group_kill 0\n");
  tests::write_text(folder / "v1", "oom_kill_disable 0\nunder_oom 0\noom_kill 7\n");
  tests::write_text(folder / "old", "oom_kill_disable 0\nunder_oom 0\n");
  EXPECT_EQ(read_oom_kills(folder / "v2"), 3);
  EXPECT_EQ(read_oom_kills(folder / "v1"), 7);
  EXPECT_EQ(read_oom_kills(folder / "old"), std::nullopt);
  EXPECT_EQ(read_oom_kills(folder / "missing"), std::nullopt);
}

TEST(OomCounter, IsFoundOnThisMachine) {
  EXPECT_TRUE(read_oom_kills(own_oom_counter()).has_value()) << own_oom_counter();
}

TEST(OneLine, FoldsAndCutsTextOfUnknownOrigin) {
  EXPECT_EQ(one_line("  a\r\n\tb\x1b[0m  c \n"), "a b [0m c");
  EXPECT_EQ(one_line("12345", 3), "123…");
  EXPECT_EQ(one_line("aäb", 2), "a…");  // never half a character
}

TEST(LastLines, AreTheLastTwoThatSaySomething) {
  EXPECT_EQ(last_lines("first\nsecond\n\n  \nthird\n\n"), "second | third");
  EXPECT_EQ(last_lines("only"), "only");
  EXPECT_EQ(last_lines("\n \n"), "");
}

}  // namespace
}  // namespace workers
