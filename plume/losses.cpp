// Cross-entropy, noise loss and KL divergence.
#include "plume/losses.hpp"

#include <ATen/ATen.h>

namespace plume {
namespace {

/// Sum over all elements of (part - target)^2; undefined parts add nothing.
at::Tensor squared_distance(const at::Tensor& part, double target) {
  return at::square(target == 0 ? part : part - target).sum();
}

at::Tensor noise_sum(const Perturbed& perturbed) {
  if (!perturbed.to_one.defined()) return squared_distance(perturbed.to_zero, 0);
  if (!perturbed.to_zero.defined()) return squared_distance(perturbed.to_one, 1);
  return squared_distance(perturbed.to_zero, 0) + squared_distance(perturbed.to_one, 1);
}

}  // namespace

at::Tensor classification_loss(const at::Tensor& normal_logits, const at::Tensor& anomaly_logits) {
  return at::binary_cross_entropy_with_logits(normal_logits, at::ones_like(normal_logits)) +
         at::binary_cross_entropy_with_logits(anomaly_logits, at::zeros_like(anomaly_logits));
}

at::Tensor noise_loss_released(const Perturbed& perturbed) {
  return noise_sum(perturbed) / static_cast<double>(perturbed.anomalies.numel());
}

at::Tensor noise_loss_paper(const Perturbed& perturbed) {
  return noise_sum(perturbed) / static_cast<double>(perturbed.anomalies.size(0));
}

at::Tensor noise_loss(sweeps::Semantics semantics, const Perturbed& perturbed) {
  return semantics == sweeps::Semantics::released ? noise_loss_released(perturbed) : noise_loss_paper(perturbed);
}

at::Tensor kl_divergence(const at::Tensor& mu, const at::Tensor& logvar) {
  return (at::exp(logvar) + at::square(mu) - 1 - logvar).sum() * (0.5 / static_cast<double>(mu.size(0)));
}

}  // namespace plume
