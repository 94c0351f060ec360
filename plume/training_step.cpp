// Forward, total loss and gradients of one batch.
#include "plume/training_step.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include "plume/guidance.hpp"
#include "plume/losses.hpp"

namespace plume {
namespace {

/// Two passes: each half of the batch has its own statistics. One pass: both together, normals first.
void classify(const Model& model, sweeps::ClassifierPasses passes, Forward& forward) {
  const at::Tensor& anomalies = forward.perturbed.anomalies;
  if (passes == sweeps::ClassifierPasses::two) {
    forward.normal = model.classify(forward.x, true);
    forward.anomaly = model.classify(anomalies, true);
    return;
  }
  const std::int64_t n = forward.x.size(0);
  const Classified both = model.classify(at::cat({forward.x, anomalies}), true);
  forward.normal = {both.embedding.narrow(0, 0, n), both.logit.narrow(0, 0, n)};
  forward.anomaly = {both.embedding.narrow(0, n, n), both.logit.narrow(0, n, n)};
}

}  // namespace

Forward forward_in_training(const Model& model, const sweeps::TrainingSettings& settings, const at::Tensor& rows,
                            const at::Tensor& eps) {
  Forward forward;
  forward.x = model.normalise(rows, true);
  if (model.vae) {
    forward.vae = model.vae->forward(forward.x, eps);
    forward.perturbed = perturb(settings.perturbation, settings.semantics, forward.x, forward.vae->output);
  } else {
    forward.perturbed.anomalies = gaussian(forward.x, eps, settings.sigma);
  }
  classify(model, settings.classifier_passes, forward);
  return forward;
}

StepLosses losses_of(const Forward& forward, const sweeps::TrainingSettings& settings) {
  StepLosses losses;
  losses.classification = classification_loss(forward.normal.logit, forward.anomaly.logit);
  losses.total = losses.classification;
  losses.noise = losses.kl = at::zeros({}, forward.x.options());
  if (forward.vae) {
    losses.noise = noise_loss(settings.semantics, forward.perturbed);
    losses.kl = kl_divergence(forward.vae->mu, forward.vae->logvar);
    losses.total = losses.total + settings.lambda * losses.noise + settings.nu * losses.kl;
  }
  losses.guidance = guidance_loss(settings, forward.normal.embedding, forward.anomaly.embedding);
  if (settings.guidance != sweeps::Guidance::none) losses.total = losses.total + settings.gamma * losses.guidance;
  return losses;
}

std::vector<at::Tensor> gradients_of(const at::Tensor& loss, const std::vector<at::Tensor>& parameters) {
  return torch::autograd::grad({loss}, parameters);
}

at::Tensor logits_in_evaluation(const Model& model, const at::Tensor& rows) {
  const at::NoGradGuard no_grad;
  return model.classify(model.normalise(rows, false), false).logit;
}

}  // namespace plume
