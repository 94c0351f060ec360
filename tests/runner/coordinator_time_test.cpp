// The coordinator before a deadline: what still starts, what it learns, how it ends.
#include <gtest/gtest.h>

#include "tests/runner/coordinator_events.hpp"

namespace runner {
namespace {

const Actions kNothing;

PlannedTask timed(std::int64_t id, const std::string& kind, double work) {
  auto task = training(id, {}, work);
  task.effort = {kind, work};
  return task;
}

RunTimes a_second_each(const std::string& kind) {
  RunTimes times;
  times.add({kind, 1}, 1);
  return times;
}

TEST(CoordinatorBeforeADeadline, StartsTheLongestThatEndsInTime) {
  Coordinator coordinator(Budgets{}, a_second_each("plume"));
  const auto brief = timed(1, "plume", 20), fits = timed(2, "plume", 50), too_long = timed(3, "plume", 90);
  coordinator.on(TimeLeft{60}, 0);
  coordinator.on(TasksAdded{{brief, fits, too_long}}, 0);
  EXPECT_EQ(coordinator.on(hello(1), 0), (Actions{send(1, fits)}));
  EXPECT_EQ(coordinator.postponed(), (Postponed{1, 0, 90}));
  EXPECT_DOUBLE_EQ(coordinator.expected_seconds({3}).value(), 90);
  EXPECT_EQ(coordinator.counts_of_jobs(), (Counts{2, 1, 0, 0})) << "a postponed job waits";
}

TEST(CoordinatorBeforeADeadline, EndsWhenNothingThatIsLeftFitsAndNothingRuns) {
  Coordinator coordinator(Budgets{}, a_second_each("plume"));
  const auto fits = timed(1, "plume", 50), too_long = timed(2, "plume", 90);
  coordinator.on(TimeLeft{60}, 0);
  coordinator.on(TasksAdded{{fits, too_long}}, 0);
  coordinator.on(NoMoreTasks{}, 0);
  coordinator.on(hello(1), 0);
  EXPECT_EQ(coordinator.on(hello(2), 1), kNothing) << "the other may turn out to take less";
  EXPECT_EQ(coordinator.on(done(1, fits), 50), (Actions{commit(1, fits), shutdown(1), shutdown(2), Finished{}}));
  EXPECT_EQ(coordinator.postponed(), (Postponed{1, 0, 90}));
}

TEST(CoordinatorBeforeADeadline, EndsAtOnceWhereNoneFits) {
  Coordinator coordinator(Budgets{}, a_second_each("plume"));
  coordinator.on(TimeLeft{60}, 0);
  EXPECT_EQ(coordinator.on(TasksAdded{{timed(1, "plume", 90)}}, 0), kNothing) << "no worker has asked yet";
  EXPECT_EQ(coordinator.on(hello(1), 0), (Actions{shutdown(1), Finished{}}));
}

TEST(CoordinatorBeforeADeadline, CountsTheTimeThatPasses) {
  Coordinator coordinator(Budgets{}, a_second_each("plume"));
  const auto first = timed(1, "plume", 50), second = timed(2, "plume", 50);
  coordinator.on(TimeLeft{99}, 0);
  coordinator.on(TasksAdded{{first, second}}, 0);
  coordinator.on(hello(1), 0);
  EXPECT_EQ(coordinator.on(done(1, first), 50), (Actions{commit(1, first), shutdown(1), Finished{}}));
}

TEST(CoordinatorBeforeADeadline, BelievesTheLatestWordOnTheTimeLeft) {
  Coordinator coordinator(Budgets{}, a_second_each("plume"));
  coordinator.on(TimeLeft{60}, 0);
  coordinator.on(TasksAdded{{timed(1, "plume", 50)}}, 0);
  coordinator.on(TimeLeft{40}, 1);  // e.g. this process had been stopped, and its own clock with it
  EXPECT_EQ(coordinator.on(hello(1), 1), (Actions{shutdown(1), Finished{}}));
}

TEST(CoordinatorBeforeADeadline, StartsWhatNobodyHasTimedAndLearns) {
  Coordinator coordinator{Budgets{}};
  const auto first = timed(1, "plume", 10), second = timed(2, "plume", 10), third = timed(3, "plume", 3);
  coordinator.on(TimeLeft{100}, 0);
  coordinator.on(TasksAdded{{first, second, third}}, 0);
  EXPECT_FALSE(coordinator.expected_seconds({1}));
  EXPECT_EQ(coordinator.on(hello(1), 0), (Actions{send(1, first)}));
  EXPECT_EQ(coordinator.on(done(1, first), 60), (Actions{commit(1, first), send(1, third)}))
      << "60 s for 10: the second would end at 120, the third at 78";
  EXPECT_DOUBLE_EQ(coordinator.expected_seconds({2}).value(), 60);
}

TEST(CoordinatorBeforeADeadline, TakesUpAgainWhatTurnsOutFaster) {
  Coordinator coordinator(Budgets{}, a_second_each("plume"));
  const auto first = training(3, {}, 100), brief = timed(1, "plume", 50), longer = timed(2, "plume", 90);
  coordinator.on(TimeLeft{60}, 0);
  coordinator.on(TasksAdded{{first, brief, longer}}, 0);
  EXPECT_EQ(coordinator.on(hello(1), 0), (Actions{send(1, first)}));
  EXPECT_EQ(coordinator.on(done(1, first), 1), (Actions{commit(1, first), send(1, brief)}));
  EXPECT_EQ(coordinator.on(done(1, brief), 6), (Actions{commit(1, brief), send(1, longer)}))
      << "0.1 and 1 s each: 49.5 s of the 54 left";
}

TEST(CoordinatorBeforeADeadline, DoesNotTakeTheStartOfATrainerForTheLengthOfATask) {
  Coordinator coordinator(Budgets{}, a_second_each("plume"));
  const auto first = timed(1, "plume", 1), second = timed(2, "plume", 1);
  coordinator.on(TimeLeft{60}, 0);
  coordinator.on(TasksAdded{{first, second}}, 0);
  coordinator.on(hello(1), 0);
  coordinator.on(done(1, first), 10);
  EXPECT_DOUBLE_EQ(coordinator.expected_seconds({2}).value(), 1);
  coordinator.on(done(1, second), 13);
  EXPECT_DOUBLE_EQ(coordinator.expected_seconds({2}).value(), 2) << "this one took 3 s on a trainer that ran";
}

TEST(CoordinatorBeforeADeadline, StartsNothingOnceItHasCome) {
  Coordinator coordinator{Budgets{}};
  const auto unknown = training(1), another = training(2);
  coordinator.on(TimeLeft{10}, 0);
  coordinator.on(TasksAdded{{unknown, another}}, 0);
  coordinator.on(hello(1), 0);
  EXPECT_EQ(coordinator.on(done(1, unknown), 10), (Actions{commit(1, unknown), shutdown(1), Finished{}}));
}

TEST(CoordinatorBeforeADeadline, PostponesFeaturesTooAndSaysSo) {
  Coordinator coordinator(Budgets{}, a_second_each("extract"));
  auto slice = extraction(1);
  slice.effort = {"extract", 90};
  coordinator.on(TimeLeft{60}, 0);
  coordinator.on(TasksAdded{{slice, training(2, {{1}})}}, 0);
  EXPECT_EQ(coordinator.on(hello(1), 0), (Actions{shutdown(1), Finished{}}));
  EXPECT_EQ(coordinator.postponed(), (Postponed{0, 1, 90}));
}

TEST(CoordinatorBeforeADeadline, StartsATrainingThatMakesWayWhereAMinuteIsLeft) {
  Budgets budgets;
  budgets.checkpoint_every = 600;
  const auto start = [&](double left, double work, sweeps::Method method = sweeps::Method::plume) {
    Coordinator coordinator(budgets, a_second_each("plume"));
    auto task = timed(1, "plume", work);
    std::get<workers::TrainTask>(task.what).job.method = method;
    coordinator.on(TimeLeft{left}, 0);
    coordinator.on(TasksAdded{{task}}, 0);
    return coordinator.on(hello(1), 0) == (Actions{send(1, task)});
  };
  EXPECT_TRUE(start(300, 900));
  EXPECT_TRUE(start(60, 900));
  EXPECT_FALSE(start(59, 900)) << "not worth its start";
  EXPECT_FALSE(start(300, 500)) << "too short for a checkpoint, and longer than what is left";
  EXPECT_FALSE(start(300, 900, sweeps::Method::mahalanobis)) << "a baseline makes no way";
  budgets.checkpoint_every = 20;
  EXPECT_TRUE(start(20, 90));
}

TEST(CoordinatorBeforeADeadline, DoesNotTakeTheRestOfATrainingForAllOfIt) {
  Coordinator coordinator{Budgets{}};
  const auto first = timed(1, "plume", 10), second = timed(2, "plume", 10);
  coordinator.on(TasksAdded{{first, second}}, 0);
  coordinator.on(hello(1), 0);
  workers::Resumed resumed;
  resumed.task = first.id;
  resumed.attempt = {1};
  coordinator.on(FromWorker{{1}, resumed}, 1);
  coordinator.on(done(1, first), 2);
  EXPECT_FALSE(coordinator.expected_seconds({2})) << "it had gone on from a checkpoint";
}

TEST(CoordinatorBeforeADeadline, ExpectsOnlyTheRestOfATaskThatIsPartlyDone) {
  Coordinator coordinator(Budgets{}, a_second_each("plume"));
  auto task = timed(1, "plume", 90);
  task.part_done = 0.5;
  coordinator.on(TimeLeft{60}, 0);
  coordinator.on(TasksAdded{{task}}, 0);
  EXPECT_DOUBLE_EQ(coordinator.expected_seconds({1}).value(), 45);
  EXPECT_EQ(coordinator.on(hello(1), 0), (Actions{send(1, task)}));
}

TEST(CoordinatorBeforeADeadline, StaysQuickWithAHundredThousandTasksThatDoNotFit) {
  Coordinator coordinator(Budgets{}, a_second_each("long"));
  std::vector<PlannedTask> tasks;
  for (std::int64_t id = 1; id <= 100'000; ++id) tasks.push_back(timed(id, "long", 1000));
  std::vector<PlannedTask> brief;
  for (std::int64_t id = 200'001; id <= 201'000; ++id) brief.push_back(timed(id, "brief", 1));
  tasks.insert(tasks.end(), brief.begin(), brief.end());
  coordinator.on(TimeLeft{500}, 0);
  coordinator.on(TasksAdded{tasks}, 0);
  EXPECT_EQ(coordinator.on(hello(1), 0), (Actions{send(1, brief[0])}));
  for (std::size_t i = 0; i + 1 < brief.size(); ++i) {
    // 1,000 ends, each of which would look at 100,000 tasks if they were looked at again.
    ASSERT_EQ(coordinator.on(done(1, brief[i]), static_cast<double>(i) / 10),
              (Actions{commit(1, brief[i]), send(1, brief[i + 1])}));
  }
}

}  // namespace
}  // namespace runner
