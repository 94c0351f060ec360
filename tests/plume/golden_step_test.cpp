// Single steps of every variant against the authors' released code and the paper's equations
// (tests/golden/method/{released,paper}, full_linear-map_full), with the tolerances of that folder's README section 13.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "plume/adamw.hpp"
#include "plume/auroc.hpp"
#include "plume/guidance.hpp"
#include "plume/losses.hpp"
#include "plume/one_cycle.hpp"
#include "plume/training_step.hpp"
#include "tests/plume/golden_files.hpp"

namespace {

using golden::expect_near;
using nlohmann::json;
using plume::Model;
using sweeps::TrainingSettings;
using Tensors = std::map<std::string, at::Tensor>;

constexpr double kLossTolerance = 3e-6;

template <typename Enum>
Enum named(const std::string& name, std::initializer_list<Enum> values) {
  for (const Enum value : values)
    if (sweeps::name_of(value) == name) return value;
  throw std::runtime_error("no such name: " + name);
}

TrainingSettings settings_of(const json& fixture, int dimension) {
  using namespace sweeps;
  TrainingSettings settings;
  settings.perturbation =
      named(fixture.at("perturbation"), {Perturbation::linear_map, Perturbation::add_mult, Perturbation::add,
                                         Perturbation::mult, Perturbation::gaussian});
  settings.guidance = named(fixture.at("guidance"), {Guidance::none, Guidance::full, Guidance::mean});
  settings.semantics = named(fixture.at("semantics"), {Semantics::released, Semantics::paper});
  if (fixture.value("one_pass", false)) settings.classifier_passes = ClassifierPasses::one;
  settings.dimension = dimension;
  settings.lambda = fixture.at("lambda");
  settings.tau = fixture.at("tau");
  if (fixture.contains("sigma") && fixture.at("sigma").is_number()) settings.sigma = fixture.at("sigma");
  return settings;
}

Model small_model(const TrainingSettings& settings, const Tensors& common, at::ScalarType dtype) {
  golden::GivenDraws draws;
  draws.weight = [&](const std::string& name, at::IntArrayRef shape) {
    const bool single = name.starts_with("vae.fc5.") && shape[0] == 24;
    return common.at("init/" + (single ? "vae.fc5_single." + name.substr(8) : name)).clone();
  };
  return plume::make_model(settings.perturbation, {24, 16, 8}, draws, dtype);
}

std::vector<at::Tensor> tensors_of(const plume::NamedTensors& named_tensors) {
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : named_tensors) tensors.push_back(tensor);
  return tensors;
}

/// Parameters and running statistics against `<prefix>/<name>`; every stored array must be met.
void expect_state(const Model& model, const Tensors& fixture, const std::string& prefix, double tolerance) {
  std::size_t met = 0;
  for (const auto& list : {model.parameters(), model.running_statistics()})
    for (const auto& [name, tensor] : list) {
      expect_near(tensor, fixture.at(prefix + "/" + name), tolerance, 0, prefix + "/" + name);
      ++met;
    }
  const auto stored = std::count_if(fixture.begin(), fixture.end(),
                                    [&](const auto& entry) { return entry.first.starts_with(prefix + "/"); });
  EXPECT_EQ(met, static_cast<std::size_t>(stored)) << prefix;
}

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

void expect_losses(const plume::StepLosses& losses, const json& terms, const TrainingSettings& settings,
                   double absolute, double relative) {
  const auto expect = [&](const at::Tensor& loss, const char* key) {
    expect_near(loss.item().toDouble(), terms.at(key).get<double>(), absolute, relative, key);
  };
  expect(losses.total, "total");
  expect(losses.classification, "classification");
  expect(losses.noise, "noise");
  expect(losses.kl, "kl");
  if (settings.guidance == sweeps::Guidance::none)
    EXPECT_EQ(losses.guidance.item().toDouble(), 0);
  else if (terms.contains("guidance"))
    expect(losses.guidance, "guidance");
  else
    expect(losses.guidance, settings.guidance == sweeps::Guidance::full ? "guidance_full" : "guidance_mean");
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
  std::vector<bool> positive;
  for (int i = 0; i < 20; ++i) positive.push_back(common.at("test_labels")[i].item<int>() == 1);

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
    const at::Tensor scores = logits.to(at::kDouble);
    const auto auc = plume::auroc({scores.data_ptr<double>(), scores.data_ptr<double>() + 20}, positive);
    EXPECT_EQ(auc, fixture.at("eval").at(n).at("auc").get<double>());
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

// --- Full size: D = 3072, compared by digests
// -----------------------------------------------------------------------------------

double l2(const at::Tensor& tensor) {
  return tensor.detach().norm(at::Scalar(2), at::kDouble).item<double>();
}

/// Elements of the digest's positions, and the norm.
void expect_digest(const at::Tensor& tensor, const json& digest, double element_absolute, double element_relative,
                   double norm_relative, const std::string& what) {
  expect_near(l2(tensor), digest.at("l2"), 0, norm_relative, what + " l2");
  const at::Tensor flat = tensor.detach().flatten().to(at::kDouble);
  for (std::size_t i = 0; i < digest.at("index").size(); ++i)
    expect_near(flat[digest.at("index")[i].get<std::int64_t>()].item<double>(), digest.at("value")[i], element_absolute,
                element_relative, what + " element");
}

struct FullSize {
  json fixture = golden::read_json("method/full_linear-map_full.json");
  TrainingSettings settings = settings_of(fixture, 3072);

  Model model(at::ScalarType dtype) const {
    golden::GivenDraws draws;
    draws.weight = [this](const std::string& name, at::IntArrayRef shape) { return initial(name, shape); };
    return plume::make_model(settings.perturbation, plume::widths_of(3072), draws, dtype);
  }
  at::Tensor initial(const std::string& name, at::IntArrayRef shape) const {
    const json& how = fixture.at("parameters").at(name);
    EXPECT_EQ(shape.vec(), how.at("shape").get<std::vector<std::int64_t>>()) << name;
    return golden::fill(shape, how.at("stream"), how.at("scale"));
  }
  at::Tensor input(const char* which, int k) const {
    const json& how = fixture.at(which);
    return golden::fill({32, 3072}, how.at("streams")[k], how.at("scale"));
  }
};

/// Three steps; in doubles the first one only (its own gradients are compared to nine digits).
void run_full_size(const FullSize& full, const Model& model, const std::vector<at::Tensor>& parameters,
                   at::ScalarType dtype) {
  const bool doubles = dtype == at::kDouble;
  const json& steps = full.fixture.at(doubles ? "steps_rank1_f64" : "steps");
  const json& digests = full.fixture.at(doubles ? "grad1_rank1_f64" : "grad1");
  plume::AdamW optimiser(parameters, 0.01);
  for (int k = 0; k < (doubles ? 1 : 3); ++k) {
    SCOPED_TRACE("step " + std::to_string(k));
    const auto forward = plume::forward_in_training(model, full.settings, full.input("rows", k).to(dtype),
                                                    full.input("eps", k).to(dtype));
    const auto losses = plume::losses_of(forward, full.settings);
    expect_losses(losses, steps[k], full.settings, doubles ? 0 : kLossTolerance, doubles ? 1e-12 : kLossTolerance);
    const auto gradients = plume::gradients_of(losses.total, parameters);
    const auto named_parameters = model.parameters();
    for (std::size_t i = 0; k == 0 && i < gradients.size(); ++i) {
      const json& digest = digests.at(named_parameters[i].first);
      const double size = static_cast<double>(gradients[i].numel());
      const double absolute = doubles ? 1e-12 : 1e-4 * digest.at("l2").get<double>() / std::sqrt(size);
      expect_digest(gradients[i], digest, absolute, doubles ? 1e-9 : 0, doubles ? 1e-9 : 1e-5,
                    named_parameters[i].first);
    }
    const auto point = plume::one_cycle(full.fixture.at("max_lr"), full.fixture.at("total_steps"), k);
    optimiser.step(gradients, point.learning_rate, point.beta1);
  }
}

TEST(GoldenFullSize, ThreeStepsOfLinearMapWithFullGuidance) {
  const FullSize full;
  const Model model = full.model(at::kFloat);
  const auto parameters = tensors_of(model.parameters());
  run_full_size(full, model, parameters, at::kFloat);

  for (const auto& [name, parameter] : model.parameters()) {
    const json& digest = full.fixture.at("after3").at(name);
    expect_near(l2(parameter), digest.at("l2"), 0, 1e-5, name);
    const at::Tensor moved = parameter.detach() - full.initial(name, parameter.sizes());
    expect_near(l2(moved), digest.at("moved_l2"), 0, 1e-5, name + " moved");
  }
  const Tensors arrays = golden::read_safetensors("method/full_linear-map_full.safetensors");
  for (const auto& [name, statistic] : model.running_statistics()) {
    const at::Tensor& expected = arrays.at("after3/" + name);
    EXPECT_LE(l2(statistic - expected), 1e-4 * l2(expected)) << name;
  }
  at::Tensor test = golden::fill({16, 3072}, 3001, 1.0);
  test.narrow(0, 8, 8).mul_(1.5F).add_(0.25F);
  const at::Tensor logits = plume::logits_in_evaluation(model, test).to(at::kDouble);
  expect_near(logits, at::tensor(full.fixture.at("eval3_logits").get<std::vector<double>>(), at::kDouble), 1e-5, 0,
              "logits");
  std::vector<bool> positive(16, false);
  std::fill(positive.begin(), positive.begin() + 8, true);
  EXPECT_EQ(plume::auroc({logits.data_ptr<double>(), logits.data_ptr<double>() + 16}, positive),
            full.fixture.at("eval3_auc").get<double>());
}

TEST(GoldenFullSize, FirstStepInDoubles) {
  const FullSize full;
  const Model model = full.model(at::kDouble);
  run_full_size(full, model, tensors_of(model.parameters()), at::kDouble);
}

}  // namespace
