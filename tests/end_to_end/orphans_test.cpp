// Whatever is killed, nothing that it started is left to hold a GPU.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/end_to_end/processes.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/end_to_end/small_run.hpp"

namespace tests {
namespace {

using std::chrono::seconds;

constexpr int kLong = 20000;  // epochs: no training ends by itself

/// Two workers with trainers that compute.
void wait_until_busy(Running& run, const SmallRun& sweep) {
  undisturbed_report(1, 1);  // makes the features
  ASSERT_TRUE(run.until([&] {
    const auto trainers = trainers_in(sweep.folder());
    return trainers.size() == 2 && trainers[0].cpu_ticks > 200 && trainers[1].cpu_ticks > 200;
  }));
}

TEST(Orphans, ABusyTrainerIsGoneTwoSecondsAfterItsWorkerRankWasKilled) {
  const SmallRun sweep(1, kLong);
  Running run(sweep.ranks(3, {"--enable-recovery"}), sweep.folder());
  wait_until_busy(run, sweep);
  const auto worker = runs_in(sweep.folder()).at(2);
  auto trainers = trainers_in(sweep.folder());
  std::erase_if(trainers, [&](const auto& each) { return each.parent != worker.pid; });
  ASSERT_EQ(trainers.size(), 1U);
  kill(worker.pid, SIGKILL);
  EXPECT_TRUE(eventually([&] { return !is_alive(trainers[0]); }, seconds(2)));
  EXPECT_EQ(runs_in(sweep.folder()).size(), 2U) << "the others go on";
}

TEST(Orphans, ATrainerThatIsJustStartingIsGoneTwoSecondsAfterItsWorkerRankWasKilled) {
  const SmallRun sweep(1, kLong);
  undisturbed_report(1, 1);
  Running run(sweep.ranks(2, {"--enable-recovery"}), sweep.folder());
  ASSERT_TRUE(run.until([&] { return !trainers_in(sweep.folder()).empty(); }));
  const auto trainer = trainers_in(sweep.folder()).at(0);  // some milliseconds old: its libraries are being loaded
  kill(trainer.parent, SIGKILL);
  EXPECT_TRUE(eventually([&] { return !is_alive(trainer); }, seconds(2)));
}

TEST(Orphans, NothingIsLeftFiveSecondsAfterMpirunWasKilled) {
  for (const char* how : {"", "--enable-recovery"}) {
    const SmallRun sweep(1, kLong);
    Running run(sweep.ranks(3, how[0] == '\0' ? std::vector<std::string>{} : std::vector<std::string>{how}),
                sweep.folder());
    wait_until_busy(run, sweep);
    kill(runs_in(sweep.folder()).at(2).pid, SIGSTOP);  // one that cannot notice anything
    kill(trainers_in(sweep.folder()).at(0).pid, SIGSTOP);
    run.signal(SIGKILL);
    EXPECT_EQ(run.wait().status, 128 + SIGKILL);
    EXPECT_TRUE(eventually([&] { return processes_in(sweep.folder()).empty(); }, seconds(5)))
        << how << ": " << text_of(processes_in(sweep.folder()));
  }
}

TEST(Orphans, NoTrainerIsLeftTwoSecondsAfterTheCoordinatorOfLocalWorkersWasKilled) {
  const SmallRun sweep(1, kLong);
  Running run(sweep.alone({"--workers", "2"}), sweep.folder());
  wait_until_busy(run, sweep);
  kill(trainers_in(sweep.folder()).at(0).pid, SIGSTOP);
  run.signal(SIGKILL);
  EXPECT_EQ(run.wait().status, 128 + SIGKILL);
  EXPECT_TRUE(eventually([&] { return processes_in(sweep.folder()).empty(); }, seconds(2)))
      << text_of(processes_in(sweep.folder()));
}

TEST(Orphans, AKilledMpirunLeavesAJournalThatTheSameCommandGoesOnWith) {
  const SmallRun sweep(4, 60);
  {
    Running run(sweep.ranks(3), sweep.folder());
    ASSERT_TRUE(run.until([&] { return sweep.commits().size() >= 3; }));
    run.signal(SIGKILL);
    run.wait();
  }
  ASSERT_TRUE(eventually([&] { return processes_in(sweep.folder()).empty(); }, seconds(5)));
  EXPECT_FALSE(sweep.is_complete());
  const auto again = sweep.run(sweep.alone());
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_TRUE(sweep.is_complete());
  EXPECT_EQ(sweep.report(), undisturbed_report(4, 60));
}

}  // namespace
}  // namespace tests
