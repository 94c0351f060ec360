// The coordinator's rules for tries that fail: budgets, blocked tasks, errors that stop the sweep. Whole lists of
// actions.
#include <gtest/gtest.h>

#include "runner/coordinator.hpp"
#include "tests/runner/coordinator_events.hpp"

namespace runner {
namespace {

const Actions kNothing;

TEST(CoordinatorFailures, TryATaskAgainOnAnotherWorker) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1, {}, 9), b = training(2, {}, 8), c = training(3, {}, 7);
  coordinator.on(TasksAdded{{a, b, c}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  EXPECT_EQ(coordinator.on(failed(1, a, 1, Cause::hung, "no progress"), 0),
            (Actions{again(1, a, 1, Cause::hung, "no progress"), send(1, c)}));
  EXPECT_EQ(coordinator.on(done(1, c), 0), (Actions{commit(1, c)}));
  EXPECT_EQ(coordinator.on(done(2, b), 0), (Actions{commit(2, b), send(2, a, 2)}));
  EXPECT_EQ(coordinator.on(done(2, a, 2), 0), (Actions{commit(2, a, 2)}));
}

TEST(CoordinatorFailures, TryATaskAgainOnTheSameWorkerWhenNoOtherCould) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1, {}, 9), b = training(2, {}, 8);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  coordinator.on(TasksAdded{{a, b}}, 0);
  EXPECT_EQ(coordinator.on(failed(1, a, 1, Cause::hung, "m"), 0), (Actions{again(1, a, 1, Cause::hung, "m")}));
  EXPECT_EQ(
      coordinator.on(lost(2), 0),
      (Actions{gone(2, "connection reset"), again(2, b, 1, Cause::worker_lost, "connection reset"), send(1, a, 2)}));
}

TEST(CoordinatorFailures, FailATaskThatIsOutOfItsBudget) {
  Budgets budgets;
  budgets.job_retries = 2;
  Coordinator coordinator{budgets};
  const auto a = training(1, {}, 2), b = training(2, {}, 1);
  coordinator.on(TasksAdded{{a, b}}, 0);
  coordinator.on(hello(1), 0);
  EXPECT_EQ(coordinator.on(failed(1, a, 1, Cause::signal, "SIGSEGV"), 0),
            (Actions{again(1, a, 1, Cause::signal, "SIGSEGV"), send(1, a, 2)}));
  EXPECT_EQ(coordinator.on(failed(1, a, 2, Cause::hung, "still"), 0),
            (Actions{again(1, a, 2, Cause::hung, "still"), send(1, a, 3)}));
  EXPECT_EQ(coordinator.on(failed(1, a, 3, Cause::exited, "status 9"), 0),
            (Actions{failure(1, a, 3, Cause::exited, "status 9"), send(1, b)}));
}

TEST(CoordinatorFailures, DoNotTryBadInputAgain) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1), b = training(2);
  coordinator.on(TasksAdded{{a, b}}, 0);
  coordinator.on(hello(1), 0);
  EXPECT_EQ(coordinator.on(failed(1, a, 1, Cause::bad_input, "1.h5: checksum"), 0),
            (Actions{failure(1, a, 1, Cause::bad_input, "1.h5: checksum"), send(1, b)}));
}

TEST(CoordinatorFailures, OfAFullDiskAreChargedToNoJobAndNothingMoreIsStarted) {
  Coordinator coordinator{Budgets{}};
  const auto part = extraction(1), whole = extraction(2, {{1}}), job = training(3, {{2}}), other = training(4),
             waiting = training(5);
  coordinator.on(TasksAdded{{part, whole, job, other, waiting}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  coordinator.on(NoMoreTasks{}, 0);
  EXPECT_EQ(coordinator.on(failed(1, part, 1, Cause::disk_full, "1.h5: no room"), 0),
            (Actions{failure(1, part, 1, Cause::disk_full, "1.h5: no room", {{2}, {3}})}))
      << "tried once, and the idle worker gets nothing";
  EXPECT_EQ(coordinator.on(done(2, other), 0), (Actions{commit(2, other), shutdown(1), shutdown(2), Finished{}}));
}

TEST(CoordinatorFailures, BlockEveryTaskThatNeedsAFailedOne) {
  Coordinator coordinator{Budgets{}};
  const auto a = extraction(1, {}, 9), whole = extraction(5, {{1}}), job = training(4, {{5}}),
             both = training(6, {{1}, {4}}), other = training(3);
  coordinator.on(TasksAdded{{a, whole, job, both, other}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(NoMoreTasks{}, 0);
  EXPECT_EQ(coordinator.on(failed(1, a, 1, Cause::bad_input, "m"), 0),
            (Actions{failure(1, a, 1, Cause::bad_input, "m", {{4}, {5}, {6}}), send(1, other)}));
  EXPECT_EQ(coordinator.counts_of_jobs(), (Counts{0, 1, 0, 2}));
  EXPECT_EQ(coordinator.on(done(1, other), 0), (Actions{commit(1, other), shutdown(1), Finished{}}));
}

TEST(CoordinatorFailures, BlockTasksThatAreAddedAfterwards) {
  Coordinator coordinator{Budgets{}};
  const auto a = extraction(1), whole = extraction(2, {{1}}), job = training(3, {{2}});
  coordinator.on(TasksAdded{{a}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(failed(1, a, 1, Cause::bad_input, "m"), 0);
  EXPECT_EQ(coordinator.on(TasksAdded{{whole, job}}, 0), (Actions{RecordBlocked{{2}, {1}}, RecordBlocked{{3}, {2}}}));
  EXPECT_EQ(coordinator.on(NoMoreTasks{}, 0), (Actions{shutdown(1), Finished{}}));
}

TEST(CoordinatorFailures, IgnoreThoseOfAnotherWorkerOrAttempt) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1);
  coordinator.on(TasksAdded{{a}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  EXPECT_EQ(coordinator.on(failed(2, a, 1, Cause::hung, "m"), 0), kNothing);
  EXPECT_EQ(coordinator.on(failed(1, a, 2, Cause::hung, "m"), 0), kNothing);
  EXPECT_EQ(coordinator.on(failed(1, training(9), 1, Cause::hung, "m"), 0), kNothing);
  EXPECT_EQ(coordinator.on(done(1, a), 0), (Actions{commit(1, a)}));
}

TEST(CoordinatorFailures, TakeTheOutputOfAnotherKindOfTaskForOne) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1);
  coordinator.on(TasksAdded{{a}}, 0);
  coordinator.on(hello(1), 0);
  const std::string why = "the worker returned the output of another kind of task";
  EXPECT_EQ(coordinator.on(FromWorker{{1}, workers::TaskDone{{1}, {1}, workers::Extracted{7}, 1, ""}}, 0),
            (Actions{again(1, a, 1, Cause::exception, why), send(1, a, 2, 1)}));
}

TEST(CoordinatorFailures, ChargeAnInfrastructureCauseToItsOwnBudgetOnly) {
  Budgets budgets;
  budgets.infrastructure_retries = 2;
  Coordinator coordinator{budgets};
  const auto a = training(1);
  coordinator.on(TasksAdded{{a}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  EXPECT_EQ(coordinator.on(lost(2), 0), (Actions{gone(2, "connection reset")}));
  EXPECT_EQ(coordinator.on(hello(1), 0),
            (Actions{again(1, a, 1, Cause::worker_lost, "the worker was started anew"), send(1, a, 2)}));
  coordinator.on(hello(2), 0);
  EXPECT_EQ(coordinator.on(failed(1, a, 2, Cause::hung, "m"), 0),
            (Actions{again(1, a, 2, Cause::hung, "m"), send(2, a, 3)}));
  EXPECT_EQ(
      coordinator.on(lost(2), 0),
      (Actions{gone(2, "connection reset"), again(2, a, 3, Cause::worker_lost, "connection reset"), send(1, a, 4)}));
  EXPECT_EQ(coordinator.on(failed(1, a, 4, Cause::drained, "SIGTERM"), 0),
            (Actions{again(1, a, 4, Cause::drained, "SIGTERM"), send(1, a, 5)}))
      << "charged to no budget";
  const auto by_loss = coordinator.on(lost(1), 0);
  ASSERT_GE(by_loss.size(), 2U);
  EXPECT_EQ(Actions{by_loss[1]}, (Actions{failure(1, a, 5, Cause::worker_lost, "connection reset")}));
}

TEST(CoordinatorFailures, OfTheTrainingItselfLeaveNoCheckpointToGoOnWith) {
  Budgets budgets;
  budgets.job_retries = 9;
  Coordinator coordinator{budgets};
  auto a = training(1);
  a.attempts_before = 4;
  a.anew_through = 3;
  coordinator.on(hello(1), 0);
  EXPECT_EQ(coordinator.on(TasksAdded{{a}}, 0), (Actions{send(1, a, 5, 3)}));
  EXPECT_EQ(coordinator.on(failed(1, a, 5, Cause::signal, "m"), 0),
            (Actions{again(1, a, 5, Cause::signal, "m"), send(1, a, 6, 3)}));
  EXPECT_EQ(coordinator.on(failed(1, a, 6, Cause::exception, "m"), 0),
            (Actions{again(1, a, 6, Cause::exception, "m"), send(1, a, 7, 6)}));
  EXPECT_EQ(coordinator.on(failed(1, a, 7, Cause::out_of_memory, "m"), 0),
            (Actions{again(1, a, 7, Cause::out_of_memory, "m"), send(1, a, 8, 6)}));
}

// ---- errors that stop the sweep
// ------------------------------------------------------------------------------------------------

class SameError : public testing::Test {
 protected:
  void start(Budgets budgets, int trainings) {
    budgets.job_retries = 0;
    coordinator = Coordinator(budgets);
    TasksAdded plan;
    for (int id = 1; id <= trainings; ++id) plan.tasks.push_back(training(id));
    coordinator.on(plan, 0);
    coordinator.on(hello(1), 0);
  }
  Actions fail(int id, const std::string& message, Cause cause = Cause::exception) {
    return coordinator.on(failed(1, training(id), 1, cause, message), 0);
  }
  Coordinator coordinator{Budgets{}};
};

TEST_F(SameError, InTheFirstThreeTrainingsStopsTheSweep) {
  start({}, 5);
  EXPECT_EQ(fail(1, "row 17 is odd"),
            (Actions{failure(1, training(1), 1, Cause::exception, "row 17 is odd"), send(1, training(2))}));
  EXPECT_EQ(fail(2, "row 9 is odd"),
            (Actions{failure(1, training(2), 1, Cause::exception, "row 9 is odd"), send(1, training(3))}));
  EXPECT_EQ(
      fail(3, "row 250 is odd"),
      (Actions{failure(1, training(3), 1, Cause::exception, "row 250 is odd"), shutdown(1),
               StopSweep{"the first 3 trainings that ended all failed with the same error: exception: row 250 is odd; "
                         "mend it and run again with --retry-failed"}}));
  EXPECT_TRUE(coordinator.finished());
}

TEST_F(SameError, DoesNotStopASweepWithATrainingDone) {
  start({}, 6);
  coordinator.on(done(1, training(1)), 0);
  for (int id = 2; id <= 5; ++id) {
    EXPECT_EQ(fail(id, "m"), (Actions{failure(1, training(id), 1, Cause::exception, "m"), send(1, training(id + 1))}));
  }
}

TEST_F(SameError, MustHaveTheSameClassAndMessage) {
  start({}, 12);
  fail(1, "m");
  fail(2, "m", Cause::signal);
  EXPECT_EQ(fail(3, "m"), (Actions{failure(1, training(3), 1, Cause::exception, "m"), send(1, training(4))}));
  start({}, 12);
  fail(1, "m");
  fail(2, "n");
  EXPECT_EQ(fail(3, "m"), (Actions{failure(1, training(3), 1, Cause::exception, "m"), send(1, training(4))}));
}

TEST_F(SameError, MayBeAllowed) {
  Budgets budgets;
  budgets.same_error_stop = 0;
  start(budgets, 5);
  for (int id = 1; id <= 4; ++id) {
    EXPECT_EQ(fail(id, "m"), (Actions{failure(1, training(id), 1, Cause::exception, "m"), send(1, training(id + 1))}));
  }
}

TEST_F(SameError, InFewerTrainingsThanThatFinishesTheSweep) {
  start({}, 2);
  coordinator.on(NoMoreTasks{}, 0);
  fail(1, "m");
  EXPECT_EQ(fail(2, "m"), (Actions{failure(1, training(2), 1, Cause::exception, "m"), shutdown(1), Finished{}}));
}

TEST_F(SameError, OfFeatureTasksDoesNotCount) {
  coordinator.on(hello(1), 0);
  coordinator.on(TasksAdded{{extraction(1), extraction(2), extraction(3), training(4)}}, 0);
  coordinator.on(failed(1, extraction(1), 1, Cause::bad_input, "m"), 0);
  coordinator.on(failed(1, extraction(2), 1, Cause::bad_input, "m"), 0);
  EXPECT_EQ(coordinator.on(failed(1, extraction(3), 1, Cause::bad_input, "m"), 0),
            (Actions{failure(1, extraction(3), 1, Cause::bad_input, "m"), send(1, training(4))}));
}

TEST_F(SameError, ShutsDownBusyWorkersToo) {
  Budgets budgets;
  budgets.quarantine_after = 0;
  start(budgets, 5);
  coordinator.on(hello(2), 0);  // takes training 2
  fail(1, "m");
  fail(3, "m");
  EXPECT_EQ(
      fail(4, "m"),
      (Actions{failure(1, training(4), 1, Cause::exception, "m"), shutdown(1), shutdown(2),
               StopSweep{"the first 3 trainings that ended all failed with the same error: exception: m; mend it and "
                         "run again with --retry-failed"}}));
  EXPECT_EQ(coordinator.on(done(2, training(2)), 0), kNothing);
}

}  // namespace
}  // namespace runner
