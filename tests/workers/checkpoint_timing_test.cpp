// When a checkpoint is due, and which trainings make way. Time is an argument.
#include "workers/checkpoint_timing.hpp"

#include <gtest/gtest.h>

namespace workers {
namespace {

constexpr Seconds kEvery{600};

/// A training of `all` steps at one pace that began at 0.
struct Training {
  explicit Training(std::int64_t all_steps, double seconds_a_step, bool has_checkpoint = false)
      : all(all_steps), pace(seconds_a_step), timing(kEvery, has_checkpoint, Seconds(0)) {}
  void go_on(std::int64_t until) {
    for (; step < until; ++step) timing.at_boundary(step + 1, all, now = Seconds(pace * static_cast<double>(step + 1)));
  }
  bool makes_way() const { return timing.makes_way(now); }

  std::int64_t all, step = 0;
  double pace;
  Seconds now{0};
  CheckpointTiming timing;
};

TEST(CheckpointTiming, IsDueAfterSoMuchTrainingSinceTheLast) {
  CheckpointTiming timing(kEvery, false, Seconds(100));
  EXPECT_FALSE(timing.is_due(Seconds(699)));
  EXPECT_TRUE(timing.is_due(Seconds(700)));
  timing.wrote(Seconds(700), Seconds(705));
  EXPECT_FALSE(timing.is_due(Seconds(1304)));
  EXPECT_TRUE(timing.is_due(Seconds(1305)));
  timing.failed_to_write(Seconds(1305));
  EXPECT_FALSE(timing.is_due(Seconds(1904)));
}

TEST(CheckpointTiming, NobodyMakesWayUnasked) {
  Training training(1000, 10);
  training.go_on(50);
  EXPECT_FALSE(training.makes_way());
}

TEST(CheckpointTiming, OnlyALongTrainingMakesWayWhereNobodyKnowsTheEnd) {
  Training lasts_500_s(500, 1), lasts_700_s(700, 1);
  for (auto* training : {&lasts_500_s, &lasts_700_s}) {
    training->go_on(10);
    training->timing.ask_to_make_way(std::nullopt, training->now);
  }
  EXPECT_FALSE(lasts_500_s.makes_way());
  EXPECT_TRUE(lasts_700_s.makes_way());
  lasts_500_s.pace = 2;  // it becomes slower: 250 steps are left
  lasts_500_s.go_on(250);
  EXPECT_TRUE(lasts_500_s.makes_way());
}

TEST(CheckpointTiming, ATrainingThatHasACheckpointMakesWayUnlessItIsNearlyDone) {
  Training resumed(100, 1, /*has_checkpoint=*/true);
  resumed.timing.ask_to_make_way(std::nullopt, Seconds(0));
  EXPECT_FALSE(resumed.makes_way()) << "a step at least: each run of a chain comes nearer to the end";
  resumed.go_on(1);
  EXPECT_TRUE(resumed.makes_way());
  resumed.go_on(90);
  resumed.timing.wrote(resumed.now, resumed.now + Seconds(20));
  EXPECT_FALSE(resumed.timing.makes_way(resumed.now + Seconds(20))) << "10 s to its end, 20 s to write it";
  resumed.go_on(100);
  EXPECT_FALSE(resumed.makes_way()) << "only an evaluation is left";
}

TEST(CheckpointTiming, OfWhichOnlyTheLastEvaluationIsLeftEndsThoughLittleTimeIsLeft) {
  Training training(100, 1);
  training.go_on(50);
  training.timing.ask_to_make_way(Seconds(55), training.now);
  const auto asked = training.now;
  training.go_on(100);
  EXPECT_FALSE(training.timing.makes_way(asked + Seconds(45)));
  EXPECT_TRUE(training.timing.makes_way(asked + Seconds(52))) << "3 s are too few";
}

TEST(CheckpointTiming, WaitsUntilItKnowsThePace) {
  Training fast(1'000'000, 0.001);
  fast.timing.ask_to_make_way(std::nullopt, Seconds(0));
  fast.go_on(20);
  EXPECT_FALSE(fast.makes_way());
  fast.go_on(21);
  EXPECT_TRUE(fast.makes_way()) << "20 steps after the first";
  Training slow(1000, 3);
  slow.timing.ask_to_make_way(std::nullopt, Seconds(0));
  slow.go_on(2);
  EXPECT_FALSE(slow.makes_way());
  slow.go_on(3);
  EXPECT_TRUE(slow.makes_way()) << "6 s after the first";
}

TEST(CheckpointTiming, WithAKnownEndThoseMakeWayThatCannotBeOverBefore) {
  Training fits(100, 1, /*has_checkpoint=*/true), does_not(200, 1), too_close(100, 1);
  for (auto* training : {&fits, &does_not, &too_close}) training->go_on(50);
  fits.timing.ask_to_make_way(Seconds(100), fits.now);
  does_not.timing.ask_to_make_way(Seconds(100), does_not.now);
  too_close.timing.ask_to_make_way(Seconds(60), too_close.now);
  EXPECT_FALSE(fits.makes_way()) << "50 s left and a margin";
  EXPECT_TRUE(does_not.makes_way());
  EXPECT_TRUE(too_close.makes_way());
  fits.timing.wrote(fits.now, fits.now + Seconds(20));
  fits.timing.at_boundary(51, 100, fits.now + Seconds(21));
  EXPECT_TRUE(fits.timing.makes_way(fits.now + Seconds(21))) << "its checkpoints take long";
}

TEST(CheckpointTiming, InTheLastMinuteAnUnknownPaceIsNotWaitedFor) {
  Training training(1000, 0.1);
  training.timing.ask_to_make_way(Seconds(61), Seconds(0));
  training.go_on(1);
  EXPECT_FALSE(training.makes_way());
  training.timing.ask_to_make_way(Seconds(59), training.now);
  EXPECT_TRUE(training.makes_way());
}

TEST(CheckpointTiming, AFailedWriteIsNotTriedAgainAtEveryStep) {
  Training training(1000, 10);
  training.go_on(50);
  training.timing.ask_to_make_way(std::nullopt, training.now);
  ASSERT_TRUE(training.makes_way());
  training.timing.failed_to_write(training.now);
  training.go_on(55);
  EXPECT_FALSE(training.makes_way());
  training.go_on(56);
  EXPECT_TRUE(training.makes_way()) << "a minute later";
}

TEST(CheckpointTiming, DoesNotTakeTheTimeOfWritingForTraining) {
  Training training(500, 1);
  training.go_on(10);
  training.timing.wrote(training.now, training.now + Seconds(300));
  training.timing.ask_to_make_way(std::nullopt, Seconds(310));
  training.timing.at_boundary(11, 500, Seconds(311));
  EXPECT_TRUE(training.timing.makes_way(Seconds(311))) << "it has a checkpoint, and 489 s are more than 300 s";
  training.timing.at_boundary(300, 500, Seconds(600));
  EXPECT_FALSE(training.timing.makes_way(Seconds(600))) << "200 s are left at 1 s a step";
}

}  // namespace
}  // namespace workers
