// The perturbations by hand, and the gradients of every variant against central differences in doubles.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "plume/guidance.hpp"
#include "plume/perturbations.hpp"
#include "plume/training_step.hpp"
#include "tests/plume/every_variant.hpp"
#include "tests/plume/golden_files.hpp"

namespace {

using sweeps::Perturbation;
using sweeps::Semantics;
using sweeps::TrainingSettings;

at::Tensor row(std::vector<double> values) {
  return at::tensor(values, at::kDouble).unsqueeze(0);
}

TEST(LinearMap, IsTheIdentityPlusARankOneMatrix) {
  const at::Tensor x = row({1, 2}), a = row({3, 4}), b = row({5, 6});
  EXPECT_TRUE(at::equal(plume::linear_map(x, a, b), row({52, 70})));  // b . x = 17; 1 + 3 * 17, 2 + 4 * 17
  const at::Tensor map = at::eye(2, at::kDouble) + at::mm(a.t(), b);
  EXPECT_TRUE(at::equal(at::mm(x, map.t()), row({52, 70})));
}

TEST(LinearMap, EqualsTheExplicitMatrixRowByRow) {
  const auto part = [](std::uint32_t stream) { return golden::fill({5, 7}, stream, 1).to(at::kDouble); };
  const at::Tensor x = part(1), a = part(2), b = part(3);
  for (std::int64_t i = 0; i < 5; ++i) {
    const at::Tensor map = at::eye(7, at::kDouble) + at::outer(a[i], b[i]);
    golden::expect_near(plume::linear_map(x, a, b)[i], at::mv(map, x[i]), 1e-14, 0, "row");
  }
}

TEST(Perturb, TakesTheHalvesAsTheSemanticsSay) {
  const at::Tensor x = row({1, 2}), output = row({3, 4, 5, 6}), first = row({3, 4}), second = row({5, 6});
  const auto released = plume::perturb(Perturbation::add_mult, Semantics::released, x, output);
  EXPECT_TRUE(at::equal(released.anomalies, row({8, 16})));  // x second + first
  EXPECT_TRUE(at::equal(released.to_zero, first));
  EXPECT_TRUE(at::equal(released.to_one, second));
  const auto paper = plume::perturb(Perturbation::add_mult, Semantics::paper, x, output);
  EXPECT_TRUE(at::equal(paper.anomalies, row({8, 14})));  // first x + second
  EXPECT_TRUE(at::equal(paper.to_zero, second));
  EXPECT_TRUE(at::equal(paper.to_one, first));
}

TEST(Perturb, LeavesOutTheHalfThatDoesNotExist) {
  const at::Tensor x = row({1, 2}), output = row({3, 4});
  const auto add = plume::perturb(Perturbation::add, Semantics::released, x, output);
  EXPECT_TRUE(at::equal(add.anomalies, row({4, 6})));
  EXPECT_FALSE(add.to_one.defined());
  const auto mult = plume::perturb(Perturbation::mult, Semantics::released, x, output);
  EXPECT_TRUE(at::equal(mult.anomalies, row({3, 8})));
  EXPECT_FALSE(mult.to_zero.defined());
}

TEST(FullGuidance, StaysFiniteAtASmallTemperature) {
  const at::Tensor normal = golden::fill({4, 6}, 1, 1), anomaly = golden::fill({4, 6}, 2, 1);
  EXPECT_TRUE(at::isfinite(plume::full_guidance_released(normal, anomaly, 0.001)).item<bool>());
  EXPECT_TRUE(at::isfinite(plume::full_guidance_paper(normal, anomaly, 0.001)).item<bool>());
}

class Gradients : public testing::TestWithParam<tests::Variant> {};

TrainingSettings settings_of(const tests::Variant& variant) {
  TrainingSettings settings = tests::settings_of(variant, 12);
  // None of the weights is 1, so that none can be left out unseen.
  settings.lambda = 0.7;
  settings.nu = 1.3;
  settings.gamma = 1.7;
  settings.tau = 0.4;
  settings.sigma = 0.6;
  return settings;
}

plume::Model random_model(const TrainingSettings& settings) {
  golden::GivenDraws draws;
  draws.weight = [stream = 100U](const std::string&, at::IntArrayRef shape) mutable {
    return golden::fill(shape, stream++, 0.5);
  };
  return plume::make_model(settings.perturbation, {12, 5, 3}, draws, at::kDouble);
}

TEST_P(Gradients, AgreeWithCentralDifferences) {
  const TrainingSettings settings = settings_of(GetParam());
  const plume::Model model = random_model(settings);
  const at::Tensor rows = golden::fill({5, 12}, 1, 1).to(at::kDouble),
                   eps = golden::fill({5, 12}, 2, 1.7).to(at::kDouble);
  const auto total = [&] {
    return plume::losses_of(plume::forward_in_training(model, settings, rows, eps), settings).total;
  };
  std::vector<at::Tensor> parameters;
  for (const auto& [name, tensor] : model.parameters()) parameters.push_back(tensor);
  const auto gradients = plume::gradients_of(total(), parameters);

  const at::NoGradGuard no_grad;
  constexpr double kStep = 1e-6;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = model.parameters()[i].first;
    const at::Tensor direction =
        golden::fill(parameters[i].sizes(), 200 + static_cast<std::uint32_t>(i), 1).to(at::kDouble);
    parameters[i].add_(direction, kStep);
    const double above = total().item<double>();
    parameters[i].sub_(direction, 2 * kStep);
    const double below = total().item<double>();
    parameters[i].add_(direction, kStep);
    const double expected = (above - below) / (2 * kStep);
    golden::expect_near((gradients[i] * direction).sum().item<double>(), expected, 1e-7, 1e-6, name);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryVariant, Gradients, tests::every_variant(), tests::variant_name);

}  // namespace
