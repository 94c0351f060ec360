// Full-size steps, D = 3072, compared by digests: linear-map with full guidance and PLAD on raw images
// (tests/golden/method/{full_linear-map_full,plad_raw}), with the tolerances of that folder's README section 13.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "plume/adamw.hpp"
#include "plume/auroc.hpp"
#include "plume/one_cycle.hpp"
#include "plume/training_step.hpp"
#include "tests/plume/golden_models.hpp"

namespace {

using golden::expect_digest;
using golden::expect_losses;
using golden::expect_near;
using golden::kLossTolerance;
using golden::l2;
using golden::Tensors;
using golden::tensors_of;
using nlohmann::json;
using plume::Model;
using sweeps::TrainingSettings;

/// One of the two fixtures: inputs and weights by the closed-form fill.
struct FullSize {
  std::string name;
  json fixture = golden::read_json("method/" + name + ".json");
  TrainingSettings settings = golden::settings_of(fixture, 3072);

  golden::GivenDraws draws() const {
    golden::GivenDraws draws;
    draws.weight = [this](const std::string& key, at::IntArrayRef shape) { return initial(key, shape); };
    return draws;
  }
  at::Tensor initial(const std::string& key, at::IntArrayRef shape) const {
    const json& how = fixture.at("parameters").at(key);
    EXPECT_EQ(shape.vec(), how.at("shape").get<std::vector<std::int64_t>>()) << key;
    return golden::fill(shape, how.at("stream"), how.at("scale"));
  }
  /// The input `which` of step k, as rows.
  at::Tensor input(const char* which, int k) const {
    const json& how = fixture.at(which);
    const auto rows = fixture.at("n").get<std::int64_t>();
    return golden::fill({rows, 3072}, how.at("streams")[k], how.at("scale"));
  }
  /// Test rows; the second half, the anomalies, is v * factor + 0.25.
  at::Tensor test_rows(float factor) const {
    const json& how = fixture.at("test");
    const auto rows = how.at("shape")[0].get<std::int64_t>();
    at::Tensor test = golden::fill({rows, 3072}, how.at("stream"), how.at("scale"));
    test.narrow(0, rows / 2, rows / 2).mul_(factor).add_(0.25F);
    return test;
  }
};

/// Float32: relative l2 1e-5, elements 1e-4 l2 / sqrt(size). Doubles: nine digits.
void expect_gradients(const Model& model, const std::vector<at::Tensor>& gradients, const json& digests, bool doubles) {
  const auto parameters = model.parameters();
  ASSERT_EQ(parameters.size(), digests.size());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const json& digest = digests.at(parameters[i].first);
    const double size = static_cast<double>(gradients[i].numel());
    const double absolute = doubles ? 1e-12 : 1e-4 * digest.at("l2").get<double>() / std::sqrt(size);
    expect_digest(gradients[i], digest, absolute, doubles ? 1e-9 : 0, doubles ? 1e-9 : 1e-5, parameters[i].first);
  }
}

/// Steps in float32 against `steps` and `grad1`, the state after them against `after3`.
void expect_steps(const FullSize& full, const char* rows, const Model& model) {
  const auto parameters = tensors_of(model.parameters());
  plume::AdamW optimiser(parameters, 0.01);
  const json& steps = full.fixture.at("steps");
  ASSERT_EQ(steps.size(), 3);
  for (int k = 0; k < 3; ++k) {
    SCOPED_TRACE("step " + std::to_string(k));
    const auto forward = plume::forward_in_training(model, full.settings, full.input(rows, k), full.input("eps", k));
    const auto losses = plume::losses_of(forward, full.settings);
    expect_losses(losses, steps[k], full.settings, kLossTolerance, kLossTolerance);
    const auto gradients = plume::gradients_of(losses.total, parameters);
    if (k == 0) expect_gradients(model, gradients, full.fixture.at("grad1"), false);
    const auto point = plume::one_cycle(full.fixture.at("max_lr"), full.fixture.at("total_steps"), k);
    expect_near(point.learning_rate, steps[k].at("lr"), 4e-16 * full.fixture.at("max_lr").get<double>(), 0, "lr");
    optimiser.step(gradients, point.learning_rate, point.beta1);
  }
  for (const auto& [name, parameter] : model.parameters()) {
    const json& digest = full.fixture.at("after3").at(name);
    expect_near(l2(parameter), digest.at("l2"), 0, 1e-5, name);
    const at::Tensor moved = parameter.detach() - full.initial(name, parameter.sizes());
    expect_near(l2(moved), digest.at("moved_l2"), 0, 1e-5, name + " moved");
  }
}

/// Running statistics after three steps, and what evaluation mode makes of the test rows.
void expect_evaluation(const FullSize& full, const Model& model, const at::Tensor& test) {
  const Tensors arrays = golden::read_safetensors("method/" + full.name + ".safetensors");
  const auto statistics = model.running_statistics();
  ASSERT_EQ(statistics.size(), arrays.size());
  for (const auto& [name, statistic] : statistics) {
    const at::Tensor& expected = arrays.at("after3/" + name);
    EXPECT_LE(l2(statistic - expected), 1e-4 * l2(expected)) << name;
  }
  const auto logits = golden::doubles_of(plume::logits_in_evaluation(model, test));
  const auto expected = full.fixture.at("eval3_logits").get<std::vector<double>>();
  expect_near(at::tensor(logits, at::kDouble), at::tensor(expected, at::kDouble), 1e-5, 0, "logits");
  std::vector<bool> positive;
  for (const int label : full.fixture.at("test").at("labels")) positive.push_back(label == 1);
  EXPECT_EQ(plume::auroc(logits, positive), full.fixture.at("eval3_auc").get<double>());
}

/// The first step in doubles, its losses to twelve digits and its gradients to nine.
void expect_first_step_in_doubles(const FullSize& full, const char* rows, const Model& model, const char* steps,
                                  const char* gradients) {
  const auto forward = plume::forward_in_training(model, full.settings, full.input(rows, 0).to(at::kDouble),
                                                  full.input("eps", 0).to(at::kDouble));
  const auto losses = plume::losses_of(forward, full.settings);
  expect_losses(losses, full.fixture.at(steps)[0], full.settings, 0, 1e-12);
  const auto parameters = tensors_of(model.parameters());
  expect_gradients(model, plume::gradients_of(losses.total, parameters), full.fixture.at(gradients), true);
}

TEST(GoldenFullSize, ThreeStepsOfLinearMapWithFullGuidance) {
  const FullSize full{"full_linear-map_full"};
  const Model model = plume::make_model(full.settings.perturbation, plume::widths_of(3072), full.draws());
  expect_steps(full, "rows", model);
  expect_evaluation(full, model, full.test_rows(1.5F));
}

TEST(GoldenFullSize, FirstStepInDoubles) {
  const FullSize full{"full_linear-map_full"};
  const Model model = plume::make_model(full.settings.perturbation, plume::widths_of(3072), full.draws(), at::kDouble);
  expect_first_step_in_doubles(full, "rows", model, "steps_rank1_f64", "grad1_rank1_f64");
}

/// The fixture says nothing of what every PLAD is.
FullSize plad() {
  FullSize full{"plad_raw"};
  full.settings.perturbation = sweeps::Perturbation::add_mult;
  full.settings.guidance = sweeps::Guidance::none;
  full.settings.classifier_passes = sweeps::ClassifierPasses::one;
  return full;
}

TEST(GoldenPlad, ThreeStepsOnImages) {
  const FullSize full = plad();
  const Model model = plume::make_plad_model(full.draws());
  expect_steps(full, "images", model);
  expect_evaluation(full, model, full.test_rows(0.5F));
}

TEST(GoldenPlad, FirstStepInDoubles) {
  const FullSize full = plad();
  const Model model = plume::make_plad_model(full.draws(), at::kDouble);
  expect_first_step_in_doubles(full, "images", model, "steps_f64", "grad1_f64");
}

}  // namespace
