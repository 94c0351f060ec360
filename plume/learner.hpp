// A model and its optimiser: batches in, loss terms out. Knows no schedule, no order and no random numbers.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "plume/adamw.hpp"
#include "plume/model.hpp"
#include "plume/step_gradients.hpp"
#include "results/result.hpp"
#include "sweeps/job.hpp"

namespace plume {

class Learner {
 public:
  /// `model` has the settings' row width; its dtype is that of all arithmetic.
  Learner(const sweeps::TrainingSettings& settings, Model model);

  /// One optimiser step on rows and eps [N >= 2, D] of the model's dtype. Returns the terms of the loss, each before
  /// its weight. When the total is not finite no parameter changes.
  results::LossTerms step(const at::Tensor& rows, const at::Tensor& eps, double learning_rate, double beta1);

  const Model& model() const { return model_; }
  /// Parameters, running statistics and the optimiser's state, always in one order. Handles.
  NamedTensors state() const;

 private:
  sweeps::TrainingSettings settings_;
  Model model_;
  StepGradients gradients_;
  AdamW optimiser_;
};

/// All that a training changes: parameters, running statistics, moments and step counts, in this order. Handles.
NamedTensors training_tensors(const Model& model, const AdamWTensors& optimiser);

}  // namespace plume
