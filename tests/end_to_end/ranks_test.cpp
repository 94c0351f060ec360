// Worlds of several sizes, idle ranks, ranks that are lost, and what a script hears of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "tests/end_to_end/processes.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/end_to_end/small_run.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;

TEST(Ranks, WorldsOfOneTwoThreeAndNineGiveTheReportOfARunWithoutMpi) {
  for (const int size : {1, 2, 3, 9}) {
    const SmallRun run(3, 3, 96);
    const auto ended = run.run(run.ranks(size));
    ASSERT_EQ(ended.status, 0) << "a world of " << size << ": " << ended.errors;
    EXPECT_EQ(run.report(), undisturbed_report(3, 3, 96)) << "a world of " << size;
    for (int worker = 1; worker < size; ++worker) {
      EXPECT_EQ(run.times_logged("worker " + std::to_string(worker) + ": host"), 1U) << "a world of " << size;
    }
  }
}

TEST(Ranks, IdleOnesUseLessThanATwentiethOfACore) {
  const SmallRun sweep(1, 20000);
  undisturbed_report(1, 1);  // makes the features
  Running run(sweep.ranks(3, {}, {"--hang-deadline", "600"}), sweep.folder());
  ASSERT_TRUE(run.until([&] { return trainers_in(sweep.folder()).size() == 2; }));
  const auto trainers = trainers_in(sweep.folder());
  // Both are at their tasks: a trainer's own work begins after the libraries are loaded.
  ASSERT_TRUE(
      run.until([&] { return look_again(trainers[0]).cpu_ticks > 300 && look_again(trainers[1]).cpu_ticks > 300; }));
  for (const auto& trainer : trainers) kill(trainer.pid, SIGSTOP);
  const auto before = runs_in(sweep.folder());
  ASSERT_EQ(before.size(), 3U) << text_of(before);
  const auto begin = std::chrono::steady_clock::now();
  run.until([&] { return std::chrono::steady_clock::now() - begin > seconds(10); });
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  for (const auto& rank : before) {
    const auto after = look_again(rank);
    ASSERT_NE(after.pid, 0) << "rank " << rank.rank << " has ended";
    const double used =
        static_cast<double>(after.cpu_ticks - rank.cpu_ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
    std::cout << "rank " << rank.rank << ": " << 100 * used / passed.count() << " % of a core\n";
    EXPECT_LT(used / passed.count(), 0.05) << "rank " << rank.rank;
  }
}

TEST(Ranks, ALostOneIsMissedByNobodyUnderRecovery) {
  const SmallRun sweep(4, 60);
  const auto undisturbed = undisturbed_report(4, 60);
  Running run(sweep.ranks(3, {"--enable-recovery"}), sweep.folder());
  ASSERT_TRUE(run.until([&] { return sweep.commits().size() >= 2 && trainers_in(sweep.folder()).size() == 2; }));
  EXPECT_EQ(sweep.exit_status(), std::nullopt) << "not while it is at work";
  kill(runs_in(sweep.folder()).at(2).pid, SIGKILL);
  const auto ended = run.wait(seconds(60));
  EXPECT_THAT(sweep.log(), HasSubstr("worker 2 ("));
  EXPECT_TRUE(sweep.is_complete());
  EXPECT_EQ(sweep.ended_attempts(), (std::map<std::string, int>{{"worker-lost", 1}}));
  EXPECT_EQ(sweep.report(), undisturbed);
  EXPECT_EQ(sweep.exit_status(), 0) << ended.errors;
  EXPECT_TRUE(eventually([&] { return processes_in(sweep.folder()).empty(); }, seconds(2)))
      << text_of(processes_in(sweep.folder()));
}

TEST(Ranks, ALostOnesTrainingGoesOnFromItsCheckpointOnAnother) {
  const SmallRun sweep(1, 300, 96);
  const auto undisturbed = undisturbed_report(1, 300, 96);
  Running run(sweep.ranks(3, {"--enable-recovery"}, {"--checkpoint-every", "0.0005"}), sweep.folder());
  ASSERT_TRUE(run.until([&] { return sweep.times_logged("worker 2 wrote a checkpoint") > 1; }));
  kill(runs_in(sweep.folder()).at(2).pid, SIGKILL);
  const auto ended = run.wait(seconds(60));
  EXPECT_EQ(sweep.ended_attempts(), (std::map<std::string, int>{{"worker-lost", 1}}));
  EXPECT_THAT(sweep.log(), testing::ContainsRegex("worker 1: .* resumed from epoch .* of attempt 1"));
  EXPECT_EQ(sweep.report(), undisturbed) << ended.errors;
  EXPECT_EQ(sweep.exit_status(), 0);
}

/// A drain, and the end that a batch script is told.
class RanksOfMpirun : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Signals, RanksOfMpirun, testing::Values(SIGUSR1, SIGUSR2),
                         [](const auto& number) { return number.param == SIGUSR1 ? "Sigusr1" : "Sigusr2"; });

TEST_P(RanksOfMpirun, MakeWayWithCheckpointsWhenItIsToldThatTheTimeIsOver) {
  const SmallRun sweep(1, 300, 96);
  {
    Running run(sweep.ranks(3, {}, {"--checkpoint-every", "0.0005", "--end-within", "20"}), sweep.folder());
    ASSERT_TRUE(run.until(
        [&] { return sweep.logged("worker 1 wrote a checkpoint") && sweep.logged("worker 2 wrote a checkpoint"); }));
    run.signal(GetParam());
    run.wait(seconds(60));
  }
  EXPECT_EQ(sweep.exit_status(), 4);
  EXPECT_EQ(sweep.ended_attempts(), (std::map<std::string, int>{{"drained", 2}}));
  const auto again = sweep.run(sweep.ranks(2));
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(sweep.times_logged(" resumed from epoch "), 2U);
  EXPECT_EQ(sweep.report(), undisturbed_report(1, 300, 96));
}

TEST(Ranks, MpirunEndsThemAllWithoutRecoveryAndTheSameCommandGoesOn) {
  const SmallRun sweep(4, 60);
  {
    Running run(sweep.ranks(3), sweep.folder());
    ASSERT_TRUE(run.until([&] { return sweep.commits().size() >= 2 && trainers_in(sweep.folder()).size() == 2; }));
    kill(runs_in(sweep.folder()).at(2).pid, SIGKILL);
    EXPECT_NE(run.wait(seconds(60)).status, 0);
    EXPECT_TRUE(eventually([&] { return processes_in(sweep.folder()).empty(); }, seconds(5)))
        << text_of(processes_in(sweep.folder()));
  }
  EXPECT_FALSE(sweep.is_complete());
  const auto again = sweep.run(sweep.ranks(3));
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_TRUE(sweep.is_complete());
  EXPECT_EQ(sweep.exit_status(), 0);
  EXPECT_EQ(sweep.report(), undisturbed_report(4, 60));
}

TEST(Ranks, TheTrueExitStatusIsInAFileBecauseMpirunWithRecoveryReturnsZero) {
  const SmallRun sweep(4, 60);
  {
    Running run(sweep.ranks(2, {"--enable-recovery"}), sweep.folder());
    ASSERT_TRUE(run.until([&] { return sweep.commits().size() >= 1; }));
    run.signal(SIGUSR1);
    EXPECT_EQ(run.wait(seconds(60)).status, 0) << "should mpirun tell the truth one day, tell it in the README";
  }
  EXPECT_EQ(sweep.exit_status(), 4);
  EXPECT_EQ(sweep.run(sweep.ranks(2)).status, 0);
  EXPECT_EQ(sweep.exit_status(), 0);
}

TEST(Ranks, LeaveAtOnceWhenTheCoordinatorIsKilledUnderRecovery) {
  const SmallRun sweep(4, 60);
  {
    Running run(sweep.ranks(3, {"--enable-recovery"}), sweep.folder());
    ASSERT_TRUE(run.until([&] { return sweep.commits().size() >= 2 && trainers_in(sweep.folder()).size() == 2; }));
    kill(runs_in(sweep.folder()).at(0).pid, SIGKILL);
    run.wait(seconds(10));
    EXPECT_TRUE(eventually([&] { return processes_in(sweep.folder()).empty(); }, seconds(2)))
        << text_of(processes_in(sweep.folder()));
  }
  EXPECT_EQ(sweep.exit_status(), std::nullopt);
  const auto again = sweep.run(sweep.ranks(3));
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_TRUE(sweep.is_complete());
  EXPECT_EQ(sweep.report(), undisturbed_report(4, 60));
}

TEST(Ranks, DoNotWaitForEverForOneThatIsLostWhileMpiStarts) {
  const SmallRun sweep(1, 1);
  Running run(sweep.ranks(3, {"--enable-recovery"}, {"--start-deadline", "4"}), sweep.folder());
  ASSERT_TRUE(run.until([&] { return runs_in(sweep.folder()).size() == 3; }));
  kill(runs_in(sweep.folder()).at(1).pid, SIGKILL);
  const auto ended = run.wait(seconds(30));
  EXPECT_THAT(ended.errors, HasSubstr("MPI has not started within 4 s (--start-deadline)"));
  EXPECT_FALSE(fs::exists(sweep.out()));
}

TEST(Ranks, SrunThatStartsSingletonsIsRefusedBeforeTheyAllWriteTheSameFiles) {
  const SmallRun sweep(1, 1);
  for (const char* process : {"0", "3"}) {
    const auto ended = Running(sweep.alone(), sweep.folder(),
                               {"SLURM_JOB_ID=7", "SLURM_STEP_ID=0", "SLURM_NTASKS=4", "SLURM_STEP_NUM_TASKS=4",
                                std::string("SLURM_PROCID=") + process})
                           .wait();
    EXPECT_EQ(ended.status, 2);
    EXPECT_THAT(ended.errors, AllOf(HasSubstr("srun started 4 tasks"), HasSubstr("srun --mpi=pmix -n 4")));
    EXPECT_FALSE(fs::exists(sweep.out()));
  }
}

}  // namespace
}  // namespace tests
