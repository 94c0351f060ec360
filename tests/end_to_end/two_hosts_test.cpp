// Two hosts on one machine (two-hosts says how), rank 0 and a worker on hosta, two workers on hostb, and the link
// between them cut and mended in the middle of jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>

#include "tests/end_to_end/processes.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/end_to_end/small_run.hpp"

namespace tests {
namespace {

using std::chrono::seconds;

constexpr int kSeeds = 5;
constexpr int kEpochs = 150;

std::string two_hosts() {
  return PLUME_SOURCE_DIR "/tests/end_to_end/two-hosts";
}

/// A sweep over both hosts.
class TwoHosts : public testing::Test {
 protected:
  void SetUp() override {
    const TemporaryFolder folder;
    const auto permitted = Running({two_hosts(), "permitted"}, folder.path()).wait();
    if (permitted.errors.find("Operation not permitted") != std::string::npos) {
      GTEST_SKIP() << "namespaces are not permitted to this user: " << permitted.errors;
    }
    ASSERT_EQ(permitted.status, 0) << permitted.errors;
    undisturbed_ = undisturbed_report(kSeeds, kEpochs);
  }

  std::vector<std::string> command(const std::vector<std::string>& more) const {
    auto command =
        sweep_.ranks(4,
                     {"--enable-recovery", "--host", "hosta:2,hostb:2", "--mca", "plm_rsh_agent", "/run/agent", "--mca",
                      "btl_tcp_if_include", "10.77.0.0/24", "--mca", "oob_tcp_if_include", "10.77.0.0/24"},
                     more);
    std::erase(command, "--oversubscribe");
    command.insert(command.begin(), {two_hosts(), "run"});
    return command;
  }

  void link(const char* what, const Running& run) const {
    const TemporaryFolder folder;
    const auto ended = Running({two_hosts(), what, std::to_string(run.pid())}, folder.path()).wait();
    ASSERT_EQ(ended.status, 0) << ended.errors;
  }

  std::vector<Process> on(const std::string& host, std::vector<Process> processes) const {
    std::erase_if(processes, [&](const auto& each) { return each.host != host; });
    return processes;
  }
  std::vector<Process> runs_on(const std::string& host) const { return on(host, runs_in(sweep_.folder())); }
  std::vector<Process> trainers_on(const std::string& host) const { return on(host, trainers_in(sweep_.folder())); }

  /// All three workers are at jobs, and one was done.
  void wait_until_busy(Running& run) {
    ASSERT_TRUE(run.until([&] { return sweep_.commits().size() >= 1 && trainers_in(sweep_.folder()).size() == 3; }));
    ASSERT_EQ(runs_on("hosta").size(), 2U) << text_of(runs_in(sweep_.folder()));
    ASSERT_EQ(runs_on("hostb").size(), 2U) << text_of(runs_in(sweep_.folder()));
    ASSERT_EQ(trainers_on("hostb").size(), 2U);
  }

  void expect_the_undisturbed_result() const {
    EXPECT_EQ(sweep_.exit_status(), 0);
    EXPECT_TRUE(sweep_.is_complete());
    EXPECT_EQ(sweep_.report(), undisturbed_);
  }

  const SmallRun sweep_{kSeeds, kEpochs};
  std::map<std::string, std::string> undisturbed_;
};

TEST_F(TwoHosts, WithTheLinkCutTheSweepGoesOnWithTheWorkersThatAreLeft) {
  Running run(command({"--heartbeat-deadline", "2"}), sweep_.folder());
  wait_until_busy(run);
  link("cut", run);
  ASSERT_TRUE(run.until([&] { return sweep_.times_logged("is gone: no sign of life for 2 s") == 2; }, seconds(20)));
  // They have not heard of rank 0 either, for four times as long.
  EXPECT_TRUE(run.until([&] { return runs_on("hostb").empty() && trainers_on("hostb").empty(); }, seconds(25)))
      << text_of(processes_in(sweep_.folder()));
  EXPECT_EQ(on("hostb", processes_in(sweep_.folder())).size(), 1U) << "ended by themselves: the daemon is still there";
  run.wait(seconds(120));
  EXPECT_EQ(sweep_.ended_attempts(), (std::map<std::string, int>{{"worker-lost", 2}}));
  expect_the_undisturbed_result();
}

TEST_F(TwoHosts, ALinkThatIsMendedInTimeCostsNothing) {
  Running run(command({"--heartbeat-deadline", "60"}), sweep_.folder());
  wait_until_busy(run);
  const auto done = sweep_.commits().size();
  link("cut", run);
  ASSERT_TRUE(run.until([&] { return sweep_.commits().size() >= done + 1; }));  // by the worker of hosta
  link("mend", run);
  const auto ended = run.wait(seconds(120));
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_FALSE(sweep_.logged("is gone"));
  EXPECT_TRUE(sweep_.ended_attempts().empty());
  expect_the_undisturbed_result();
}

TEST_F(TwoHosts, WorkersThatWereGivenUpComeBackWhenTheLinkIsMended) {
  Running run(command({"--heartbeat-deadline", "5"}), sweep_.folder());
  wait_until_busy(run);
  link("cut", run);
  ASSERT_TRUE(run.until([&] { return sweep_.times_logged("is gone: no sign of life for 5 s") == 2; }, seconds(30)));
  link("mend", run);
  EXPECT_TRUE(run.until([&] { return sweep_.times_logged("host hostb, pid") == 4; }, seconds(30))) << sweep_.log();
  const auto ended = run.wait(seconds(120));
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(sweep_.ended_attempts(), (std::map<std::string, int>{{"worker-lost", 2}}));
  expect_the_undisturbed_result();
}

TEST_F(TwoHosts, OnNeitherIsAnythingLeftFiveSecondsAfterMpirunWasKilled) {
  Running run(command({}), sweep_.folder());
  wait_until_busy(run);
  kill(runs_on("hostb").at(0).pid, SIGSTOP);
  const auto all = processes_in(sweep_.folder());
  for (const auto& each : all) {
    if (each.is_mpirun()) kill(each.pid, SIGKILL);
  }
  // Seen before the private process id space ends and takes all with it, if it lasts so long.
  EXPECT_TRUE(
      eventually([&] { return runs_in(sweep_.folder()).empty() && trainers_in(sweep_.folder()).empty(); }, seconds(5)))
      << text_of(processes_in(sweep_.folder()));
}

TEST_F(TwoHosts, RanksEndWithTheDaemonOfTheirHost) {
  Running run(command({}), sweep_.folder());
  wait_until_busy(run);
  const auto ranks = runs_on("hostb");
  const auto trainers = trainers_on("hostb");
  kill(ranks.at(0).parent, SIGKILL);
  EXPECT_TRUE(eventually(
      [&] { return !is_alive(ranks[0]) && !is_alive(ranks[1]) && !is_alive(trainers[0]) && !is_alive(trainers[1]); },
      seconds(5)))
      << text_of(processes_in(sweep_.folder()));
}

}  // namespace
}  // namespace tests
