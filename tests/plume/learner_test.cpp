// A step of the learner, whose large gradients never are in memory, against autograd's gradients of the same model in
// the same state and the definition of AdamW in doubles, in every variant.
#include "plume/learner.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "plume/skinny_linear.hpp"
#include "plume/training_step.hpp"
#include "tests/plume/every_variant.hpp"
#include "tests/plume/golden_files.hpp"

namespace {

using plume::Learner;
using plume::Model;
using sweeps::ClassifierPasses;
using sweeps::Guidance;
using sweeps::Perturbation;
using sweeps::TrainingSettings;

constexpr plume::Widths kOddWidths{37, 19, 7};  // no multiple of a tile's rows or of a vector in any layer

using Tensors = std::map<std::string, at::Tensor>;

Tensors copies_of(const plume::NamedTensors& named) {
  Tensors copies;
  for (const auto& [name, tensor] : named) copies[name] = tensor.detach().clone();
  return copies;
}

double largest(const at::Tensor& tensor) {
  return tensor.abs().max().item().toDouble();
}

/// In units of the learner's float32: a gradient is a sum of at most 66 products whose order is free, and its terms may
/// cancel to a hundredth of their size: 1e-5 of the largest gradient of the tensor.
constexpr double kGradientRounding = 1e-5;
/// Some ten roundings of 2^-24 make a weight of its moments.
constexpr double kUpdateRounding = 1e-6;

/// What may be between the learner and the reference, in parts: nothing in forward passes that are LibTorch's in both.
struct Rounding {
  double forward = 0, gradient = kGradientRounding;
};

struct Step {
  at::Tensor rows, eps;
  double learning_rate, beta1;
};

struct Reference {
  double total;
  Tensors gradients, statistics;
};

/// Of the learner's model as it stands, which does not change: by autograd, each gradient formed.
Reference reference_of(const Learner& learner, const TrainingSettings& settings, const Step& step) {
  const Model model = learner.model().clone();
  const auto losses = losses_of(forward_in_training(model, settings, step.rows, step.eps), settings);
  const plume::NamedTensors parameters = model.parameters();
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : parameters) tensors.push_back(tensor);
  const auto gradients = plume::gradients_of(losses.total, tensors);
  Reference reference{losses.total.item().toDouble(), {}, copies_of(model.running_statistics())};
  for (std::size_t i = 0; i < gradients.size(); ++i) reference.gradients[parameters[i].first] = gradients[i];
  return reference;
}

/// Moments are those of autograd's gradient, and the weight follows from the moments as AdamW says.
void expect_adamw(const std::string& name, const Tensors& before, const Tensors& after, const at::Tensor& gradient,
                  const Step& step, const Rounding& rounding) {
  SCOPED_TRACE(name);
  const auto value = [](const Tensors& state, const std::string& of) { return state.at(of).to(at::kDouble); };
  const auto moment = [&](const char* which, const Tensors& state) {
    return value(state, which + (" moment of " + name));
  };
  const at::Tensor g = gradient.to(at::kDouble), p0 = value(before, name), p1 = value(after, name);
  const double t = after.at("steps of " + name).item<double>();
  EXPECT_EQ(t, before.at("steps of " + name).item<double>() + 1);
  const at::Tensor m0 = moment("first", before), v0 = moment("second", before);
  const at::Tensor m = moment("first", after), v = moment("second", after);
  const double tolerance = rounding.gradient * largest(g);
  EXPECT_LE(largest(m - (m0 + (1 - step.beta1) * (g - m0))),
            (1 - step.beta1) * tolerance + kUpdateRounding * largest(m));
  EXPECT_LE(largest(v - (0.999 * v0 + 0.001 * g * g)), 0.002 * largest(g) * tolerance + kUpdateRounding * largest(v));
  const at::Tensor root = v.sqrt() / std::sqrt(1 - std::pow(0.999, t)) + 1e-8;
  const at::Tensor p =
      p0 * (1 - step.learning_rate * 0.01) - step.learning_rate / (1 - std::pow(step.beta1, t)) * m / root;
  EXPECT_LE(largest(p1 - p), kUpdateRounding * std::max(largest(p), step.learning_rate));
  EXPECT_GT(largest(p1 - p0), 0.1 * step.learning_rate) << "it was updated";
}

void expect_step(Learner& learner, const TrainingSettings& settings, const Step& step, const Rounding& rounding = {}) {
  const Reference reference = reference_of(learner, settings, step);
  const Tensors before = copies_of(learner.state());

  const auto terms = learner.step(step.rows, step.eps, step.learning_rate, step.beta1);

  const Tensors after = copies_of(learner.state());
  EXPECT_NEAR(terms.total, reference.total, rounding.forward * reference.total) << "the forward pass is the same";
  for (const auto& [name, statistics] : reference.statistics)
    EXPECT_TRUE(at::allclose(after.at(name), statistics, rounding.forward, rounding.forward, /*equal_nan=*/true))
        << name;
  for (const auto& [name, gradient] : reference.gradients) expect_adamw(name, before, after, gradient, step, rounding);
}

void expect_nothing_noted(const Learner& learner) {
  const auto& classifier = std::get<plume::Classifier>(learner.model().classifier);
  for (const auto* layer : {&classifier.fc1_0, &classifier.fc1_3, &classifier.fc2, &learner.model().vae->fc1}) {
    ASSERT_TRUE(layer->passes);
    EXPECT_TRUE(layer->passes->made.empty());
  }
}

Step step_of(std::int64_t batch, std::int64_t width, std::uint32_t stream, double learning_rate, double beta1) {
  return {golden::fill({batch, width}, stream, 1), golden::fill({batch, width}, stream + 1, 1.7), learning_rate, beta1};
}

class LearnerStep : public testing::TestWithParam<tests::Variant> {};

Model random_model(const TrainingSettings& settings) {
  golden::GivenDraws draws;
  draws.weight = [stream = 100U](const std::string&, at::IntArrayRef shape) mutable {
    return golden::fill(shape, stream++, 0.3);
  };
  return plume::make_model(settings.perturbation, kOddWidths, draws);
}

TEST_P(LearnerStep, IsAdamWOnAutogradsGradientsAtAnyBatch) {
  const TrainingSettings settings = tests::settings_of(GetParam(), static_cast<int>(kOddWidths.row));
  Learner learner(settings, random_model(settings));
  std::uint32_t stream = 1;
  for (const std::int64_t batch : {33, 31, 2, 32, 8}) {
    SCOPED_TRACE("batch of " + std::to_string(batch));
    expect_step(learner, settings, step_of(batch, kOddWidths.row, stream, 1e-3 * stream, 0.95 - 0.01 * stream));
    stream += 2;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryVariant, LearnerStep, tests::every_variant(), tests::variant_name);

TEST(LearnerStepOfPlad, IsAdamWOnAutogradsGradients) {
  TrainingSettings settings;
  settings.perturbation = Perturbation::add_mult;
  settings.guidance = Guidance::none;
  settings.classifier_passes = ClassifierPasses::one;
  golden::GivenDraws draws;
  draws.weight = [stream = 100U](const std::string&, at::IntArrayRef shape) mutable {
    return golden::fill(shape, stream++, 0.05);
  };
  Learner learner(settings, plume::make_plad_model(draws));
  expect_step(learner, settings, step_of(3, 3072, 1, 1e-3, 0.9));
}

/// Layers so large that their products are our own (skinny_linear.hpp), beside LibTorch's. Both round sums of at most
/// 384 terms; the differences pass through the layers that follow.
TEST(LearnerStep, OfLargeLayersIsThatOfLibTorchsProductsButForRounding) {
  constexpr std::int64_t kDimension = 384;
  const TrainingSettings settings = tests::settings_of({}, kDimension);
  golden::GivenDraws draws;
  draws.weight = [stream = 100U](const std::string&, at::IntArrayRef shape) mutable {
    return golden::fill(shape, stream++, 0.05);
  };
  Learner learner(settings, plume::make_model(settings.perturbation, plume::widths_of(kDimension), draws));
  ASSERT_TRUE(plume::is_skinny(at::empty({32, kDimension}), learner.model().vae->fc1.weight));
  std::uint32_t stream = 1;
  for (const std::int64_t batch : {32, 33, 64}) {
    SCOPED_TRACE("batch of " + std::to_string(batch));
    expect_step(learner, settings, step_of(batch, kDimension, stream, 1e-3, 0.9), {1e-5, 1e-4});
    stream += 2;
  }
}

TEST(LearnerStep, WhoseLossIsNotFiniteChangesNoParameterAndTheNextOneIsWhole) {
  const TrainingSettings settings = tests::settings_of({}, static_cast<int>(kOddWidths.row));
  Learner learner(settings, random_model(settings));
  Step bad = step_of(8, kOddWidths.row, 1, 1e-3, 0.9);
  bad.eps[0][0] = std::numeric_limits<float>::infinity();
  const Tensors before = copies_of(learner.model().parameters());
  EXPECT_FALSE(std::isfinite(learner.step(bad.rows, bad.eps, bad.learning_rate, bad.beta1).total));
  for (const auto& [name, tensor] : learner.model().parameters()) EXPECT_TRUE(at::equal(tensor, before.at(name)));
  expect_nothing_noted(learner);
  expect_step(learner, settings, step_of(8, kOddWidths.row, 3, 1e-3, 0.9));
}

TEST(LearnerStep, KeepsNoActivations) {
  const TrainingSettings settings = tests::settings_of({}, static_cast<int>(kOddWidths.row));
  Learner learner(settings, random_model(settings));
  expect_step(learner, settings, step_of(8, kOddWidths.row, 1, 1e-3, 0.9));
  expect_nothing_noted(learner);
  plume::logits_in_evaluation(learner.model(), golden::fill({8, kOddWidths.row}, 3, 1));
  expect_nothing_noted(learner);
}

}  // namespace
