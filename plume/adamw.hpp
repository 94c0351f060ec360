// AdamW over a list of parameters (method.md section 5), by LibTorch's fused kernel.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "plume/model.hpp"

namespace plume {

/// p -= lr wd p; m = lerp(m, g, 1 - b1); v = b2 v + (1 - b2) g^2; p -= lr / (1 - b1^t) m / (sqrt(v) / sqrt(1 - b2^t) +
/// eps), with b2 = 0.999, eps = 1e-8 and b1 the *current* beta1, also in b1^t. Moments are allocated once.
class AdamW {
 public:
  AdamW(std::vector<at::Tensor> parameters, double weight_decay);
  /// One update in place. `gradients` are in the parameters' order, dtype and layout.
  void step(const std::vector<at::Tensor>& gradients, double learning_rate, double beta1);
  /// All that it keeps from step to step, under `names` of the parameters. Handles.
  NamedTensors state(const std::vector<std::string>& names) const;

 private:
  std::vector<at::Tensor> parameters_, first_moments_, second_moments_, steps_;
  double weight_decay_;
};

}  // namespace plume
