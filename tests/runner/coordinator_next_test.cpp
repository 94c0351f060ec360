// What a worker is told of the task after the one that it has, so that its trainer reads those features in advance.
#include <gtest/gtest.h>

#include "tests/runner/coordinator_events.hpp"

namespace runner {
namespace {

const Actions kNothing;

/// Of `epochs` epochs on the features `affinity`.
PlannedTask training_on(const std::string& affinity, std::int64_t id, double cost = 1, int epochs = 10) {
  PlannedTask task = training(id, {}, cost, affinity);
  std::get<workers::TrainTask>(task.what).job.training.epochs = epochs;
  return task;
}

Action shown(int worker, const PlannedTask& task, int number, int attempt = 1) {
  ShowEpoch shown{task.id, {attempt}, {worker}, {}};
  shown.epoch.epoch = number;
  return shown;
}

/// Worker 1 has `first`, whose epochs take a minute each, and `others` are ready.
class WhatComesNext : public testing::Test {
 protected:
  static constexpr double kEpoch = 60;

  void begin(const PlannedTask& first, std::vector<PlannedTask> others) {
    others.insert(others.begin(), first);
    coordinator.on(TasksAdded{others}, 0);
    ASSERT_EQ(coordinator.on(hello(1), 0), (Actions{send(1, first)}));
  }
  Actions after_epoch(const PlannedTask& task, int number, int worker = 1) {
    return coordinator.on(epoch(worker, task, 1, number), kEpoch * (number + 1));
  }

  Coordinator coordinator{Budgets{}};
  const PlannedTask cats = training_on("cats", 1, 9), dogs = training_on("dogs", 2, 5);
};

TEST_F(WhatComesNext, IsToldWhenTheLastEpochBegins) {
  begin(cats, {dogs});
  for (int number = 0; number < 8; ++number) {
    EXPECT_EQ(after_epoch(cats, number), (Actions{shown(1, cats, number)}));
  }
  EXPECT_EQ(after_epoch(cats, 8), (Actions{shown(1, cats, 8), prepare(1, dogs)}));
  EXPECT_EQ(after_epoch(cats, 9), (Actions{shown(1, cats, 9)})) << "once is enough";
  EXPECT_EQ(coordinator.on(done(1, cats), 10 * kEpoch), (Actions{commit(1, cats), send(1, dogs)}));
}

TEST_F(WhatComesNext, IsToldTwentySecondsBeforeTheEndWhereEpochsAreShort) {
  const auto quick = training_on("cats", 1, 9, 100);
  begin(quick, {dogs});
  for (int number = 0; number < 79; ++number) {
    EXPECT_EQ(coordinator.on(epoch(1, quick, 1, number), number + 1).size(), 1U) << number;
  }
  EXPECT_EQ(coordinator.on(epoch(1, quick, 1, 79), 80), (Actions{shown(1, quick, 79), prepare(1, dogs)}));
}

TEST_F(WhatComesNext, IsToldAtOnceWhereThereIsOneEpochOrNone) {
  const auto one_epoch = training_on("cats", 1, 9, 1);
  auto baseline = training_on("birds", 2, 7);
  std::get<workers::TrainTask>(baseline.what).job.method = sweeps::Method::knn;
  coordinator.on(TasksAdded{{one_epoch, baseline, training_on("dogs", 3, 5)}}, 0);
  EXPECT_EQ(coordinator.on(hello(1), 0), (Actions{send(1, one_epoch), prepare(1, baseline)}));
  EXPECT_EQ(coordinator.on(done(1, one_epoch), 1),
            (Actions{commit(1, one_epoch), send(1, baseline), prepare(1, training_on("dogs", 3, 5))}));
}

TEST_F(WhatComesNext, IsToldOfATrainingThatGoesOnInItsLastEpoch) {
  begin(cats, {dogs});
  const workers::Resumed resumed{cats.id, {1}, 1, 9, 3, 0.5};
  EXPECT_EQ(coordinator.on(FromWorker{{1}, resumed}, 1), (Actions{ShowCheckpoint{{1}, resumed}, prepare(1, dogs)}));
}

TEST_F(WhatComesNext, IsJudgedByTheEpochsOfThisAttempt) {
  const auto slow = training_on("cats", 1, 9, 100);
  begin(slow, {dogs});
  coordinator.on(FromWorker{{1}, workers::Resumed{slow.id, {1}, 1, 90, 0, 0.5}}, 0);
  EXPECT_EQ(coordinator.on(epoch(1, slow, 1, 90), 60), (Actions{shown(1, slow, 90)})) << "nine minutes are left";
}

TEST_F(WhatComesNext, IsNotSaidWhereItIsOnLoadedFeatures) {
  begin(cats, {training_on("cats", 2, 8)});
  EXPECT_EQ(after_epoch(cats, 8), (Actions{shown(1, cats, 8)}));
}

TEST_F(WhatComesNext, IsNotSaidOfFeaturesThatTheTrainingBeforeUsed) {
  const auto more_cats = training_on("cats", 3, 2);
  begin(cats, {dogs, more_cats});
  after_epoch(cats, 8);
  coordinator.on(done(1, cats), 600);
  coordinator.on(epoch(1, dogs, 1, 0), 660);
  EXPECT_EQ(coordinator.on(epoch(1, dogs, 1, 8), 1200), (Actions{shown(1, dogs, 8)}));
  EXPECT_EQ(coordinator.on(done(1, dogs), 1200), (Actions{commit(1, dogs), send(1, more_cats)}));
}

TEST_F(WhatComesNext, IsSaidOfFeaturesThatTwoTrainingsHavePushedOut) {
  const auto birds = training_on("birds", 3, 4), more_cats = training_on("cats", 4, 1);
  begin(cats, {dogs, birds, more_cats});
  coordinator.on(done(1, cats), 600);  // dogs
  coordinator.on(done(1, dogs), 600);  // birds: of cats' three others none is half as long
  EXPECT_EQ(coordinator.on(epoch(1, birds, 1, 8), 610), (Actions{shown(1, birds, 8), prepare(1, more_cats)}));
}

TEST_F(WhatComesNext, IsNotSaidWhileFeatureTasksAreReady) {
  begin(cats, {dogs});
  const auto images = extraction(7);
  coordinator.on(TasksAdded{{images}}, 0);
  EXPECT_EQ(after_epoch(cats, 8), (Actions{shown(1, cats, 8)}));
}

TEST_F(WhatComesNext, IsAnotherForEachWorker) {
  const auto birds = training_on("birds", 3, 4), more_cats = training_on("cats", 4, 9);
  begin(cats, {more_cats, dogs, birds});
  ASSERT_EQ(coordinator.on(hello(2), 0), (Actions{send(2, more_cats)}));
  EXPECT_EQ(after_epoch(cats, 8), (Actions{shown(1, cats, 8), prepare(1, dogs)}));
  EXPECT_EQ(after_epoch(more_cats, 8, 2), (Actions{shown(2, more_cats, 8), prepare(2, birds)}));
  EXPECT_EQ(coordinator.on(done(2, more_cats), 600), (Actions{commit(2, more_cats), send(2, birds)}))
      << "what it has read counts as loaded, though the other's is longer";
  EXPECT_EQ(coordinator.on(done(1, cats), 600), (Actions{commit(1, cats), send(1, dogs)}));
}

TEST_F(WhatComesNext, OfAWorkerThatIsGoneMayBeAnothers) {
  begin(cats, {training_on("cats", 4, 9), dogs});
  coordinator.on(hello(2), 0);
  EXPECT_EQ(after_epoch(cats, 8).back(), prepare(1, dogs));
  coordinator.on(lost(1), 540);
  EXPECT_EQ(coordinator.on(epoch(2, training_on("cats", 4, 9), 1, 8), 540).size(), 1U) << "cats come back first";
  coordinator.on(done(2, training_on("cats", 4, 9)), 600);  // cats again
  EXPECT_EQ(coordinator.on(epoch(2, cats, 2, 8), 1200), (Actions{shown(2, cats, 8, 2), prepare(2, dogs)}));
}

TEST_F(WhatComesNext, OfAWorkerThatGreetsAnewIsToldAgain) {
  begin(cats, {dogs, training_on("birds", 3, 4)});
  EXPECT_EQ(after_epoch(cats, 8).back(), prepare(1, dogs));
  EXPECT_EQ(coordinator.on(hello(1), 600).back(), send(1, cats, 2));
  EXPECT_EQ(coordinator.on(epoch(1, cats, 2, 8), 1200).back(), prepare(1, dogs));
}

TEST_F(WhatComesNext, IsNothingThatWouldNotEndInTime) {
  auto timed_cats = cats, timed_dogs = dogs;
  timed_cats.effort = timed_dogs.effort = {"trainings", 1};
  Coordinator hurried{Budgets{}, [] {
                        RunTimes times;
                        times.add({"trainings", 1}, 100);
                        return times;
                      }()};
  hurried.on(TasksAdded{{timed_cats, timed_dogs}}, 0);
  hurried.on(TimeLeft{150}, 0);
  hurried.on(hello(1), 0);
  EXPECT_EQ(hurried.on(epoch(1, timed_cats, 1, 8), 90), (Actions{shown(1, timed_cats, 8)}));
}

TEST_F(WhatComesNext, IsNothingWhileDraining) {
  begin(cats, {dogs});
  coordinator.on(DrainAsked{}, 0);
  EXPECT_EQ(after_epoch(cats, 8), (Actions{shown(1, cats, 8)}));
}

TEST_F(WhatComesNext, IsToldAgainToATrainerThatIsStartedInPlaceOfADeadOne) {
  begin(cats, {dogs});
  EXPECT_EQ(after_epoch(cats, 8).back(), prepare(1, dogs));
  EXPECT_EQ(coordinator.on(failed(1, cats, 1, Cause::signal, "SIGKILL", true), 560).back(), send(1, cats, 2));
  EXPECT_EQ(coordinator.on(epoch(1, cats, 2, 8), 1200).back(), prepare(1, dogs));
}

TEST_F(WhatComesNext, IsNotToldAgainToATrainerThatGaveItsTaskBack) {
  begin(cats, {training_on("dogs", 2, 4)});
  EXPECT_EQ(after_epoch(cats, 8).back(), prepare(1, training_on("dogs", 2, 4)));
  EXPECT_EQ(coordinator.on(failed(1, cats, 1, Cause::drained, "made way", true), 560).back(), send(1, cats, 2));
  EXPECT_EQ(coordinator.on(epoch(1, cats, 2, 8), 1200), (Actions{shown(1, cats, 8, 2)}));
}

}  // namespace
}  // namespace runner
