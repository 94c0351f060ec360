// The coordinator's rules in a run without failures: who gets what, what is committed, how it ends. Each test compares
// whole lists of actions. Failures: coordinator_failures_test.cpp and coordinator_workers_test.cpp; random orders:
// coordinator_orders_test.cpp.
#include "runner/coordinator.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/runner/coordinator_events.hpp"

namespace runner {
namespace {

const Actions kNothing;

// ---- who gets what
// -----------------------------------------------------------------------------------------------------------

TEST(Coordinator, SendsNothingBeforeAWorkerGreets) {
  Coordinator coordinator{Budgets{}};
  const auto task = training(1);
  EXPECT_EQ(coordinator.on(TasksAdded{{task}}, 0), kNothing);
  EXPECT_EQ(coordinator.on(heartbeat(1), 0), kNothing);
  EXPECT_EQ(coordinator.live_workers(), 0u);
  EXPECT_EQ(coordinator.on(hello(1), 0), (Actions{send(1, task)}));
  EXPECT_EQ(coordinator.live_workers(), 1u);
}

TEST(Coordinator, GivesOneTaskToEachIdleWorker) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1), b = training(2), c = training(3);
  EXPECT_EQ(coordinator.on(hello(5), 0), kNothing);
  EXPECT_EQ(coordinator.on(hello(2), 0), kNothing);
  EXPECT_EQ(coordinator.on(TasksAdded{{a, b, c}}, 0), (Actions{send(2, a), send(5, b)}));
  EXPECT_EQ(coordinator.on(heartbeat(2), 0), kNothing);
}

TEST(Coordinator, GivesTheLongestTrainingFirstAndThenTheLowestId) {
  Coordinator coordinator{Budgets{}};
  const auto brief = training(1, {}, 1), b = training(2, {}, 5), a = training(4, {}, 9), c = training(3, {}, 5);
  coordinator.on(TasksAdded{{brief, b, a, c}}, 0);
  EXPECT_EQ(coordinator.on(hello(1), 0), (Actions{send(1, a)}));
  EXPECT_EQ(coordinator.on(done(1, a), 0), (Actions{commit(1, a), send(1, b)}));
  EXPECT_EQ(coordinator.on(done(1, b), 0), (Actions{commit(1, b), send(1, c)}));
  EXPECT_EQ(coordinator.on(done(1, c), 0), (Actions{commit(1, c), send(1, brief)}));
}

TEST(Coordinator, GivesFeatureTasksBeforeTrainings) {
  Coordinator coordinator{Budgets{}};
  const auto job = training(1, {}, 1000), slice = extraction(2, {}, 1);
  coordinator.on(TasksAdded{{job, slice}}, 0);
  EXPECT_EQ(coordinator.on(hello(1), 0), (Actions{send(1, slice)}));
  EXPECT_EQ(coordinator.on(done(1, slice), 0), (Actions{commit(1, slice), send(1, job)}));
}

TEST(Coordinator, WaitsForEveryTaskThatIsNeeded) {
  Coordinator coordinator{Budgets{}};
  const auto a = extraction(1), b = extraction(2), whole = extraction(3, {{1}, {2}, {1}}), job = training(4, {{3}});
  coordinator.on(TasksAdded{{a, b, whole, job}}, 0);
  EXPECT_EQ(coordinator.on(hello(1), 0), (Actions{send(1, a)}));
  EXPECT_EQ(coordinator.on(hello(2), 0), (Actions{send(2, b)}));
  EXPECT_EQ(coordinator.on(hello(3), 0), kNothing);
  EXPECT_EQ(coordinator.on(done(1, a), 0), (Actions{commit(1, a)}));
  EXPECT_EQ(coordinator.on(done(2, b), 0), (Actions{commit(2, b), send(1, whole)}));
  EXPECT_EQ(coordinator.on(done(1, whole), 0), (Actions{commit(1, whole), send(1, job)}));
}

TEST(Coordinator, TakesTasksInWavesThatNeedEarlierOnes) {
  Coordinator coordinator{Budgets{}};
  const auto scan = extraction(1), other = extraction(2), job = training(3, {{1}}), late = training(4, {{1}, {2}});
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  EXPECT_EQ(coordinator.on(TasksAdded{{scan, other}}, 0), (Actions{send(1, scan), send(2, other)}));
  EXPECT_EQ(coordinator.on(done(1, scan), 0), (Actions{commit(1, scan)}));
  EXPECT_EQ(coordinator.on(TasksAdded{{job, late}}, 0), (Actions{send(1, job)}));
  EXPECT_EQ(coordinator.on(done(1, job), 0), (Actions{commit(1, job)}));
  EXPECT_EQ(coordinator.on(done(2, other), 0), (Actions{commit(2, other), send(1, late)}));
}

TEST(Coordinator, KeepsAWorkerOnTheFeaturesThatItHasLoaded) {
  Coordinator coordinator{Budgets{}};
  const auto first = training(1, {}, 9, "cats"), longer = training(2, {}, 8, "dogs"), same = training(3, {}, 5, "cats"),
             shorter = training(4, {}, 4, "cats");
  coordinator.on(TasksAdded{{first, longer, same, shorter}}, 0);
  EXPECT_EQ(coordinator.on(hello(1), 0), (Actions{send(1, first)}));
  EXPECT_EQ(coordinator.on(done(1, first), 0), (Actions{commit(1, first), send(1, same)}));
  EXPECT_EQ(coordinator.on(hello(2), 0), (Actions{send(2, longer)}));
}

TEST(Coordinator, StartsALongTrainingBeforeOneOfLessThanHalfItsLengthOnLoadedFeatures) {
  Coordinator coordinator{Budgets{}};
  const auto first = training(1, {}, 11, "cats"), longer = training(2, {}, 10.5, "dogs"),
             same = training(3, {}, 5, "cats");
  coordinator.on(TasksAdded{{first, longer, same}}, 0);
  EXPECT_EQ(coordinator.on(hello(1), 0), (Actions{send(1, first)}));
  EXPECT_EQ(coordinator.on(done(1, first), 0), (Actions{commit(1, first), send(1, longer)}));
}

TEST(Coordinator, RefusesPlansThatCannotBe) {
  const auto on = [](const std::vector<PlannedTask>& tasks) {
    Coordinator coordinator{Budgets{}};
    coordinator.on(TasksAdded{tasks}, 0);
  };
  EXPECT_NO_THROW(on({training(1), training(2, {{1}})}));
  EXPECT_THROW(on({training(1), training(1)}), std::logic_error);
  EXPECT_THROW(on({training(1, {{2}}), training(2)}), std::logic_error);
  EXPECT_THROW(on({training(1, {{1}})}), std::logic_error);
  EXPECT_THROW(on({training(1, {}, std::numeric_limits<double>::quiet_NaN())}), std::logic_error);
  Coordinator coordinator{Budgets{}};
  coordinator.on(TasksAdded{{training(1)}}, 0);
  EXPECT_THROW(coordinator.on(TasksAdded{{training(1)}}, 0), std::logic_error);
  coordinator.on(NoMoreTasks{}, 0);
  EXPECT_THROW(coordinator.on(TasksAdded{{training(2)}}, 0), std::logic_error);
}

// ---- what is committed
// ---------------------------------------------------------------------------------------------------------

TEST(Coordinator, CommitsAnOutputOnceAndKeepsASecondOneAsEvidence) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1), b = training(2);
  coordinator.on(TasksAdded{{a, b}}, 0);
  coordinator.on(hello(1), 0);
  EXPECT_EQ(coordinator.on(done(1, a), 0), (Actions{commit(1, a), send(1, b)}));
  EXPECT_EQ(coordinator.on(done(1, a), 0), (Actions{evidence(1, a, 1, "the task is committed already")}));
}

TEST(Coordinator, DoesNotCommitTheOutputOfAnotherWorkerOrAttempt) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1), unknown = training(99), waiting = training(2, {{1}});
  coordinator.on(TasksAdded{{a, waiting}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  EXPECT_EQ(coordinator.on(done(2, a), 0), (Actions{evidence(2, a, 1, "worker 1 holds the task")}));
  EXPECT_EQ(coordinator.on(done(3, a), 0), (Actions{evidence(3, a, 1, "worker 1 holds the task")}));
  EXPECT_EQ(coordinator.on(done(1, a, 2), 0), (Actions{evidence(1, a, 2, "attempt 2 is over; attempt 1 runs")}));
  EXPECT_EQ(coordinator.on(done(1, waiting), 0),
            (Actions{evidence(1, waiting, 1, "attempt 1 is over; the task waits")}));
  EXPECT_EQ(coordinator.on(done(1, unknown), 0), kNothing);
  EXPECT_EQ(coordinator.on(done(1, a), 0), (Actions{commit(1, a), send(1, waiting)}));
}

TEST(Coordinator, ShowsTheEpochsOfTheCurrentAttemptOnly) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1);
  coordinator.on(TasksAdded{{a}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  results::EpochRecord record;
  record.epoch = 4;
  EXPECT_EQ(coordinator.on(epoch(1, a, 1, 4), 0), (Actions{ShowEpoch{{1}, {1}, {1}, record}}));
  EXPECT_EQ(coordinator.on(epoch(2, a, 1, 4), 0), kNothing);
  EXPECT_EQ(coordinator.on(epoch(1, a, 2, 4), 0), kNothing);
}

// ---- how it ends
// ---------------------------------------------------------------------------------------------------------------

TEST(Coordinator, ShutsDownEveryWorkerInOrderWhenAllIsDone) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1), b = training(2);
  coordinator.on(hello(3), 0);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  coordinator.on(TasksAdded{{a, b}}, 0);
  EXPECT_EQ(coordinator.on(done(1, a), 0), (Actions{commit(1, a)}));
  EXPECT_EQ(coordinator.on(NoMoreTasks{}, 0), kNothing);
  EXPECT_FALSE(coordinator.finished());
  EXPECT_EQ(coordinator.on(done(2, b), 0), (Actions{commit(2, b), shutdown(1), shutdown(2), shutdown(3), Finished{}}));
  EXPECT_TRUE(coordinator.finished());
}

TEST(Coordinator, FinishesAtOnceWithoutTasks) {
  Coordinator coordinator{Budgets{}};
  EXPECT_EQ(coordinator.on(NoMoreTasks{}, 0), (Actions{Finished{}}));
}

TEST(Coordinator, AnswersNothingAfterTheEndButLateGreetings) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1);
  coordinator.on(TasksAdded{{a}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(NoMoreTasks{}, 0);
  coordinator.on(done(1, a), 0);
  for (const Event& event : std::vector<Event>{done(1, a), goodbye(1), lost(1), Tick{}, DrainAsked{}, NoMoreTasks{},
                                               TasksAdded{{training(2)}}}) {
    EXPECT_EQ(coordinator.on(event, 1000), kNothing);
  }
  EXPECT_EQ(coordinator.on(hello(2), 1000), (Actions{shutdown(2)}));
}

TEST(Coordinator, LetsRunningTasksEndWhenDraining) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1), b = training(2), c = training(3);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  coordinator.on(TasksAdded{{a, b, c}}, 0);
  EXPECT_EQ(coordinator.on(DrainAsked{}, 0), (Actions{suspend(1, a), suspend(2, b)}));
  EXPECT_EQ(coordinator.on(hello(3), 0), kNothing);
  EXPECT_EQ(coordinator.on(done(1, a), 0), (Actions{commit(1, a)}));
  EXPECT_EQ(coordinator.on(DrainAsked{}, 0), kNothing);
  EXPECT_EQ(coordinator.on(failed(2, b, 1, Cause::hung, "m"), 0),
            (Actions{again(2, b, 1, Cause::hung, "m"), shutdown(1), shutdown(2), shutdown(3), Finished{}}));
  EXPECT_EQ(coordinator.counts_of_jobs(), (Counts{2, 0, 1, 0}));
}

TEST(Coordinator, AsksTrainingsOnlyToMakeWayAndTellsThemTheTimeThatIsLeft) {
  Coordinator coordinator{Budgets{}};
  auto fit = training(3);
  std::get<workers::TrainTask>(fit.what).job.method = sweeps::Method::knn;
  const auto a = training(1), part = extraction(2);
  for (const int worker : {1, 2, 3, 4}) coordinator.on(hello(worker), 0);
  coordinator.on(TasksAdded{{a, part, fit}}, 0);
  const Actions asked = coordinator.on(DrainAsked{90}, 0);
  ASSERT_EQ(asked.size(), 1U) << testing::PrintToString(asked);
  const auto& message = std::get<Send>(asked[0]).message;
  EXPECT_EQ(std::get<workers::Suspend>(message), (workers::Suspend{a.id, {1}, 90}));
}

TEST(Coordinator, AsksAgainWhenLessTimeIsLeftThanItSaid) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1);
  coordinator.on(hello(1), 0);
  coordinator.on(TasksAdded{{a}}, 0);
  const auto asked = [&](double seconds_left) { return Actions{Send{1, workers::Suspend{a.id, {1}, seconds_left}}}; };
  EXPECT_EQ(coordinator.on(DrainAsked{90}, 0), asked(90));
  EXPECT_EQ(coordinator.on(DrainAsked{80}, 20), kNothing) << "until 100 instead of 90";
  EXPECT_EQ(coordinator.on(DrainAsked{8}, 20), asked(8)) << "until 28";
  EXPECT_EQ(coordinator.on(DrainAsked{}, 21), kNothing);
}

TEST(Coordinator, FinishesADrainWithTrainingsThatAreGivenBackUncharged) {
  Budgets budgets;
  budgets.job_retries = budgets.infrastructure_retries = 0;
  Coordinator coordinator{budgets};
  const auto a = training(1);
  coordinator.on(hello(1), 0);
  coordinator.on(TasksAdded{{a}}, 0);
  coordinator.on(DrainAsked{}, 0);
  EXPECT_EQ(coordinator.on(failed(1, a, 1, Cause::drained, "given back"), 0),
            (Actions{again(1, a, 1, Cause::drained, "given back"), shutdown(1), Finished{}}));
  EXPECT_EQ(coordinator.counts_of_jobs(), (Counts{1, 0, 0, 0}));
}

TEST(Coordinator, StillAsksForWayWhenADiskWasFullBefore) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1), b = training(2);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  coordinator.on(TasksAdded{{a, b}}, 0);
  coordinator.on(failed(1, a, 1, Cause::disk_full, "m"), 0);
  EXPECT_EQ(coordinator.on(DrainAsked{}, 0), (Actions{suspend(2, b)}));
}

TEST(Coordinator, ShowsTheCheckpointsOfTheAttemptThatRunsOnly) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1);
  coordinator.on(hello(1), 0);
  coordinator.on(hello(2), 0);
  coordinator.on(TasksAdded{{a}}, 0);
  const workers::CheckpointWritten written{a.id, {1}, 2, 3, 4, 0.5};
  const workers::Resumed stale{a.id, {9}, 1, 2, 3, 0.5};
  EXPECT_EQ(coordinator.on(FromWorker{{1}, written}, 0), (Actions{ShowCheckpoint{{1}, written}}));
  EXPECT_EQ(coordinator.on(FromWorker{{2}, written}, 0), kNothing);
  EXPECT_EQ(coordinator.on(FromWorker{{1}, stale}, 0), kNothing);
}

TEST(Coordinator, DrainsAtOnceWhenNothingRuns) {
  Coordinator coordinator{Budgets{}};
  coordinator.on(TasksAdded{{training(1)}}, 0);
  EXPECT_EQ(coordinator.on(DrainAsked{}, 0), (Actions{Finished{}}));
}

TEST(Coordinator, FinishesADrainWhoseLastWorkerIsLost) {
  Coordinator coordinator{Budgets{}};
  const auto a = training(1);
  coordinator.on(TasksAdded{{a}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(DrainAsked{}, 0);
  EXPECT_EQ(coordinator.on(lost(1), 0),
            (Actions{gone(1, "connection reset"), again(1, a, 1, Cause::worker_lost, "connection reset"), Finished{}}));
}

// ---- what it tells
// -------------------------------------------------------------------------------------------------------------

TEST(Coordinator, CountsJobsAndFeaturesApart) {
  Coordinator coordinator{Budgets{}};
  const auto slice = extraction(1), bad = extraction(2), job = training(3, {{1}}), blocked = training(4, {{2}});
  coordinator.on(TasksAdded{{slice, bad, job, blocked}}, 0);
  EXPECT_EQ(coordinator.counts_of_features(), (Counts{2, 0, 0, 0}));
  EXPECT_EQ(coordinator.counts_of_jobs(), (Counts{2, 0, 0, 0}));
  coordinator.on(hello(1), 0);
  EXPECT_EQ(coordinator.counts_of_features(), (Counts{1, 1, 0, 0}));
  coordinator.on(done(1, slice), 0);
  coordinator.on(failed(1, bad, 1, Cause::bad_input, "m"), 0);
  EXPECT_EQ(coordinator.counts_of_features(), (Counts{0, 0, 1, 1}));
  EXPECT_EQ(coordinator.counts_of_jobs(), (Counts{0, 1, 0, 1}));
}

TEST(Coordinator, KnowsItsTasksByIdAndNoOthers) {
  Coordinator coordinator{Budgets{}};
  coordinator.on(TasksAdded{{training(1)}}, 0);
  EXPECT_EQ(coordinator.task({1}).name, "training 1");
  EXPECT_THROW(coordinator.task({2}), std::out_of_range);
}

TEST(Coordinator, GivesAHundredThousandTasksToAThousandWorkers) {
  Coordinator coordinator{Budgets{}};
  constexpr int kWorkers = 1000;
  TasksAdded plan;
  for (int id = 1; id <= 1000; ++id) plan.tasks.push_back(extraction(id));
  for (int id = 1001; id <= 100'000; ++id) {
    plan.tasks.push_back(training(id, {{1 + id % 1000}, {1 + id / 2 % 1000}}, id % 97, std::to_string(id % 50)));
  }
  coordinator.on(plan, 0);
  std::vector<workers::Assign> held(kWorkers);
  std::vector<int> busy;
  const auto take = [&](const Actions& actions) {
    for (const Action& action : actions) {
      const auto* sent = std::get_if<Send>(&action);
      if (sent == nullptr || !std::holds_alternative<workers::Assign>(sent->message)) continue;
      held[static_cast<std::size_t>(sent->worker.value)] = std::get<workers::Assign>(sent->message);
      busy.push_back(sent->worker.value);
    }
  };
  for (int worker = 0; worker < kWorkers; ++worker) take(coordinator.on(hello(worker), 0));
  take(coordinator.on(NoMoreTasks{}, 0));
  for (std::size_t next = 0; next < busy.size(); ++next) {
    const auto& assign = held[static_cast<std::size_t>(busy[next])];
    take(coordinator.on(done(busy[next], coordinator.task(assign.task), assign.attempt.value), 0));
  }
  EXPECT_EQ(coordinator.counts_of_jobs(), (Counts{0, 0, 99'000, 0}));
  EXPECT_EQ(coordinator.counts_of_features(), (Counts{0, 0, 1000, 0}));
  EXPECT_TRUE(coordinator.finished());
}

}  // namespace
}  // namespace runner
