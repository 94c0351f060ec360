// What run_job promises: bit-equal reruns, shared draws, refusals, odd sizes, divergence; and the kNN baseline by hand.
#include "plume/method.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "plume/auroc.hpp"
#include "plume/draws.hpp"
#include "plume/training.hpp"
#include "storage/error.hpp"
#include "tests/plume/golden_files.hpp"
#include "tests/plume/small_jobs.hpp"

namespace {

using plume::JobData;
using results::JobResult;
using results::Outcome;
using small::refusal;
using small::rows_of;
using small::run;
using sweeps::Guidance;
using sweeps::Job;
using sweeps::Method;
using sweeps::Perturbation;
using testing::HasSubstr;

TEST(RunJob, GivesTheSameBitsTwice) {
  Job job = small::job();
  const JobData data = rows_of(40, 30, 17);
  for (const auto perturbation : {Perturbation::linear_map, Perturbation::mult, Perturbation::gaussian}) {
    job.training.perturbation = perturbation;
    const JobResult once = run(job, data);
    ASSERT_EQ(once.epochs.size(), 2U);
    EXPECT_EQ(run(job, data), once);
  }
}

TEST(RunJob, GivesTheSameBitsTwiceAtALargerSize) {
  Job job = small::job();
  job.training.dimension = 96;
  job.training.batch_size = 32;
  const JobData data = rows_of(100, 50, 128);
  EXPECT_EQ(run(job, data), run(job, data));
}

TEST(RunJob, DependsOnTheSeedAndOnTheClass) {
  const JobData data = rows_of(20, 10);
  Job job = small::job();
  const double loss = run(job, data).epochs.at(0).losses->total;
  job.seed = 1;
  EXPECT_NE(run(job, data).epochs.at(0).losses->total, loss);
  job = small::job();
  job.normal_class = "square";
  EXPECT_NE(run(job, data).epochs.at(0).losses->total, loss);
}

TEST(RunJob, ReportsEveryEpochAndBatch) {
  const Job job = small::job();
  int batches = 0;
  std::vector<results::EpochRecord> seen;
  plume::Observer observer;
  observer.on_progress = [&] { ++batches; };
  observer.on_epoch = [&](const results::EpochRecord& record) { seen.push_back(record); };
  const JobResult result = plume::run_job(job, rows_of(20, 10), observer);
  ASSERT_EQ(result.epochs.size(), 2U);
  EXPECT_EQ(batches, 2 * (3 + 2));  // 8 + 8 + 4 rows, the short batch kept; both splits scored
  EXPECT_EQ(seen, result.epochs);
  EXPECT_EQ(result.outcome, Outcome::finished);
  EXPECT_EQ(result.train_rows, 20);
  EXPECT_EQ(result.test_rows, 10);
  EXPECT_FALSE(result.dropped_single_row);
  ASSERT_TRUE(result.epochs[1].ranking && result.epochs[1].losses && result.epochs[1].learning_rate);
  EXPECT_EQ(result.epochs[1].epoch, 1);
  const auto& losses = *result.epochs[1].losses;
  EXPECT_NEAR(losses.total, losses.classification + 5 * losses.noise + losses.kl + losses.guidance, 1e-5);
  EXPECT_DOUBLE_EQ(*result.epochs[1].learning_rate, 0.01 / 25 / 1e4);  // the last of all steps
}

TEST(RunJob, TrainsOnFewerRowsThanABatch) {
  const JobResult result = run(small::job(), rows_of(3, 4));
  EXPECT_EQ(result.outcome, Outcome::finished);
  EXPECT_FALSE(result.dropped_single_row);
  EXPECT_EQ(result.epochs.size(), 2U);
}

TEST(RunJob, DropsALastBatchOfOneRow) {
  int batches = 0;
  plume::Observer observer;
  observer.on_progress = [&] { ++batches; };
  const JobResult result = plume::run_job(small::job(), rows_of(17, 4), observer);
  ASSERT_EQ(result.epochs.size(), 2U);
  EXPECT_TRUE(result.dropped_single_row);
  EXPECT_EQ(batches, 2 * (2 + 2));
  EXPECT_DOUBLE_EQ(*result.epochs[1].learning_rate, 0.01 / 25 / 1e4);  // the schedule counts the batches that are run
}

TEST(RunJob, TrainsForOneEpochOfOneBatch) {
  Job job = small::job();
  job.training.epochs = 1;
  const JobResult result = run(job, rows_of(2, 2));
  ASSERT_EQ(result.epochs.size(), 1U);
  EXPECT_DOUBLE_EQ(*result.epochs[0].learning_rate, 0.01 / 25 / 1e4);  // one step in all is the schedule's end
}

TEST(RunJob, SaysWhyAnAurocIsUndefined) {
  JobData data = rows_of(8, 4);
  data.test_labels = {0, 0, 0, 0};
  EXPECT_EQ(run(small::job(), data).epochs.at(0).auc(), std::nullopt);
  EXPECT_EQ(run(small::job(), data).epochs.at(0).undefined, "the test split has no anomalies");
  data.normal_classes = {3};
  EXPECT_EQ(run(small::job(), data).epochs.at(0).undefined, "the test split has no normal rows");
  EXPECT_EQ(run(small::job(), rows_of(8, 4)).epochs.at(0).undefined, "");
}

TEST(RunJob, RanksATestSplitWithOneRowOfAClass) {
  JobData data = rows_of(16, 5);
  data.test_labels = {1, 1, 0, 1, 1};
  const auto record = run(small::job(), data).epochs.at(0);
  ASSERT_TRUE(record.ranking);
  const double wins = record.ranking->auc * 4;  // of one normal row over four anomalies
  EXPECT_EQ(wins, std::round(wins));
  EXPECT_EQ(record.ranking->fpr95, 1 - record.ranking->auc);
  ASSERT_TRUE(record.shares[0]);
  EXPECT_TRUE(*record.shares[0] == 0 || *record.shares[0] == 1);
}

TEST(RunJob, KeepsThresholdAndSharesOfASplitThatCannotBeRanked) {
  JobData data = rows_of(16, 4);
  data.test_labels = {0, 0, 0, 0};
  const auto record = run(small::job(), data).epochs.at(1);
  EXPECT_FALSE(record.ranking);
  EXPECT_TRUE(record.threshold);
  EXPECT_TRUE(record.shares[0]);
  EXPECT_FALSE(record.shares[1]);
}

TEST(RunJob, TrainsWithAFeatureOfZeroVariance) {
  JobData data = rows_of(20, 10);
  data.train.select(1, 5).fill_(3);
  for (const auto perturbation : {Perturbation::linear_map, Perturbation::add_mult, Perturbation::add,
                                  Perturbation::mult, Perturbation::gaussian}) {
    Job job = small::job();
    job.training.perturbation = perturbation;
    const JobResult result = run(job, data);
    EXPECT_EQ(result.outcome, Outcome::finished);
    EXPECT_TRUE(result.epochs.at(1).ranking);
  }
}

TEST(RunJob, RefusesALabelWithoutAClass) {
  JobData data = rows_of(8, 4);
  data.test_labels[2] = 4;
  EXPECT_THAT(refusal(small::job(), data), HasSubstr("test label 4, but 4 classes"));
}

TEST(RunJob, TrainsAllFifteenCombinationsInBothSemantics) {
  const JobData data = rows_of(17, 6);
  for (const auto perturbation : {Perturbation::linear_map, Perturbation::add_mult, Perturbation::add,
                                  Perturbation::mult, Perturbation::gaussian})
    for (const auto guidance : {Guidance::none, Guidance::full, Guidance::mean})
      for (const auto semantics : {sweeps::Semantics::released, sweeps::Semantics::paper}) {
        Job job = small::job();
        job.training.perturbation = perturbation;
        job.training.guidance = guidance;
        job.training.semantics = semantics;
        const JobResult result = run(job, data);
        EXPECT_EQ(result.outcome, Outcome::finished) << sweeps::describe(job);
        EXPECT_EQ(result.epochs.size(), 2U) << sweeps::describe(job);
      }
}

TEST(RunJob, SurvivesConstantFeatures) {
  JobData data = rows_of(10, 6);
  data.train.fill_(2.5F);
  data.test.fill_(2.5F);
  const JobResult result = run(small::job(), data);
  ASSERT_EQ(result.outcome, Outcome::finished);
  ASSERT_EQ(result.epochs.size(), 2U);
  EXPECT_EQ(result.epochs[1].auc(), 0.5);  // one score for all: every pair is a tie
}

TEST(RunJob, KeepsTheFiniteEpochsOfADivergedTraining) {
  Job job = small::job();
  job.training.learning_rate = 1e6;  // one batch an epoch: the first loss is still that of the initial weights
  job.training.epochs = 5;
  const JobResult result = run(job, rows_of(8, 6));
  EXPECT_EQ(result.outcome, Outcome::diverged);
  ASSERT_TRUE(result.diverged_epoch);
  EXPECT_GE(*result.diverged_epoch, 1);
  ASSERT_EQ(result.epochs.size(), static_cast<std::size_t>(*result.diverged_epoch));
  EXPECT_TRUE(std::isfinite(result.epochs[0].losses->total));
}

TEST(RunJob, DivergesAtTheFirstLogitThatIsNotFinite) {
  Job job = small::job();
  job.training.learning_rate = 1e20;
  const JobResult result = run(job, rows_of(8, 6));
  EXPECT_EQ(result.outcome, Outcome::diverged);
  EXPECT_EQ(result.diverged_epoch, 0);
  EXPECT_TRUE(result.epochs.empty());
}

TEST(RunJob, RefusesDataThatCannotBeTrainedOn) {
  const Job job = small::job();
  EXPECT_THAT(refusal(job, rows_of(1, 4)), HasSubstr("synthetic/disk: 1 training row(s); at least 2 are needed"));
  EXPECT_THAT(refusal(job, rows_of(4, 0)), HasSubstr("the test split has no rows"));
  JobData data = rows_of(4, 4);
  data.test = golden::fill({4, 25}, 1, 1);
  EXPECT_THAT(refusal(job, data), HasSubstr("training rows have 24 features, test rows 25"));
  data = rows_of(4, 4);
  data.test_labels.pop_back();
  EXPECT_THAT(refusal(job, data), HasSubstr("4 test rows, but 3 labels"));
  data = rows_of(4, 4);
  data.train[2][5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal(job, data), HasSubstr("training row 2 has a feature that is not finite"));
  data = rows_of(4, 4);
  data.test[3][0] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(refusal(job, data), HasSubstr("test row 3 has a feature that is not finite"));
}

TEST(RunJob, RefusesABatchOfOne) {
  Job job = small::job();
  job.training.batch_size = 1;
  EXPECT_THAT(refusal(job, rows_of(4, 4)), HasSubstr("batch_size is 1; expected at least 2"));
}

// --- Draws
// ----------------------------------------------------------------------------------------------------------------------

void expect_same_tensors(const plume::NamedTensors& some, const plume::NamedTensors& all) {
  ASSERT_FALSE(some.empty());
  for (const auto& [name, tensor] : some) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& entry) { return entry.first == name; });
    ASSERT_NE(found, all.end()) << name;
    EXPECT_TRUE(at::equal(tensor, found->second)) << name;
  }
}

TEST(StreamDraws, GiveJobsThatDifferInOneAxisTheSameWeights) {
  Job linear_map = small::job(), gaussian = small::job(), add_mult = small::job();
  gaussian.training.perturbation = Perturbation::gaussian;
  add_mult.training.perturbation = Perturbation::add_mult;
  add_mult.training.guidance = Guidance::none;
  const auto parameters = [](const Job& job) {
    const auto widths = plume::widths_of(job.training.dimension);
    return plume::make_model(job.training.perturbation, widths, plume::StreamDraws(job)).parameters();
  };
  EXPECT_EQ(parameters(gaussian).size(), 3U);  // nothing but the classifier is trained
  expect_same_tensors(parameters(gaussian), parameters(linear_map));
  expect_same_tensors(parameters(add_mult), parameters(linear_map));
}

TEST(StreamDraws, DrawWeightsWithinOneOverTheRootOfTheFanIn) {
  Job job = small::job();
  job.training.dimension = 96;
  const auto model = plume::make_model(job.training.perturbation, plume::widths_of(96), plume::StreamDraws(job));
  for (const auto& [name, tensor] : model.parameters()) {
    const double fan_in = name == "classifier.fc1.3.weight" ? 32 : name == "classifier.fc2.weight" ? 16 : 96;
    const double bound = 1 / std::sqrt(fan_in), largest = tensor.abs().max().item<double>();
    EXPECT_LE(largest, bound * (1 + 1e-6)) << name;
    EXPECT_GE(largest, 0.8 * bound) << name;
  }
}

TEST(StreamDraws, DrawOtherNoiseForEveryBatchAndEpoch) {
  const plume::StreamDraws draws(small::job());
  const at::Tensor first = draws.noise(0, 0, 4, 24);
  EXPECT_TRUE(at::equal(draws.noise(0, 0, 4, 24), first));
  EXPECT_FALSE(at::equal(draws.noise(0, 1, 4, 24), first));
  EXPECT_FALSE(at::equal(draws.noise(1, 0, 4, 24), first));
  EXPECT_NE(draws.permutation(0, 20), draws.permutation(1, 20));
}

// --- Baseline
// -------------------------------------------------------------------------------------------------------------------

TEST(RunJob, GivesABaselineOneRecordWithoutLosses) {
  Job job = small::job();
  job.method = Method::knn;
  const JobResult result = run(job, rows_of(10, 6));
  ASSERT_EQ(result.epochs.size(), 1U);
  EXPECT_TRUE(result.epochs[0].auc());
  EXPECT_FALSE(result.epochs[0].losses || result.epochs[0].learning_rate);
  EXPECT_EQ(run(job, rows_of(10, 6)), result);
}

TEST(Auroc, CountsAHandCheckableExample) {
  EXPECT_EQ(plume::auroc({1, 0.5, 0.5, 0}, {true, true, false, false}), 0.875);
  EXPECT_EQ(plume::auroc({1, 2}, {true, true}), std::nullopt);
  EXPECT_THROW(plume::auroc({std::nan(""), 2}, {true, false}), storage::Error);
  EXPECT_THROW(plume::auroc({1}, {true, false}), storage::Error);
}

}  // namespace
