// One optimiser step.
#include "plume/learner.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>

#include "plume/training_step.hpp"

namespace plume {
namespace {

std::vector<at::Tensor> tensors_of(const NamedTensors& named) {
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : named) tensors.push_back(tensor);
  return tensors;
}

results::LossTerms read(const StepLosses& losses) {
  const at::NoGradGuard no_grad;
  return {losses.total.item().toDouble(), losses.classification.item().toDouble(), losses.noise.item().toDouble(),
          losses.kl.item().toDouble(), losses.guidance.item().toDouble()};
}

/// At its end nothing is noted, whatever came of the step: activations are not kept between steps.
class NothingLeft {
 public:
  explicit NothingLeft(StepGradients& gradients) : gradients_(gradients) { gradients_.forget(); }
  ~NothingLeft() { gradients_.forget(); }
  NothingLeft(const NothingLeft&) = delete;
  NothingLeft& operator=(const NothingLeft&) = delete;

 private:
  StepGradients& gradients_;
};

}  // namespace

Learner::Learner(const sweeps::TrainingSettings& settings, Model model)
    : settings_(settings),
      model_(std::move(model)),
      gradients_(model_),
      optimiser_(tensors_of(model_.parameters()), settings.weight_decay) {}

results::LossTerms Learner::step(const at::Tensor& rows, const at::Tensor& eps, double learning_rate, double beta1) {
  const NothingLeft after(gradients_);
  const StepLosses losses = losses_of(forward_in_training(model_, settings_, rows, eps), settings_);
  const results::LossTerms terms = read(losses);
  if (std::isfinite(terms.total)) optimiser_.step(gradients_.of(losses.total), learning_rate, beta1);
  return terms;
}

NamedTensors Learner::state() const {
  NamedTensors all = model_.parameters();
  std::vector<std::string> names;
  for (const auto& [name, tensor] : all) names.push_back(name);
  const NamedTensors statistics = model_.running_statistics(), optimiser = optimiser_.state(names);
  all.insert(all.end(), statistics.begin(), statistics.end());
  all.insert(all.end(), optimiser.begin(), optimiser.end());
  return all;
}

}  // namespace plume
