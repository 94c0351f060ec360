// Whole tiny trainings, their thresholds and shares against the authors' released code (tests/golden/method/epochs_*),
// with the tolerances of that folder's README section 13.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "plume/auroc.hpp"
#include "plume/threshold.hpp"
#include "plume/training.hpp"
#include "tests/plume/golden_models.hpp"

namespace {

using golden::expect_near;
using golden::Tensors;
using nlohmann::json;
using plume::InputRows;
using plume::Trainer;
using sweeps::TrainingSettings;

void expect_shares(const std::vector<std::optional<double>>& shares, const json& classes) {
  std::size_t met = 0;
  for (std::size_t c = 0; c < shares.size(); ++c) {
    const auto expected = classes.find(std::to_string(c));
    ASSERT_EQ(shares[c].has_value(), expected != classes.end()) << "class " << c;
    if (!shares[c]) continue;
    EXPECT_EQ(*shares[c], expected->at("share").get<double>()) << "class " << c;
    ++met;
  }
  EXPECT_EQ(met, classes.size());
}

struct WholeTraining {
  std::string name;
  json fixture = golden::read_json("method/" + name + ".json");
  Tensors arrays = golden::read_safetensors("method/" + name + ".safetensors");
  Tensors common = golden::read_safetensors("method/small_common.safetensors");

  TrainingSettings settings() const {
    TrainingSettings settings = golden::settings_of(fixture, 24);
    settings.epochs = fixture.at("epochs");
    settings.batch_size = fixture.at("batch");
    settings.learning_rate = fixture.at("max_lr").get<double>();
    return settings;
  }
  golden::GivenDraws draws() const {
    const auto rows = fixture.at("train_rows").get<std::int64_t>(), size = fixture.at("batch").get<std::int64_t>();
    golden::GivenDraws draws;
    draws.weight = [this](const std::string& key, at::IntArrayRef) { return common.at("init/" + key).clone(); };
    draws.order = [this](int epoch, std::int64_t) { return golden::indices_of(arrays.at("order")[epoch]); };
    draws.eps = [=, this](int epoch, std::int64_t batch, std::int64_t count, std::int64_t) {
      return arrays.at("eps").narrow(0, epoch * rows + batch * size, count);
    };
    return draws;
  }
};

void expect_losses_of(const WholeTraining& whole, Trainer& trainer, int epoch) {
  const json& expected = whole.fixture.at("per_epoch")[epoch];
  std::vector<double> totals;
  const auto result = trainer.run_epoch(epoch, [&](const auto& terms) { totals.push_back(terms.total); });
  ASSERT_TRUE(result);
  ASSERT_EQ(totals.size(), expected.at("loss").size());
  for (std::size_t i = 0; i < totals.size(); ++i)
    expect_near(totals[i], expected.at("loss")[i], 0, 1e-5, "loss of batch " + std::to_string(i));
  expect_near(result->losses.total, expected.at("mean_loss_over_batches"), 0, 1e-5, "mean loss");
  const double max_lr = whole.fixture.at("max_lr");
  expect_near(result->learning_rate, expected.at("lr").back(), 4e-16 * max_lr, 0, "lr");
}

void expect_scores_of(const WholeTraining& whole, const Trainer& trainer, const InputRows& train, int epoch) {
  const json& expected = whole.fixture.at("per_epoch")[epoch];
  const auto scores = trainer.scores(InputRows::features(whole.arrays.at("test_rows"), 24));
  expect_near(at::tensor(scores, at::kDouble), whole.arrays.at("logits")[epoch], 5e-5, 0, "logits");
  const at::Tensor& classes = whole.arrays.at("test_classes");
  const int normal = whole.fixture.at("normal_class");
  EXPECT_EQ(plume::auroc(scores, golden::normals_of(classes, normal)), expected.at("auc").get<double>());

  const auto threshold = plume::threshold_of(trainer.scores(train));
  expect_near(threshold.sigmoid, expected.at("threshold"), 5e-5, 0, "threshold");
  std::vector<int> labels;
  for (const auto label : golden::indices_of(classes)) labels.push_back(static_cast<int>(label));
  const auto count = static_cast<std::size_t>(classes.max().item<int>()) + 1;
  expect_shares(plume::shares_on_the_right_side(threshold, scores, labels, {normal}, count), expected.at("classes"));
}

void expect_whole_training(const std::string& name) {
  const WholeTraining whole{name};
  const TrainingSettings settings = whole.settings();
  const auto draws = whole.draws();
  const InputRows train = InputRows::features(whole.arrays.at("train_rows"), 24);
  Trainer trainer(settings, plume::make_model(settings.perturbation, {24, 16, 8}, draws), train, draws);
  ASSERT_EQ(trainer.batches().count(), whole.fixture.at("steps_per_epoch").get<int>());
  for (int epoch = 0; epoch < settings.epochs; ++epoch) {
    SCOPED_TRACE("epoch " + std::to_string(epoch));
    expect_losses_of(whole, trainer, epoch);
    expect_scores_of(whole, trainer, train, epoch);
  }
  golden::expect_state(trainer.model(), whole.arrays, "final", 5e-5);
}

TEST(GoldenEpochs, LinearMapWithFullGuidance) {
  expect_whole_training("epochs_linear-map_full");
}

TEST(GoldenEpochs, AddMultWithoutGuidance) {
  expect_whole_training("epochs_add-mult_none");
}

}  // namespace
