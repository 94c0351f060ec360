// Single steps of every variant against the authors' released code and the paper's equations
// (tests/golden/method/{released,paper}), with the tolerances of that folder's README section 13.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plume/adamw.hpp"
#include "plume/auroc.hpp"
#include "plume/guidance.hpp"
#include "plume/one_cycle.hpp"
#include "plume/training_step.hpp"
#include "tests/plume/golden_models.hpp"

namespace {

using golden::expect_losses;
using golden::expect_near;
using golden::expect_state;
using golden::kLossTolerance;
using golden::settings_of;
using golden::small_model;
using golden::Tensors;
using golden::tensors_of;
using nlohmann::json;
using plume::Model;
using sweeps::TrainingSettings;

/// README: float32 absolute 1e-5 max(1, largest magnitude); doubles relative 1e-9 + absolute 1e-12.
void expect_gradients(const Model& model, const std::vector<at::Tensor>& gradients, const Tensors& fixture,
                      at::ScalarType dtype) {
  const auto parameters = model.parameters();
  ASSERT_EQ(parameters.size(), gradients.size());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const std::string key = (dtype == at::kDouble ? "grad1_f64/" : "grad1/") + parameters[i].first;
    const at::Tensor& expected = fixture.at(key);
    if (dtype == at::kDouble)
      expect_near(gradients[i], expected, 1e-12, 1e-9, key);
    else
      expect_near(gradients[i], expected, 1e-5 * std::max(1.0, expected.abs().max().item<double>()), 0, key);
  }
}

/// The released fixtures give both guidance terms whatever the combination.
void expect_both_guidances(const plume::Forward& forward, const json& terms, double tau, double absolute,
                           double relative) {
  if (!terms.contains("guidance_full")) return;  // one pass: the released class has no guidance
  const at::Tensor &normal = forward.normal.embedding, &anomaly = forward.anomaly.embedding;
  expect_near(plume::full_guidance_released(normal, anomaly, tau).item().toDouble(),
              terms.at("guidance_full").get<double>(), absolute, relative, "guidance_full");
  expect_near(plume::mean_guidance_released(normal, anomaly).item().toDouble(), terms.at("guidance_mean").get<double>(),
              absolute, relative, "guidance_mean");
}

/// step1/*: what the forward pass makes. The README states no tolerance for these; that of the gradients is used.
void expect_intermediates(const plume::Forward& forward, const Tensors& fixture) {
  const auto expect = [&](const at::Tensor& actual, const std::string& key) {
    const auto found = fixture.find("step1/" + key);
    if (found == fixture.end()) return;
    expect_near(actual, found->second, 1e-5 * std::max(1.0, found->second.abs().max().item<double>()), 0, key);
  };
  ASSERT_TRUE(fixture.contains("step1/x"));
  expect(forward.x, "x");
  expect(forward.perturbed.anomalies, "anomalies");
  expect(forward.normal.logit, "logit_normal");
  expect(forward.anomaly.logit, "logit_anomaly");
  expect(forward.normal.embedding, "emb_normal");
  expect(forward.anomaly.embedding, "emb_anomaly");
  ASSERT_EQ(forward.vae.has_value(), fixture.contains("step1/mu"));
  if (!forward.vae) return;
  expect(forward.vae->mu, "mu");
  expect(forward.vae->logvar, "logvar");
}

class GoldenReleased : public testing::TestWithParam<std::string> {};
class GoldenPaper : public testing::TestWithParam<std::string> {};

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

TEST_P(GoldenReleased, FiveStepsInFloat32) {
  const json fixture = golden::read_json("method/released/" + GetParam() + ".json");
  const Tensors arrays = golden::read_safetensors("method/released/" + GetParam() + ".safetensors");
  const Tensors common = golden::read_safetensors("method/small_common.safetensors");
  const TrainingSettings settings = settings_of(fixture, 24);
  const Model model = small_model(settings, common, at::kFloat);
  const auto parameters = tensors_of(model.parameters());
  plume::AdamW optimiser(parameters, 0.01);
  const double max_lr = fixture.at("max_lr");
  const auto positive = golden::normals_of(common.at("test_labels"), 1);

  for (int k = 0; k < 5; ++k) {
    SCOPED_TRACE("step " + std::to_string(k));
    const json& step = fixture.at("steps")[k];
    const auto forward = plume::forward_in_training(model, settings, common.at("batches")[k], common.at("eps")[k]);
    const auto losses = plume::losses_of(forward, settings);
    expect_losses(losses, step, settings, kLossTolerance, kLossTolerance);
    expect_both_guidances(forward, step, settings.tau, kLossTolerance, kLossTolerance);
    const auto gradients = plume::gradients_of(losses.total, parameters);
    if (k == 0) {
      expect_intermediates(forward, arrays);
      expect_gradients(model, gradients, arrays, at::kFloat);
    }
    const auto point = plume::one_cycle(max_lr, fixture.at("total_steps"), k);
    expect_near(point.learning_rate, step.at("lr"), 4e-16 * max_lr, 0, "lr");
    expect_near(point.beta1, step.at("beta1"), 4e-16, 0, "beta1");
    optimiser.step(gradients, point.learning_rate, point.beta1);
    if (k != 0 && k != 4) continue;
    const std::string n = std::to_string(k + 1);
    expect_state(model, arrays, "after" + n, 5e-6);
    const at::Tensor logits = plume::logits_in_evaluation(model, common.at("test_rows"));
    expect_near(logits, arrays.at("eval" + n + "/logits"), 5e-6, 0, "eval" + n);
    EXPECT_EQ(plume::auroc(golden::doubles_of(logits), positive), fixture.at("eval").at(n).at("auc").get<double>());
  }
}

TEST_P(GoldenReleased, FirstStepInDoubles) {
  const json fixture = golden::read_json("method/released/" + GetParam() + ".json");
  const Tensors arrays = golden::read_safetensors("method/released/" + GetParam() + ".safetensors");
  const Tensors common = golden::read_safetensors("method/small_common.safetensors");
  const TrainingSettings settings = settings_of(fixture, 24);
  const Model model = small_model(settings, common, at::kDouble);
  const auto forward = plume::forward_in_training(model, settings, common.at("batches")[0].to(at::kDouble),
                                                  common.at("eps")[0].to(at::kDouble));
  const auto losses = plume::losses_of(forward, settings);
  expect_losses(losses, fixture.at("step0_f64"), settings, 0, 1e-12);
  expect_both_guidances(forward, fixture.at("step0_f64"), settings.tau, 0, 1e-12);
  expect_gradients(model, plume::gradients_of(losses.total, tensors_of(model.parameters())), arrays, at::kDouble);
}

TEST_P(GoldenPaper, FirstStepInFloat32AndInDoubles) {
  const json fixture = golden::read_json("method/paper/" + GetParam() + ".json");
  const Tensors arrays = golden::read_safetensors("method/paper/" + GetParam() + ".safetensors");
  const Tensors common = golden::read_safetensors("method/small_common.safetensors");
  const TrainingSettings settings = settings_of(fixture, 24);
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    SCOPED_TRACE(c10::toString(dtype));
    const bool doubles = dtype == at::kDouble;
    const Model model = small_model(settings, common, dtype);
    const auto forward =
        plume::forward_in_training(model, settings, common.at("batches")[0].to(dtype), common.at("eps")[0].to(dtype));
    expect_intermediates(forward, arrays);
    const auto losses = plume::losses_of(forward, settings);
    expect_losses(losses, fixture.at(doubles ? "terms_f64" : "terms_f32"), settings, doubles ? 0 : kLossTolerance,
                  doubles ? 1e-12 : kLossTolerance);
    expect_gradients(model, plume::gradients_of(losses.total, tensors_of(model.parameters())), arrays, dtype);
  }
}

INSTANTIATE_TEST_SUITE_P(AllCombinations, GoldenReleased,
                         testing::Values("linear-map_none", "linear-map_full", "linear-map_mean", "add-mult_none",
                                         "add-mult_full", "add-mult_mean", "add-mult_none_one-pass", "add_none",
                                         "add_full", "add_mean", "mult_none", "mult_full", "mult_mean", "gaussian_none",
                                         "gaussian_full", "gaussian_mean"),
                         test_name);
INSTANTIATE_TEST_SUITE_P(AllCombinations, GoldenPaper,
                         testing::Values("linear-map_none", "linear-map_full", "linear-map_mean", "add-mult_none",
                                         "add-mult_full", "add-mult_mean", "add_none", "add_full", "add_mean",
                                         "mult_none", "mult_full", "mult_mean", "gaussian_full", "gaussian_mean"),
                         test_name);

}  // namespace
