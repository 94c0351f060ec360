// Settings, models and comparisons of the golden tests.
#include "tests/plume/golden_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace golden {
namespace {

using nlohmann::json;
using plume::Model;
using sweeps::TrainingSettings;

template <typename Enum>
Enum named(const std::string& name, std::initializer_list<Enum> values) {
  for (const Enum value : values)
    if (sweeps::name_of(value) == name) return value;
  throw std::runtime_error("no such name: " + name);
}

}  // namespace

TrainingSettings settings_of(const json& fixture, int dimension) {
  using namespace sweeps;
  TrainingSettings settings;
  if (fixture.contains("perturbation"))
    settings.perturbation =
        named(fixture.at("perturbation"), {Perturbation::linear_map, Perturbation::add_mult, Perturbation::add,
                                           Perturbation::mult, Perturbation::gaussian});
  if (fixture.contains("guidance"))
    settings.guidance = named(fixture.at("guidance"), {Guidance::none, Guidance::full, Guidance::mean});
  settings.semantics = named(fixture.at("semantics"), {Semantics::released, Semantics::paper});
  if (fixture.value("one_pass", false)) settings.classifier_passes = ClassifierPasses::one;
  settings.dimension = dimension;
  settings.lambda = fixture.at("lambda");
  settings.tau = fixture.value("tau", settings.tau);
  if (fixture.contains("sigma") && fixture.at("sigma").is_number()) settings.sigma = fixture.at("sigma");
  return settings;
}

Model small_model(const TrainingSettings& settings, const Tensors& common, at::ScalarType dtype) {
  GivenDraws draws;
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

std::vector<std::int64_t> indices_of(const at::Tensor& row) {
  const at::Tensor whole = row.to(at::kLong).contiguous();
  return {whole.data_ptr<std::int64_t>(), whole.data_ptr<std::int64_t>() + whole.numel()};
}

std::vector<bool> normals_of(const at::Tensor& labels, int normal) {
  std::vector<bool> is_normal;
  for (const std::int64_t label : indices_of(labels)) is_normal.push_back(label == normal);
  return is_normal;
}

std::vector<double> doubles_of(const at::Tensor& values) {
  const at::Tensor doubles = values.to(at::kDouble).contiguous();
  return {doubles.data_ptr<double>(), doubles.data_ptr<double>() + doubles.numel()};
}

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

double l2(const at::Tensor& tensor) {
  return tensor.detach().norm(at::Scalar(2), at::kDouble).item<double>();
}

void expect_digest(const at::Tensor& tensor, const json& digest, double element_absolute, double element_relative,
                   double norm_relative, const std::string& what) {
  expect_near(l2(tensor), digest.at("l2"), 0, norm_relative, what + " l2");
  const at::Tensor flat = tensor.detach().flatten().to(at::kDouble);
  for (std::size_t i = 0; i < digest.at("index").size(); ++i)
    expect_near(flat[digest.at("index")[i].get<std::int64_t>()].item<double>(), digest.at("value")[i], element_absolute,
                element_relative, what + " element");
}

}  // namespace golden
