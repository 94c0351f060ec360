// What became of a job, try by try.
#include "results/history.hpp"

#include <gtest/gtest.h>

#include "tests/results/samples.hpp"

namespace results {
namespace {

class OneJob : public testing::Test {
 protected:
  void start(int attempt, const std::string& worker = "worker 1 (a)") {
    history_.apply(AttemptStarted{key_, attempt, worker, "2026-11-27T20:15:03Z"});
  }
  void end(int attempt, const std::string& cause) {
    history_.apply(AttemptEnded{key_, attempt, cause, "said " + cause});
  }
  const JobHistory& of_job() const { return *history_.find(key_); }
  sweeps::Job job_ = samples::training("cat", 3);
  sweeps::JobKey key_ = sweeps::key_of(job_);
  History history_;
};

TEST_F(OneJob, ThatNobodyBeganIsNotKnown) {
  EXPECT_EQ(history_.find(key_), nullptr);
}

TEST_F(OneJob, KnowsEachTryWithItsWorkerAndEnd) {
  start(1);
  end(1, "hung");
  start(2, "worker 2 (b)");
  ASSERT_EQ(of_job().attempts.size(), 2U);
  EXPECT_EQ(of_job().attempts[0].cause, "hung");
  EXPECT_EQ(of_job().attempts[0].end, Attempt::End::ended);
  ASSERT_NE(of_job().under_way(), nullptr);
  EXPECT_EQ(of_job().under_way()->worker, "worker 2 (b)");
  history_.apply(Done{job_, 2, samples::finished({0.8, 0.7}), {}});
  EXPECT_EQ(of_job().under_way(), nullptr);
  EXPECT_EQ(of_job().done->attempt, 2);
  EXPECT_EQ(of_job().done->best_auc, 0.8);
  EXPECT_EQ(of_job().done->last_auc, 0.7);
}

TEST_F(OneJob, ThatFailedIsFailedUntilThereIsAResult) {
  start(1);
  history_.apply(Failed{job_, 1, "exception", "no"});
  EXPECT_EQ(of_job().failed->cause, "exception");
  EXPECT_EQ(history_.failures(), std::vector{key_});
  history_.apply(Done{job_, 2, samples::finished({0.8}), {}});
  EXPECT_FALSE(of_job().failed);
}

TEST_F(OneJob, WhoseResultWasTakenBackHasNoneUntilTheNext) {
  history_.apply(Done{job_, 1, samples::finished({0.8}), {}});
  end(1, std::string(kRedo));
  EXPECT_FALSE(of_job().done);
  EXPECT_EQ(of_job().taken_back, 1);
  history_.apply(Done{job_, 2, samples::finished({0.9}), {}});
  EXPECT_EQ(of_job().done->last_auc, 0.9);
}

TEST_F(OneJob, IsNotChargedForTheTriesOfAWorkerThatWasSetAsideForThem) {
  start(1, "worker 2 (b)");
  end(1, "signal");
  start(2, "worker 2 (b)");
  end(2, "signal");
  history_.apply(
      Note{"2026-11-27T20:15:03Z worker 2 (b) is set aside: worker 2 (b) failed 1 tasks in a row before a "
           "first epoch; the last: signal: SIGSEGV"});
  EXPECT_FALSE(of_job().attempts[0].uncharged) << "it was not in the row";
  EXPECT_TRUE(of_job().attempts[1].uncharged);
}

TEST_F(OneJob, OfAnOlderEngineIsOneWithTheSameJobOfOurs) {
  const auto older = sweeps::key_of(job_, sweeps::kOldestReadableEngine);
  history_.apply(AttemptStarted{older, 1, "worker 1 (a)", "then"});
  Done done{job_, 1, samples::finished({0.8}), {}};
  done.engine_version = sweeps::kOldestReadableEngine;
  history_.apply(done);
  ASSERT_EQ(history_.jobs().size(), 1U);
  EXPECT_EQ(of_job().attempts.at(0).worker, "worker 1 (a)");
  EXPECT_TRUE(of_job().done);
}

}  // namespace
}  // namespace results
