// The gradients of a model's parameters in a step: those of linear layers' weights are left as their passes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "plume/adamw.hpp"
#include "plume/model.hpp"

namespace plume {

/// AdamW::update_behind.
using UpdateBehind = std::function<at::Tensor(std::size_t parameter, const FoldedGradient::Pass& pass)>;

class StepGradients {
 public:
  /// Has the layers of `model` note their passes from now on, where it is of float32; in doubles, which are for tests
  /// of the arithmetic, every gradient is autograd's.
  explicit StepGradients(Model& model);

  /// Of `loss`, in the order of the model's parameters, by one sweep of autograd. Every layer has been run through
  /// since forget(). With `update` every weight that has been used once, in a pass whose input has a gradient and that
  /// skinny_linear made, is updated on the way.
  std::vector<Gradient> of(const at::Tensor& loss, const UpdateBehind& update = {}) const;
  /// Lets go of the passes noted so far and with them of the step's activations.
  void forget();

 private:
  std::vector<at::Tensor> parameters_;
  std::vector<std::shared_ptr<LinearPasses>> noted_;  ///< of each parameter; null: its gradient is autograd's
};

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

}  // namespace plume
