// The screen of `status` as text of a given size.
#include "runner/status_screen.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runner/status_parts.hpp"
#include "storage/columns.hpp"
#include "tests/runner/run_pictures.hpp"

namespace runner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string screen(const MadeUpRun& run, ScreenSize size = {100, 0}) {
  return text_of(screen_of(view_of(run.picture()), size), false);
}

TEST(StatusScreen, OfARunAtWorkShowsJobsTablesAndWorkers) {
  MadeUpRun run;
  run.finish(0);
  auto& status = run.at_work();
  run.put_to_work(2);
  status.jobs_per_minute = 5.25;
  status.seconds_left = 960;
  EXPECT_EQ(screen(run),
            "runs/a: training | at work for 12 min on a, process 7\n"
            "1 of 4 jobs done, 1 running, 0 failed, 2 left | 5.2 jobs/min | 16 min left\n"
            "\n"
            "TABLE  # done > running ! failed          done  running  failed  left\n"
            "small  [#######>>>>>>>.................]     1        1       0     2\n"
            "\n"
            "WORKER  host  on   job                                key        for  epoch  an epoch  left  AUROC %\n" +
                ("     1  a     CPU  pets/cat linear-map + full seed 1  " + run.key(2).hex.substr(0, 8)) +
                "  60 s  10/40     2.0 s  60 s     81.2\n\n`plume-bench explain runs/a KEY` (or TABLE/ROW/COLUMN) says "
                "why a job (a cell) is not done\n");
}

TEST(StatusScreen, SaysOfATrainerThatHangsForHowLongThoughItsWorkerIsHeard) {
  MadeUpRun run;
  auto& status = run.at_work();
  run.put_to_work(1);
  status.workers[0].heard = status.written;
  status.workers[0].task->still = workers::Stillness{5, 60, true};
  EXPECT_THAT(screen(run), Not(HasSubstr("no step"))) << "steps take what they take";
  status.workers[0].task->still = workers::Stillness{40, 60, true};
  const auto lines = screen_of(view_of(run.picture()), {120, 0});
  const auto row = std::find_if(lines.begin(), lines.end(), [](const auto& line) {
    return line.text.find("no step for 40 s, killed at 60 s: ") != std::string::npos;
  });
  ASSERT_NE(row, lines.end());
  EXPECT_EQ(row->style, Style::bad);
  EXPECT_EQ(row->text.find("60 s  81.2"), std::string::npos) << "its time left is not that of its epochs";
  status.workers[0].task->still = workers::Stillness{300, 900, false};
  EXPECT_THAT(screen(run), HasSubstr("loading for 5 min, killed at 15 min"));
}

TEST(StatusScreen, SaysNothingOfATimeLeftThatIsNoneOrNotOfNow) {
  MadeUpRun run;
  auto& status = run.at_work();
  run.put_to_work(1);
  status.seconds_left = 0.3;
  status.workers[0].task->epochs_done = 40;
  EXPECT_THAT(screen(run), AllOf(Not(HasSubstr("0 s left")), Not(HasSubstr("  0 s"))));
  status.seconds_left = 60;
  EXPECT_THAT(screen(run), HasSubstr("60 s left"));
  run.life = {Life::silent, 240, false};
  EXPECT_THAT(screen(run), Not(HasSubstr("60 s left")));
}

TEST(StatusScreen, SaysThatFailuresWereAskedFor) {
  MadeUpRun run;
  auto& status = run.at_work();
  EXPECT_THAT(screen(run), Not(HasSubstr("PLUME_FAULT")));
  status.faults = "hang@seed=0";
  const auto lines = screen_of(view_of(run.picture()), {100, 0});
  EXPECT_THAT(lines, testing::Contains(
                         ScreenLine{"a rehearsal, failures are deliberate: PLUME_FAULT=hang@seed=0", Style::bad}));
}

TEST(StatusScreen, SaysThatWorkersAreAtFeaturesWhereNoneIsAtAJob) {
  MadeUpRun run;
  auto& status = run.at_work(RunPhase::extracting);
  status.workers[0].state = WorkerState::working;
  status.workers[0].task = WorkerTask{"extract", "rows of pets", "", 1, status.written, 0, 0, {}, {}, {}};
  status.features = {{"pets", "resnet50", 1000, 250, false, "", 12.5, 60}};
  EXPECT_THAT(screen(run), AllOf(HasSubstr("0 running (1 worker at features)"),
                                 testing::ContainsRegex("pets through resnet50 +25 % +250 +1,000 +12 +60 s")));
}

TEST(StatusScreen, GivesTheMessageOfAFailureTheRoomThatIsLeft) {
  MadeUpRun run;
  run.at_work();
  run.start(0, 1);
  run.fail(0, "exception", "the beginning of a message that " + std::string(90, 'x') + " tells");
  const auto wide = screen(run, {100, 0});
  EXPECT_THAT(
      wide, AllOf(HasSubstr("exception\n    the beginning of a message that\n      xxx"), HasSubstr("\n      tells\n"),
                  HasSubstr("plume-bench explain runs/a " + run.key(0).hex.substr(0, 8))));
  EXPECT_THAT(screen(run, {100, 9}), HasSubstr("exception: the beginning of a"));
  EXPECT_THAT(screen(run, {80, 10}),
              AllOf(HasSubstr("exception\n    the beginning of a message that xxx"), HasSubstr("given up")));
}

TEST(StatusScreen, KeepsThoseThatAreRunAgainApartFromThoseGivenUp) {
  MadeUpRun run;
  run.at_work();
  run.start(0, 1);
  run.end(0, 1, "worker-lost", "its worker is gone");
  run.fail(1, "hung", "no step");
  const auto text = screen(run);
  const auto given_up = text.find("\nFAILURE "), again = text.find("\nINTERRUPTED, RUN AGAIN ");
  ASSERT_NE(given_up, std::string::npos) << text;
  ASSERT_NE(again, std::string::npos) << text;
  EXPECT_GT(text.find("no step"), given_up);
  EXPECT_LT(text.find("no step"), again);
  EXPECT_GT(text.find("its worker is gone"), again);
}

TEST(StatusScreen, NeverIsWiderOrHigherThanTheTerminal) {
  MadeUpRun run;
  auto& status = run.at_work();
  run.put_to_work(1);
  run.names[0][1] = "pets/猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫 seed 1";
  status.workers[0].task->name = run.names[0][1];
  for (int i = 2; i <= 500; ++i)
    status.workers.push_back({i, "node" + std::to_string(i), 1, "", "", WorkerState::idle, "", 0, {}});
  for (int i = 0; i < 10; ++i) {
    status.failures.push_back(
        {status.written, "pets/cat seed 0", run.key(0).hex, 1, "hung", std::string(300, 'x'), "worker 1 (a)", false});
  }
  run.problems.push_back("journal.jsonl: line 3: " + std::string(200, 'y'));
  for (const std::size_t columns : {20U, 40U, 80U, 300U}) {
    for (const std::size_t rows : {1U, 5U, 12U, 24U, 50U, 1000U}) {
      const auto lines = screen_of(view_of(run.picture()), {columns, rows});
      EXPECT_LE(lines.size(), rows) << columns << " x " << rows;
      for (const auto& line : lines) EXPECT_LE(storage::columns_of(line.text), columns) << line.text;
    }
  }
}

TEST(StatusScreen, ShowsTheMostTellingWorkersAndSaysHowManyMoreThereAre) {
  MadeUpRun run;
  auto& status = run.at_work();
  for (int i = 2; i <= 260; ++i) status.workers.push_back({i, "a", 1, "", "", WorkerState::idle, "", 0, {}});
  status.workers[7].state = WorkerState::gone;
  status.workers[7].why = "no sign of life for 30 s";
  run.put_to_work(2);
  const auto text = screen(run, {100, 14});
  EXPECT_THAT(text, AllOf(HasSubstr("gone: no sign of life for 30 s"), HasSubstr("pets/cat linear-map + full seed 1"),
                          testing::ContainsRegex("and 25[0-9] more: 25[0-9] idle")));
}

TEST(StatusScreen, ShowsNoCharacterOfANameThatATerminalWouldObey) {
  MadeUpRun run;
  auto& status = run.at_work();
  run.put_to_work(1);
  status.workers[0].task->name = "pets/\033]0;evil\007cat\n\xff";
  status.workers[0].host = "a\rb";
  const auto text = screen(run);
  for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << text;
  EXPECT_THAT(text, HasSubstr("pets/?]0;evil?cat??"));
}

TEST(StatusScreen, OfADeadRunSaysSoWhoWasAtWorkAndHowToGoOn) {
  MadeUpRun run;
  run.at_work();
  run.put_to_work(1);
  run.life = {Life::died, 240, false};
  EXPECT_THAT(screen(run),
              AllOf(StartsWith("runs/a: died: no sign of life for 4 min\n"), HasSubstr("was at"),
                    HasSubstr("the same command goes on:\n  plume-bench run 'my sweep.json' --out runs/a\n"),
                    HasSubstr("0 of 4 jobs done, 0 failed, 4 left\n")));
}

TEST(StatusScreen, OfAnySizeSaysWhatHappenedInFullAndWhatToTypeOnALineThatCanBePasted) {
  MadeUpRun run;
  run.at_work();
  run.put_to_work(1);
  for (int i = 0; i < 30; ++i) run.problems.push_back("runs/a/file: line 3: " + std::string(200, 'y') + " mend it");
  run.life = {Life::died, 240, false};
  for (const std::size_t columns : {60U, 80U, 100U, 200U}) {
    for (const std::size_t rows : {10U, 24U, 50U}) {
      const auto text = screen(run, {columns, rows});
      EXPECT_THAT(text, AllOf(StartsWith("runs/a: died: no sign of life for 4 min\n"), HasSubstr(" mend it\n"),
                              HasSubstr("plume-bench run 'my sweep.json' --out runs/a\n")))
          << columns << " x " << rows;
    }
  }
}

TEST(StatusScreen, OfASilentRunOfAnotherHostAsksForCaution) {
  MadeUpRun run;
  run.at_work();
  run.life = {Life::silent, 240, true};
  EXPECT_THAT(screen(run), AllOf(HasSubstr("training, it seems: but no sign of life for 4 min"),
                                 HasSubstr("by the clocks of two machines"), HasSubstr("status --watch")));
}

TEST(StatusScreen, SaysByHowMuchTheClockThatWroteIsAhead) {
  MadeUpRun run;
  run.at_work();
  run.life.ahead_seconds = 86'400;
  EXPECT_THAT(screen(run, {200, 0}),
              HasSubstr("the clock of a was 24 h ahead of this machine's: what is said of times is wrong "
                        "by as much\n"));
  run.life.by_another_clock = true;
  EXPECT_THAT(screen(run, {300, 0}),
              HasSubstr(", and whether the run lives cannot be seen from here: `plume-bench status "
                        "--watch` tells within 30 s"));
}

TEST(StatusScreen, OfARunThatEndedSaysHowAndWhatToDo) {
  MadeUpRun run;
  run.finish(0);
  run.ended(4);
  EXPECT_THAT(screen(run),
              AllOf(HasSubstr("drained"), HasSubstr("3 job(s) left"), HasSubstr("the same command goes on"),
                    HasSubstr("tables: runs/a/report/index.md"), Not(HasSubstr("WORKER"))));
  run.fail(1, "hung", "no step");
  run.ended(3);
  EXPECT_THAT(screen(run),
              AllOf(HasSubstr("1 job(s) failed"),
                    HasSubstr("\n  plume-bench run 'my sweep.json' --out runs/a --retry-failed\n"),
                    HasSubstr("hung\n    no step"), HasSubstr("explain runs/a " + run.key(1).hex.substr(0, 8))));
  run.ended(1, "pets: the images are damaged");
  EXPECT_THAT(screen(run), AllOf(HasSubstr("broke"), HasSubstr("because: pets: the images are damaged")));
}

TEST(StatusScreen, OfACompleteRunHasNothingToSuggestButItsTables) {
  MadeUpRun run;
  for (std::size_t i = 0; i < 4; ++i) run.finish(i);
  run.ended(0);
  EXPECT_THAT(screen(run), AllOf(HasSubstr("complete"), HasSubstr("4 of 4 jobs done, 0 failed, 0 left"),
                                 HasSubstr("[###############################]"), Not(HasSubstr("explain"))));
}

TEST(StatusScreen, CountsOnlyTheJobsOfItsShare) {
  MadeUpRun run;
  auto& status = run.at_work();
  status.selection = "--share 1/2";
  status.chosen = chosen_text({0, 1}, 4);
  run.finish(0);
  EXPECT_THAT(screen(run), AllOf(HasSubstr("1 of 2 jobs done"),
                                 HasSubstr("run with --share 1/2; 2 other jobs are not its business")));
}

TEST(StatusScreen, BeforeTheImagesAreScannedShowsHowFarTheScanIs) {
  MadeUpRun run;
  auto& status = run.at_work(RunPhase::scanning);
  status.features = {{"pets", "", 60000, 12000, false, ""}};
  run.plans.clear();
  run.names.clear();
  run.sweep_names.clear();
  EXPECT_THAT(screen(run), AllOf(HasSubstr("scanning images"), HasSubstr("0 of 4 jobs done"),
                                 testing::ContainsRegex("scan of pets +20 % +12,000 +60,000")));
}

TEST(StatusScreen, NamesAFileThatCannotBeReadAndShowsTheRest) {
  MadeUpRun run;
  run.finish(0);
  run.problems.push_back("runs/a/status.json: line 1: unexpected end");
  EXPECT_THAT(screen(run), AllOf(HasSubstr("status.json: line 1: unexpected end"), HasSubstr("1 of 4 jobs done")));
}

TEST(BarOfATable, HasASignOfEachKindThatThereIsAndTheWidth) {
  JobCounts counts;
  counts.done = 970;
  counts.running = 1;
  counts.failed = 1;
  counts.left = 28;
  EXPECT_EQ(bar_of(counts, 22), "[#################>!.]");
  for (std::size_t width = 8; width < 100; ++width) EXPECT_EQ(bar_of(counts, width).size(), width);
  EXPECT_EQ(bar_of(JobCounts{}, 6), "[    ]");
}

}  // namespace
}  // namespace runner
