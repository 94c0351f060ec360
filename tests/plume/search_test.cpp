// `lr: "find"` in run_job: found once, from streams of its own, with nothing left behind; a failed search fails the
// job.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "plume/range_test.hpp"
#include "tests/plume/golden_files.hpp"
#include "tests/plume/small_jobs.hpp"

namespace {

using results::JobResult;
using small::rows_of;
using small::run;
using sweeps::Job;
using testing::HasSubstr;

Job finding() {
  Job job = small::job();
  job.training.learning_rate.reset();
  return job;
}

bool is_a_rate_of_the_test(double rate) {
  for (int k = 0; k < plume::RangeTest::kMostSteps; ++k) {
    if (rate == plume::RangeTest::learning_rate(k)) return true;
  }
  return false;
}

TEST(Search, PutsTheFoundRateIntoTheResult) {
  const JobResult result = run(finding(), rows_of(40, 10));
  ASSERT_TRUE(result.found_learning_rate);
  EXPECT_TRUE(is_a_rate_of_the_test(*result.found_learning_rate)) << *result.found_learning_rate;
  EXPECT_FALSE(run(small::job(), rows_of(40, 10)).found_learning_rate);
}

TEST(Search, ChangesNothingInTheTrainingAfterIt) {
  for (const auto perturbation : {sweeps::Perturbation::linear_map, sweeps::Perturbation::gaussian}) {
    Job job = finding();
    job.training.perturbation = perturbation;
    const JobResult found = run(job, rows_of(40, 10));
    job.training.learning_rate = found.found_learning_rate;
    EXPECT_EQ(run(job, rows_of(40, 10)).epochs, found.epochs) << "as if the rate had been given";
  }
}

TEST(Search, FindsTheSameRateTwice) {
  EXPECT_EQ(run(finding(), rows_of(40, 10)), run(finding(), rows_of(40, 10)));
}

TEST(Search, DoesNotDependOnTheNumberOfEpochs) {
  Job one = finding(), many = finding();
  one.training.epochs = 1;
  many.training.epochs = 5;
  const auto rate = run(one, rows_of(40, 10)).found_learning_rate;
  EXPECT_EQ(run(many, rows_of(40, 10)).found_learning_rate, rate);
}

TEST(Search, GoesOnWithTheNextOrderWhereAnEpochIsShort) {
  Job job = finding();
  job.training.epochs = 1;
  int batches = 0;
  plume::Observer observer;
  observer.on_progress = [&] { ++batches; };
  const JobResult result = plume::run_job(job, rows_of(17, 10), observer);  // two batches an epoch
  EXPECT_GT(batches, 2 + 2 + 20);
  EXPECT_LE(batches, 2 + 2 + 100);
  EXPECT_TRUE(result.dropped_single_row);
}

/// A guidance term that is negative and outweighs all others: falling below zero ends the test.
Job searching_in_vain() {
  Job job = finding();
  job.training.guidance = sweeps::Guidance::mean;
  job.training.gamma = 1e6;
  return job;
}

TEST(Search, ThatFindsNothingFailsTheJobAndSaysWhy) {
  try {
    run(searching_in_vain(), rows_of(16, 4));
    FAIL() << "the job went on with some rate";
  } catch (const plume::SearchFailed& error) {
    const std::string message = error.what();
    EXPECT_THAT(message, HasSubstr("synthetic/disk: the learning-rate range test suggests no rate"));
    EXPECT_THAT(message, HasSubstr("it ended after "));
    EXPECT_THAT(message, HasSubstr("0 are finite, where 2 are needed"));
    EXPECT_THAT(message, HasSubstr("give \"lr\" a number"));
  }
}

TEST(Search, ThatFindsNothingDoesNotSpeakOfAGivenRate) {
  Job job = searching_in_vain();
  job.training.learning_rate = 1e-3;
  EXPECT_EQ(run(job, rows_of(16, 4)).outcome, results::Outcome::finished);
}

}  // namespace
