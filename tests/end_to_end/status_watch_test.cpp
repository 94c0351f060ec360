// `status --watch` of real runs: without a terminal, and in a real one.
#include <gmock/gmock.h>
#include <signal.h>
#include <termios.h>

#include <algorithm>
#include <memory>

#include "tests/end_to_end/looks.hpp"
#include "tests/end_to_end/pseudo_terminal.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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

TEST_F(Look, AgainAndAgainEndsWithAnErrorWhereItsOutputIsClosedAndWithItsReader) {
  const TinySweep sweep(kEndless);
  Running run(sweep.command(), sweep.folder());
  ASSERT_TRUE(shows(run, sweep.out(), trains));
  const auto in_shell = [&](const std::string& script) {
    return std::vector<std::string>{"bash", "-c", script, "bash", program().string(), "status", sweep.out().string()};
  };
  for (const std::string more : {"", " --watch --every 0.1", " --watch --json --every 0.1"}) {
    const auto closed = Running(in_shell("exec \"$@\"" + more + " >&-"), from_.path()).wait(std::chrono::seconds(30));
    EXPECT_EQ(closed.status, 1) << more;
    EXPECT_THAT(closed.errors, HasSubstr("standard output cannot be written")) << more;
  }
  Running left(in_shell("\"$@\" --watch --every 0.1 | head -n 1"), from_.path());
  EXPECT_EQ(left.wait(std::chrono::seconds(30)).status, 0);
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
