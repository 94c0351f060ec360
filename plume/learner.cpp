// One optimiser step.
#include "plume/learner.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>

#include "plume/training_step.hpp"

namespace plume {
namespace {

results::LossTerms read(const StepLosses& losses) {
  const at::NoGradGuard no_grad;
  return {losses.total.item().toDouble(), losses.classification.item().toDouble(), losses.noise.item().toDouble(),
          losses.kl.item().toDouble(), losses.guidance.item().toDouble()};
}

}  // namespace

Learner::Learner(const sweeps::TrainingSettings& settings, Model model)
    : settings_(settings),
      model_(std::move(model)),
      gradients_(model_),
      optimiser_(values_of(model_.parameters()), settings.weight_decay) {}

results::LossTerms Learner::step(const at::Tensor& rows, const at::Tensor& eps, double learning_rate, double beta1) {
  const NothingLeft after(gradients_);
  const StepLosses losses = losses_of(forward_in_training(model_, settings_, rows, eps), settings_);
  const results::LossTerms terms = read(losses);
  if (!std::isfinite(terms.total)) return terms;
  optimiser_.begin(learning_rate, beta1);
  optimiser_.finish(gradients_.of(losses.total, [this](std::size_t parameter, const FoldedGradient::Pass& pass) {
    return optimiser_.update_behind(parameter, pass);
  }));
  return terms;
}

NamedTensors Learner::state() const {
  return training_tensors(model_, optimiser_.tensors());
}

NamedTensors training_tensors(const Model& model, const AdamWTensors& optimiser) {
  NamedTensors all = model.parameters();
  std::vector<std::string> names;
  for (const auto& [name, tensor] : all) names.push_back(name);
  const NamedTensors statistics = model.running_statistics(), moments = optimiser.named(names);
  all.insert(all.end(), statistics.begin(), statistics.end());
  all.insert(all.end(), moments.begin(), moments.end());
  return all;
}

}  // namespace plume
