// What happens around a run: a lock that a dead one left, a clock that is set back, nobody who reads what it prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <sstream>

#include "tests/end_to_end/program.hpp"
#include "tests/end_to_end/tiny_sweep.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

TEST(StaleLock, OfARunBeforeTheLastBootIsTakenThoughItsProcessIdLivesOn) {
  const TinySweep sweep;
  undisturbed_table();
  Running run(sweep.command(), sweep.folder());
  ASSERT_TRUE(run.until([&] { return sweep.committed() >= 1; }));
  run.signal(SIGSTOP);  // alive: only the boot tells that its lock is stale
  auto lock = read_text(sweep.out() / "lock");
  const auto boot = lock.find("\"boot\":\"") + 8;
  lock[boot] = lock[boot] == 'f' ? 'e' : 'f';
  write_text(sweep.out() / "lock", lock);

  const TemporaryFolder elsewhere;
  auto command = sweep.command();
  for (auto& word : command) {
    if (word == "out" || word == "sweep.json") word = (sweep.folder() / word).string();
  }
  const auto second = Running(command, elsewhere.path()).wait();
  EXPECT_EQ(second.status, 0) << second.errors;
  EXPECT_EQ(sweep.table(), undisturbed_table());

  run.signal(SIGCONT);
  const auto first = run.wait();
  EXPECT_EQ(first.status, 1) << "it notices that the directory is no longer its own";
  EXPECT_THAT(last_line_of(first), HasSubstr("another run"));
  EXPECT_EQ(sweep.committed(), 4U) << "and has written nothing more";
}

/// The clock on the wall as the run and its trainers see it; "+0" is the true time.
class FakedClock {
 public:
  explicit FakedClock(const TinySweep& sweep) : file_(sweep.folder() / "clock") { set("+0"); }
  void set(const std::string& offset) { write_text(file_, offset + "\n"); }
  std::vector<std::string> environment() const {
    return {"LD_PRELOAD=" + library().string(), "FAKETIME_TIMESTAMP_FILE=" + file_.string(), "FAKETIME_NO_CACHE=1",
            "FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_DONT_RESET=1"};
  }

 private:
  static fs::path library() {
    for (const char* folder : {"/usr/lib/x86_64-linux-gnu/faketime", "/usr/lib/aarch64-linux-gnu/faketime"}) {
      if (const auto file = fs::path(folder) / "libfaketimeMT.so.1"; fs::exists(file)) return file;
    }
    throw std::runtime_error("libfaketime is not installed: run ./run-tests once, it installs what tests need");
  }
  fs::path file_;
};

std::string hour_of(const std::string& line) {
  return line.substr(0, 13);  // 2026-11-28T17
}

TEST(Clock, SetBackByAnHourInTheMiddleOfARunChangesNothing) {
  const TinySweep sweep;
  undisturbed_table();
  FakedClock clock(sweep);
  Running run(sweep.command(), sweep.folder(), clock.environment());
  ASSERT_TRUE(run.until([&] { return sweep.committed() >= 1; }));
  clock.set("-1h");
  const auto ended = run.wait();
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(sweep.table(), undisturbed_table());
  EXPECT_EQ(sweep.journal().size(), 4U) << "no deadline was missed";
  std::istringstream log(sweep.log());
  std::string first, last;
  std::getline(log, first);
  for (std::string line; std::getline(log, line);) last = line;
  EXPECT_LT(hour_of(last), hour_of(first)) << "the clock was set back";
}

/// Nobody reads, in one of several ways. "$@" is the run.
struct Silence {
  const char* name;
  const char* script;
  bool is_said;  ///< standard error is left to say it
};

class Unheard : public testing::TestWithParam<Silence> {};

TEST_P(Unheard, IsCommittedReportedAndEndsWithTheStatusOfTheSweep) {
  const TinySweep sweep;
  undisturbed_table();
  std::vector<std::string> command = {"bash", "-c", GetParam().script, "bash"};
  const auto run = sweep.command();
  command.insert(command.end(), run.begin(), run.end());

  const auto ended = Running(command, sweep.folder()).wait();

  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(sweep.committed(), 4U);
  EXPECT_EQ(sweep.table(), undisturbed_table());
  if (GetParam().is_said) {
    EXPECT_THAT(last_line_of(ended), AllOf(HasSubstr("standard output cannot be written"), HasSubstr("out/report")));
  }
}

INSTANTIATE_TEST_SUITE_P(Run, Unheard,
                         testing::Values(Silence{"OutputClosed", "exec \"$@\" >&-", false},
                                         Silence{"OutputFull", "exec \"$@\" >/dev/full", true},
                                         Silence{"ReaderGoneBefore", "set -o pipefail; \"$@\" | true", true},
                                         // The reader leaves after the first word of the log, in the middle of the run.
                                         Silence{"ReaderOfBothGoneInTheMiddle",
                                                 "set -o pipefail; \"$@\" 2>&1 | head -c 1 >/dev/null", false},
                                         Silence{"BothFull", "exec \"$@\" >/dev/full 2>/dev/full", false}),
                         [](const auto& each) { return each.param.name; });

TEST(Unheard, DoesNotHideThatJobsFailed) {
  const TinySweep sweep;
  auto command = sweep.command({"--only", "seed=0,class=ring", "--job-retries", "0"});
  command.insert(command.begin(), {"bash", "-c", "exec \"$@\" >/dev/full", "bash"});
  const auto ended = Running(command, sweep.folder(), {fault("throw")}).wait();
  EXPECT_EQ(ended.status, 3) << ended.errors;
}

}  // namespace
}  // namespace tests
