// The models that a training leaves: which epoch's they are, that nothing else changes for them, and that one which is
// begun again leaves the same.
#include "plume/kept_models.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plume/method.hpp"
#include "plume/row_views.hpp"
#include "plume/training.hpp"
#include "tests/plume/small_jobs.hpp"

namespace {

using plume::Model;
using plume::ModelParts;
using plume::NamedTensors;
using plume::TrainingState;
using testing::HasSubstr;

NamedTensors tensors_of(const Model& model) {
  NamedTensors all = model.parameters();
  for (auto& named : model.running_statistics()) all.push_back(std::move(named));
  return all;
}

bool same_bits(const NamedTensors& a, const NamedTensors& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto& [name, tensor] = a[i];
    const at::Tensor& other = b[i].second;
    if (name != b[i].first || tensor.sizes() != other.sizes()) return false;
    if (std::memcmp(tensor.const_data_ptr(), other.const_data_ptr(), tensor.nbytes()) != 0) return false;
  }
  return true;
}

NamedTensors copy_of(const NamedTensors& tensors) {
  NamedTensors copy;
  for (const auto& [name, tensor] : tensors) copy.emplace_back(name, tensor.detach().clone());
  return copy;
}

/// A training of five epochs whose AUROC goes up and down, so that its best epoch is neither the first nor the last.
sweeps::Job job() {
  sweeps::Job job = small::job();
  job.training.epochs = 5;
  return job;
}

/// What it left.
struct Left {
  results::JobResult result;
  std::optional<int> best_epoch;
  NamedTensors best, last;
  std::vector<double> best_scores;
  std::vector<TrainingState> states;  ///< of every boundary
  int finished = 0;
};

Left left_by(const sweeps::Job& job, const plume::JobData& data, ModelParts parts,
             const TrainingState* from = nullptr) {
  Left left;
  plume::Observer observer;
  observer.keep = parts;
  observer.on_boundary = [&](const plume::Boundary& at) {
    TrainingState state = at.state();
    state.tensors = copy_of(state.tensors);
    state.best = copy_of(state.best);
    left.states.push_back(std::move(state));
  };
  observer.on_finished = [&](const plume::FinishedTraining& training) {
    ++left.finished;
    left.last = copy_of(tensors_of(training.last.model));
    if (!training.best) return;
    left.best_epoch = training.best->epoch.epoch;
    left.best = copy_of(tensors_of(training.best->model));
    left.best_scores = plume::scores_of(training.best->model, training.test, [] {});
  };
  left.result = plume::run_job(job, data, observer, from);
  return left;
}

double auc_of(const std::vector<double>& scores, const plume::JobData& data) {
  double above = 0, pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (data.test_labels[i] != 0 || data.test_labels[j] == 0) continue;
      pairs += 1;
      above += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
    }
  }
  return above / pairs;
}

TEST(KeptModels, AreThoseOfTheBestAndOfTheLastEpoch) {
  const auto data = small::rows_of(21, 12);
  const Left left = left_by(job(), data, ModelParts::all);
  ASSERT_EQ(left.finished, 1);
  const auto best = results::best_epoch(left.result.epochs);
  ASSERT_TRUE(best);
  EXPECT_EQ(left.best_epoch, static_cast<int>(*best));
  EXPECT_EQ(auc_of(left.best_scores, data), *left.result.epochs[*best].auc());
  EXPECT_NE(*best, left.result.epochs.size() - 1) << "a training that tells the two apart";
  EXPECT_FALSE(same_bits(left.best, left.last));
}

TEST(KeptModels, ChangeNoNumberOfTheResult) {
  const auto data = small::rows_of(21, 12);
  const auto plain = small::run(job(), data);
  EXPECT_EQ(left_by(job(), data, ModelParts::classifier).result, plain);
  EXPECT_EQ(left_by(job(), data, ModelParts::all).result, plain);
}

TEST(KeptModels, OfTheClassifierScoreAsTheWholeDoes) {
  const auto data = small::rows_of(21, 12);
  const Left whole = left_by(job(), data, ModelParts::all);
  const Left part = left_by(job(), data, ModelParts::classifier);
  EXPECT_EQ(part.best_scores, whole.best_scores);
  for (const auto& [name, tensor] : part.best) EXPECT_THAT(name, testing::Not(HasSubstr("vae")));
  EXPECT_LT(part.best.size(), whole.best.size());
}

TEST(KeptModels, OfATrainingThatIsBegunAgainAreTheSameToTheBit) {
  const auto data = small::rows_of(21, 12);
  for (const ModelParts parts : {ModelParts::classifier, ModelParts::all}) {
    const Left whole = left_by(job(), data, parts);
    ASSERT_EQ(whole.states.size(), 5U * 4 - 1);
    for (const TrainingState& state : whole.states) {
      const Left resumed = left_by(job(), data, parts, &state);
      EXPECT_EQ(resumed.best_epoch, whole.best_epoch) << state.epoch;
      EXPECT_TRUE(same_bits(resumed.best, whole.best)) << state.epoch;
      EXPECT_TRUE(same_bits(resumed.last, whole.last)) << state.epoch;
    }
  }
}

TEST(KeptModels, AreNotBegunAgainFromAStateThatHasNoneOfTheBestEpoch) {
  const auto data = small::rows_of(21, 12);
  const Left without = left_by(job(), data, ModelParts::none);
  EXPECT_EQ(without.finished, 0);
  const TrainingState& before_an_evaluation = without.states.front();
  EXPECT_EQ(left_by(job(), data, ModelParts::all, &before_an_evaluation).finished, 1) << "no epoch is lost with it";
  try {
    left_by(job(), data, ModelParts::all, &without.states.back());
    FAIL() << "it was begun from";
  } catch (const plume::StateRefused& error) {
    EXPECT_STREQ(error.what(), "it has no weights of the best epoch before it, which this training is to save");
  }
  const Left classifier = left_by(job(), data, ModelParts::classifier);
  EXPECT_THROW(left_by(job(), data, ModelParts::all, &classifier.states.back()), plume::StateRefused);
  EXPECT_EQ(left_by(job(), data, ModelParts::none, &classifier.states.back()).result, classifier.result)
      << "what is not wanted any more does no harm";
}

TEST(KeptModels, OfATrainingWithoutAnomaliesAreTheLastEpochsAlone) {
  auto data = small::rows_of(21, 12);
  data.test_labels.assign(12, 0);
  const Left left = left_by(job(), data, ModelParts::all);
  EXPECT_EQ(left.finished, 1);
  EXPECT_FALSE(left.best_epoch);
  EXPECT_FALSE(left.last.empty());
}

TEST(KeptModels, AreNotLeftByATrainingThatDiverges) {
  sweeps::Job diverging = job();
  diverging.training.learning_rate = 1e30;
  const Left left = left_by(diverging, small::rows_of(21, 12), ModelParts::all);
  EXPECT_EQ(left.result.outcome, results::Outcome::diverged);
  EXPECT_EQ(left.finished, 0);
}

// ---- what a model makes of rows

TEST(RowViews, AreWhatTheClassifierSeesAndPseudoAnomaliesAreMadeOfIt) {
  const auto data = small::rows_of(21, 12);
  sweeps::Job gaussian = job();
  gaussian.training.perturbation = sweeps::Perturbation::gaussian;
  gaussian.training.sigma = 2;
  const plume::StreamDraws draws(gaussian, "dump/");
  plume::Observer observer;
  observer.keep = ModelParts::all;
  observer.on_finished = [&](const plume::FinishedTraining& training) {
    const auto scores = plume::scores_of(training.last.model, training.test, [] {});
    const auto views = plume::views_of(training.last.model, training.test, {3, 7});
    EXPECT_EQ(views.features.sizes(), (std::vector<std::int64_t>{2, 24}));
    EXPECT_EQ(views.embeddings.sizes(), (std::vector<std::int64_t>{2, 4}));
    EXPECT_NEAR(views.scores[0].item<double>(), scores[3], 1e-6);
    EXPECT_NEAR(views.scores[1].item<double>(), scores[7], 1e-6);
    const auto pseudo =
        plume::views_of_pseudo_anomalies(training.last.model, training.settings, training.test, {3, 7}, draws);
    EXPECT_TRUE(at::allclose(pseudo.features, views.features + 2 * draws.noise(0, 0, 2, 24))) << "x + sigma eps";
  };
  plume::run_job(gaussian, data, observer);
}

TEST(RowViews, OfPladAreItsNormalisedImages) {
  const auto data = small::images_of(8, 4);
  plume::Observer observer;
  observer.keep = ModelParts::all;
  int finished = 0;
  observer.on_finished = [&](const plume::FinishedTraining& training) {
    ++finished;
    ASSERT_TRUE(training.statistics);
    EXPECT_EQ(training.settings.perturbation, sweeps::Perturbation::add_mult);
    const auto views = plume::views_of(training.best->model, training.test, {0});
    EXPECT_EQ(views.features.sizes(), (std::vector<std::int64_t>{1, 3072}));
    EXPECT_EQ(views.embeddings.sizes(), (std::vector<std::int64_t>{1, 64}));
    const plume::StreamDraws draws(small::plad_job(), "dump/");
    const auto pseudo =
        plume::views_of_pseudo_anomalies(training.best->model, training.settings, training.test, {0}, draws);
    EXPECT_FALSE(at::equal(pseudo.features, views.features));
  };
  plume::run_job(small::plad_job(), data, observer);
  EXPECT_EQ(finished, 1);
}

}  // namespace
