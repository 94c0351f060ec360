// The terms of the total loss but the guidance (method.md section 4), each a scalar and before its weight.
#pragma once

#include <ATen/core/Tensor.h>

#include "plume/perturbations.hpp"
#include "sweeps/job.hpp"

namespace plume {

/// Eq. (5), cross-entropy of the classifier, averaged over the batch: targets 1 for normals and 0 for pseudo-anomalies,
/// each a mean over its N logits.
at::Tensor classification_loss(const at::Tensor& normal_logits, const at::Tensor& anomaly_logits);

/// Noise loss as released, Eq. (1) as a mean over dimensions too: mean over N and D of to_zero^2, plus that of (to_one
/// - 1)^2.
at::Tensor noise_loss_released(const Perturbed& perturbed);
/// Noise loss of the paper, Eq. (1) (noise) averaged over the batch: |alpha - 1|^2 + |beta|^2, sums over D.
at::Tensor noise_loss_paper(const Perturbed& perturbed);
/// The one of the two that `semantics` names. A part that does not exist adds nothing.
at::Tensor noise_loss(sweeps::Semantics semantics, const Perturbed& perturbed);

/// Eq. (4) (dkl) averaged over the batch, with logvar = log sigma^2, mu and logvar [N, D]: 0.5 sum_d(exp(logvar) + mu^2
/// - 1 - logvar) / N.
at::Tensor kl_divergence(const at::Tensor& mu, const at::Tensor& logvar);

}  // namespace plume
