// Ranks that differ: one whose trainers all fail, and the threads that each computes with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tests/end_to_end/program.hpp"
#include "tests/end_to_end/tiny_sweep.hpp"

namespace tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// mpirun with the last rank in an environment of its own. The sweep's command without --workers.
std::vector<std::string> with_another_last_rank(const TinySweep& sweep, int others, const std::string& variable,
                                                const std::vector<std::string>& more = {}) {
  auto command = under_mpirun(others, sweep.arguments(more));
  const auto run = std::find(command.begin(), command.end(), program().string());
  const std::vector<std::string> alike(run, command.end());
  command.insert(command.end(), {":", "-np", "1", "env", variable});
  command.insert(command.end(), alike.begin(), alike.end());
  return command;
}

TEST(BadWorker, IsSetAsideUnchargedAndTheReportSaysSo) {
  const TinySweep sweep;
  undisturbed_table();
  // Every training is failed once by the bad worker or never; each second attempt fails of itself, which is all that
  // the one retry of a job allows: had the bad worker's failures been charged, jobs would fail for good.
  auto command = with_another_last_rank(sweep, 2, fault("throw"));
  command.insert(std::find(command.begin(), command.end(), program().string()), {"env", fault("exit@attempt=2")});
  Running run(command, sweep.folder());
  // The good worker would be through before the bad one has failed three times: its trainer waits until then.
  const auto log_says = [&](const std::string& what) { return sweep.log().find(what) != std::string::npos; };
  pid_t good = 0;
  const auto find_good_trainer = [&] {
    for (const pid_t rank : children_of(run.pid())) {
      std::ifstream environment("/proc/" + std::to_string(rank) + "/environ");
      const std::string text(std::istreambuf_iterator<char>(environment), {});
      if (text.find(fault("exit@attempt=2")) == std::string::npos) continue;
      for (const pid_t child : children_of(rank)) {
        const auto words = read_text("/proc/" + std::to_string(child) + "/cmdline");
        if (words.find(std::string("\0trainer\0", 9)) != std::string::npos) good = child;
      }
    }
    return good != 0;
  };
  ASSERT_TRUE(run.until(find_good_trainer));
  kill(good, SIGSTOP);
  ASSERT_TRUE(run.until([&] { return log_says("worker 2 ") && log_says("is set aside"); }));
  kill(good, SIGCONT);

  const auto ended = run.wait();

  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(sweep.log(), HasSubstr("PLUME_FAULT is set on worker 2: \"throw\""));
  const auto notes = sweep.journal("note");
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0].message, AllOf(HasSubstr("worker 2 ("), HasSubstr("is set aside: "),
                                      HasSubstr("failed 3 tasks in a row before a first epoch; the last: exception: "
                                                "an exception on request (PLUME_FAULT)")));
  EXPECT_THAT(read_text(sweep.out() / "report/index.md"), HasSubstr(notes[0].message));
  EXPECT_EQ(sweep.table(), undisturbed_table());
  const auto index = read_text(sweep.out() / "report/index.md");
  EXPECT_EQ(run_program({"report", "out"}, sweep.folder()).status, 0);
  EXPECT_EQ(read_text(sweep.out() / "report/index.md"), index) << "from the journal alone";
}

TEST(BadWorker, WhoseFaultIsMistypedEndsTheRunAtOnce) {
  const TinySweep sweep;
  const auto ended = Running(with_another_last_rank(sweep, 2, fault("thorw")), sweep.folder()).wait();
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("PLUME_FAULT"), HasSubstr("\"thorw\""), HasSubstr("\"throw\"")));
}

TEST(Ranks, ComputeWithTheThreadsThatWereAskedForWhateverMpiSets) {
  const TinySweep sweep;
  auto arguments = sweep.arguments({"--only", "seed=0,class=ring"});
  *std::find(arguments.begin(), arguments.end(), "1") = "2";
  ASSERT_EQ(arguments[5], "2");
  const auto ended = Running(under_mpirun(2, arguments), sweep.folder()).wait();
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(sweep.committed(), 1U);
  EXPECT_THAT(read_text(sweep.out() / "journal.jsonl"), HasSubstr("\"threads\":2}")) << "as the trainer saw it";
}

}  // namespace
}  // namespace tests
