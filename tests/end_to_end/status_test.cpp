// `status` and `explain` of real runs: at work, killed, drained, complete, copied to where nothing may be written; and
// `status --watch` in a real terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/processes.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/end_to_end/pseudo_terminal.hpp"
#include "tests/end_to_end/tiny_sweep.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr int kLong = 100000;  // epochs: no training ends by itself
const SweepShape kEndless{2, kLong};

nlohmann::json json_of(const Ended& ended) {
  return nlohmann::json::parse(ended.output, nullptr, false);
}

class Look : public testing::Test {
 protected:
  /// Made in a folder of its own, so that looking does not write where the run's output is kept.
  Ended look(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {}) const {
    return run_program(arguments, from_.path(), environment);
  }
  Ended status(const fs::path& directory, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"status", directory.string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return look(arguments);
  }
  Ended explain(const fs::path& directory, const std::string& what) const {
    return look({"explain", directory.string(), what});
  }
  nlohmann::json document(const fs::path& directory) const { return json_of(status(directory, {"--json"})); }
  /// Until a look shows it.
  bool shows(Running& run, const fs::path& directory, const std::function<bool(const nlohmann::json&)>& seen) const {
    return run.until([&] {
      const auto now = document(directory);
      return !now.is_discarded() && seen(now);
    });
  }
  static bool trains(const nlohmann::json& now) {
    if (now["status"].is_null()) return false;
    const auto& workers = now["status"]["workers"];
    return workers.size() == 1 && workers[0].contains("task") && workers[0]["task"].value("epochs_done", 0) > 1;
  }
  TemporaryFolder from_;
};

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
  run.signal(SIGINT);
  run.signal(SIGINT);
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
  run.signal(SIGINT);
  run.signal(SIGINT);
  run.wait();
}

/// What `plume-bench slurm --form array` makes of a sweep.
class LookAtShares : public Look {
 protected:
  static Ended run_in(const std::string& folder, const TinySweep& sweep, const std::vector<std::string>& flags,
                      const std::vector<std::string>& environment = {}) {
    auto command = sweep.command(flags);
    for (std::size_t i = 0; i + 1 < command.size(); ++i) {
      if (command[i] == "--out") command[i + 1] = folder;
    }
    return Running(command, sweep.folder(), environment).wait();
  }
  static Ended run_share(const TinySweep& sweep, int share, const std::vector<std::string>& environment = {}) {
    const auto number = std::to_string(share);
    return run_in("out/share-" + number + "-of-2", sweep, {"--share", number + "/2"}, environment);
  }
};

TEST_F(LookAtShares, ShowsAllOfThemOnOneScreenAndFindsTheShareOfAJob) {
  const TinySweep sweep;
  ASSERT_EQ(
      run_share(sweep, 1, {fault("throw@seed=0,class=ring;throw@seed=0,class=cross;throw@seed=1,class=ring")}).status,
      3);
  const auto half = status(sweep.out());
  EXPECT_EQ(half.status, 0);
  EXPECT_THAT(half.output, AllOf(HasSubstr(": 2 shares: "), HasSubstr("1 not begun"), HasSubstr("of 4 jobs done"),
                                 ContainsRegex("share 2 of 2 +not begun"),
                                 ContainsRegex("a rehearsal, failures are deliberate:[ \n]+PLUME_FAULT")));
  const auto failed = document(sweep.out())["failures"];
  ASSERT_FALSE(failed.empty());
  const auto key = failed[0]["key"].get<std::string>();
  EXPECT_EQ(failed[0]["directory"], "share-1-of-2");
  EXPECT_THAT(half.output, HasSubstr("explain " + sweep.out().string() + "/share-1-of-2 " + key.substr(0, 8)));
  EXPECT_THAT(explain(sweep.out(), key).output, AllOf(StartsWith("share-1-of-2:\n"), HasSubstr("given up")));
  ASSERT_EQ(run_share(sweep, 2).status, 0);
  EXPECT_THAT(status(sweep.out()).output, AllOf(HasSubstr("1 complete"), Not(HasSubstr("not begun"))));
  const auto report = look({"report", sweep.out().string()});
  EXPECT_EQ(report.status, 2);
  EXPECT_THAT(report.errors, HasSubstr("plume-bench report " + sweep.out().string() + "/share-*-of-2 --out " +
                                       sweep.out().string() + "/report"));
  const auto now = document(sweep.out());
  EXPECT_EQ(now["shares"], 2);
  EXPECT_EQ(now["parts"].size(), 2U);
  EXPECT_EQ(now["jobs"]["chosen"], 4);
  EXPECT_EQ(now["parts"][1]["run"]["jobs"]["done"], 2);
}

TEST_F(LookAtShares, WhoseDirectoriesTakeNoOtherShareAndNoOtherSweep) {
  const TinySweep sweep;
  ASSERT_EQ(run_share(sweep, 1).status, 0);
  const std::string folder = "out/share-1-of-2";
  const auto refused = [&](const std::vector<std::string>& flags) {
    const auto ended = run_in(folder, sweep, flags);
    EXPECT_EQ(ended.status, 2) << ended.output;
    return ended.errors;
  };
  EXPECT_THAT(refused({"--share", "2/2"}),
              HasSubstr("--out: " + folder +
                        " holds 2 result(s) of --share 1/2, and takes none of --share 2/2; give "
                        "--share 1/2, or another --out"));
  EXPECT_THAT(refused({"--share", "1/3", "--dry-run"}), HasSubstr("takes none of --share 1/3"));
  EXPECT_THAT(refused({}), HasSubstr("takes none of a run without --share"));
  EXPECT_EQ(document(sweep.folder() / folder)["status"]["exit_status"], 0) << "what it says of its own run stays";
  ASSERT_EQ(run_share(sweep, 1).status, 0) << "its own";
  const auto text = read_text(sweep.folder() / "sweep.json");
  write_text(sweep.folder() / "sweep.json", std::string(text).replace(text.find("\"epochs\": 2"), 11, "\"epochs\": 3"));
  EXPECT_THAT(refused({"--share", "1/2"}), HasSubstr("of --share 1/2 of another sweep"));
}

TEST_F(LookAtShares, ThatRunWithAnotherOnlySayThatTheirJobsAreDealtOutAnew) {
  const TinySweep sweep(SweepShape{3});
  const auto run = [&](int share, const std::vector<std::string>& more) {
    auto flags = more;
    flags.insert(flags.end(), {"--share", std::to_string(share) + "/2"});
    const auto ended = run_in("out/share-" + std::to_string(share) + "-of-2", sweep, flags);
    EXPECT_EQ(ended.status, 0) << ended.errors;
    return ended.errors;
  };
  for (const int share : {1, 2}) {
    EXPECT_THAT(run(share, {"--only", "seed=0,seed=2"}), Not(HasSubstr("dealt out")));
    EXPECT_THAT(run(share, {"--only", "seed=2,seed=0"}), Not(HasSubstr("dealt out"))) << "the same jobs";
  }
  EXPECT_EQ(document(sweep.out())["jobs"]["done"], 4);
  const std::string said =
      "--only: the jobs of this share were dealt out of `--only seed=2,seed=0` before, and are of all jobs now: 1 of "
      "its "
      "2 result(s) are of jobs that it has no more.";
  EXPECT_THAT(run(1, {"--dry-run"}), HasSubstr(said));
  EXPECT_THAT(run(1, {}), HasSubstr(said));
  const auto mixed = status(sweep.out());
  EXPECT_EQ(mixed.status, 1);
  EXPECT_THAT(mixed.output, HasSubstr("the last run of share-2-of-2 was of `--only seed=2,seed=0`"));
  EXPECT_THAT(run(2, {}), HasSubstr(said));
  EXPECT_EQ(document(sweep.out())["jobs"]["chosen"], 6) << "of which two shares have a result each of two";
  EXPECT_EQ(document(sweep.out())["jobs"]["done"], 6);
  EXPECT_EQ(status(sweep.out()).status, 0);
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

TEST_F(Look, AgainAndAgainWithoutATerminalPrintsABlockForEachChangeAndEndsWithTheRun) {
  const TinySweep sweep(SweepShape{2, 100});
  Running run(sweep.command(), sweep.folder());
  ASSERT_TRUE(run.until([&] { return fs::exists(sweep.out() / "status.json"); }));
  const auto watched = status(sweep.out(), {"--watch", "--every", "0.1"});
  EXPECT_EQ(run.wait().status, 0);
  EXPECT_EQ(watched.status, 0);
  EXPECT_THAT(watched.output, AllOf(HasSubstr("4 of 4 jobs done"), Not(HasSubstr("\033"))));
  EXPECT_GE(std::count(watched.output.begin(), watched.output.end(), '|'), 1);
}

/// `status --watch` in a terminal.
class Watch : public Look {
 protected:
  std::vector<std::string> command(const TinySweep& sweep) const {
    return {program().string(), "status", sweep.out().string(), "--watch", "--every", "0.2"};
  }
  static bool is_raw(const PseudoTerminal& terminal) { return (terminal.local_modes() & (ICANON | ECHO)) == 0; }
  static bool is_as_before(const PseudoTerminal& terminal) {
    return (terminal.local_modes() & (ICANON | ECHO)) == (ICANON | ECHO);
  }
  static auto draws(const std::string& text) {
    return [text](const std::string& drawn) { return drawn.find(text) != std::string::npos; };
  }
  static constexpr const char* kEnter = "\033[?1049h";
  static constexpr const char* kLeave = "\033[?25h\033[?1049l";
};

TEST_F(Watch, DrawsToTheSizeOfTheTerminalRedrawsWhenItChangesAndQuitsByQ) {
  const TinySweep sweep(kEndless);
  Running run(sweep.command(), sweep.folder());
  ASSERT_TRUE(shows(run, sweep.out(), trains));
  PseudoTerminal terminal(command(sweep), sweep.folder(), 100, 20);
  ASSERT_TRUE(terminal.until(draws("/100000"))) << terminal.drawn();
  EXPECT_THAT(terminal.drawn(), HasSubstr(kEnter));
  EXPECT_TRUE(is_raw(terminal));
  terminal.resize(40, 8);
  const auto is_narrow = [](const std::string& drawn) {
    const auto screen = screen_after(drawn.substr(drawn.rfind("\033[H")), 8);
    return std::all_of(screen.begin(), screen.end(), [](const auto& row) { return row.size() <= 44; }) &&
           drawn.ends_with("\033[J");
  };
  EXPECT_TRUE(terminal.until(is_narrow)) << terminal.drawn();
  terminal.type("q");
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_TRUE(terminal.drawn().ends_with(kLeave)) << "nothing is left on the screen";
  EXPECT_TRUE(is_as_before(terminal));
}

TEST_F(Watch, GivesTheTerminalBackOnCtrlCOnSigtermAndWhileItIsStopped) {
  const TinySweep sweep(kEndless);
  Running run(sweep.command(), sweep.folder());
  ASSERT_TRUE(shows(run, sweep.out(), trains));
  {
    PseudoTerminal terminal(command(sweep), sweep.folder(), 100, 20);
    ASSERT_TRUE(terminal.until(draws("WORKER")));
    terminal.type("\003");
    EXPECT_EQ(terminal.wait(), 0);
    EXPECT_TRUE(is_as_before(terminal));
  }
  PseudoTerminal terminal(command(sweep), sweep.folder(), 100, 20);
  ASSERT_TRUE(terminal.until(draws("WORKER")));
  terminal.type("\032");  // Ctrl-Z
  ASSERT_TRUE(terminal.is_stopped());
  EXPECT_TRUE(is_as_before(terminal));
  EXPECT_TRUE(terminal.drawn().ends_with(kLeave));
  const auto before = terminal.drawn().size();
  kill(terminal.pid(), SIGCONT);
  EXPECT_TRUE(terminal.until([&](const auto& drawn) { return drawn.find("WORKER", before) != std::string::npos; }));
  EXPECT_TRUE(is_raw(terminal));
  kill(terminal.pid(), SIGTERM);
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_TRUE(is_as_before(terminal));
  EXPECT_TRUE(terminal.drawn().ends_with(kLeave));
}

TEST_F(Watch, SaysThatFilesDoNotAnswerAndLeavesWithoutThem) {
  const TinySweep sweep(kEndless);
  Running run(sweep.command(), sweep.folder());
  ASSERT_TRUE(shows(run, sweep.out(), trains));
  const auto file = (sweep.out() / "status.json").string();
  for (const std::string key : {"q", "\003"}) {
    std::vector<std::string> preloaded{"env", "LD_PRELOAD=" HANGING_FILE, "PLUME_TEST_HANGING_FILE=" + file};
    for (const auto& word : command(sweep)) preloaded.push_back(word);
    PseudoTerminal terminal(preloaded, sweep.folder(), 100, 20);
    ASSERT_TRUE(terminal.until(draws("WORKER"))) << terminal.drawn();
    write_text(file + ".hangs", "");
    EXPECT_TRUE(terminal.until(draws("its files have not answered for 5 s; q leaves"))) << terminal.drawn();
    terminal.type(key);
    EXPECT_EQ(terminal.wait(std::chrono::seconds(5)), 0);
    EXPECT_TRUE(is_as_before(terminal));
    EXPECT_TRUE(terminal.drawn().ends_with(kLeave));
    fs::remove(file + ".hangs");
  }
}

TEST_F(Watch, LeavesTheLastScreenWhenTheRunEnds) {
  const TinySweep sweep(kEndless);
  Running run(sweep.command(), sweep.folder());
  ASSERT_TRUE(shows(run, sweep.out(), trains));
  PseudoTerminal terminal(command(sweep), sweep.folder(), 100, 20);
  ASSERT_TRUE(terminal.until(draws("WORKER")));
  run.signal(SIGKILL);
  run.wait();
  EXPECT_EQ(terminal.wait(), 0);
  const auto left = terminal.drawn().substr(terminal.drawn().rfind(kLeave));
  EXPECT_THAT(left,
              AllOf(HasSubstr("died: no sign of life"), HasSubstr("was at"), HasSubstr("the same command goes on")));
  EXPECT_TRUE(is_as_before(terminal));
}

TEST_F(Watch, WaitsWhereNothingHasRunYetUntilARunBegins) {
  const TinySweep sweep(kEndless);
  fs::create_directories(sweep.out());
  PseudoTerminal terminal(command(sweep), sweep.folder(), 100, 20);
  ASSERT_TRUE(terminal.until(draws("nothing has run here yet")));
  Running run(sweep.command(), sweep.folder());
  EXPECT_TRUE(terminal.until(draws("/100000"))) << terminal.drawn();
}

}  // namespace
}  // namespace tests
