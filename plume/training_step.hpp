// One step of a training: forward in training mode, the total loss, gradients (method.md sections 3-5).
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "plume/model.hpp"
#include "plume/perturbations.hpp"
#include "sweeps/job.hpp"

namespace plume {

/// Everything that a forward pass in training mode makes of one batch. Handles only, nothing is copied.
struct Forward {
  at::Tensor x;                    ///< [N, D] rows after the feature batch norm; plad: the rows
  std::optional<Vae::Output> vae;  ///< absent for gaussian
  Perturbed perturbed;             ///< pseudo-anomalies and what made them
  Classified normal;
  Classified anomaly;
};

/// The terms of the total loss, scalars, each before its weight.
struct StepLosses {
  at::Tensor total;
  at::Tensor classification;
  at::Tensor noise;
  at::Tensor kl;
  at::Tensor guidance;
};

/// rows [N >= 2, D] pooled, before the batch norm; eps [N, D] standard normals. Updates the running statistics of the
/// model: those of the classifier twice (normals, then pseudo-anomalies) or, with classifier_passes `one`, once over
/// both.
Forward forward_in_training(const Model& model, const sweeps::TrainingSettings& settings, const at::Tensor& rows,
                            const at::Tensor& eps);

/// Eq. (8) (totloss): L = CE + lambda noise + nu KL + gamma guidance. gaussian has neither noise loss nor KL: both are
/// zero.
StepLosses losses_of(const Forward& forward, const sweeps::TrainingSettings& settings);

/// Gradients of `loss` in the order of `parameters`.
std::vector<at::Tensor> gradients_of(const at::Tensor& loss, const std::vector<at::Tensor>& parameters);

/// Logits [N] in evaluation mode of rows [N, D]; higher = more normal. No gradients.
at::Tensor logits_in_evaluation(const Model& model, const at::Tensor& rows);

}  // namespace plume
