// AdamW over a list of parameters (method.md section 5): by LibTorch's fused kernel, and for weights whose gradient is
// a product of few rows by folded_update.hpp.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <variant>
#include <vector>

#include "plume/folded_update.hpp"
#include "plume/model.hpp"

namespace plume {

/// Of a weight [out, in], as what its passes left: it never is in memory.
struct FoldedGradient {
  struct Pass {
    at::Tensor output_gradient;  ///< [N, out]
    at::Tensor input;            ///< [N, in]
  };
  std::vector<Pass> passes;
};
/// Instead of a gradient: AdamW::update_behind has been called.
struct UpdateMade {};
using Gradient = std::variant<at::Tensor, FoldedGradient, UpdateMade>;

/// What AdamW keeps from step to step of a list of contiguous parameters. Moments are allocated once, as zeros: on the
/// CPU at other places of a page than their parameter, since what lies at the same place shares few of a cache's.
struct AdamWTensors {
  explicit AdamWTensors(std::vector<at::Tensor> all);
  /// Moments and step counts under `names` of the parameters. Handles.
  NamedTensors named(const std::vector<std::string>& names) const;

  std::vector<at::Tensor> parameters, first_moments, second_moments;
  std::vector<at::Tensor> steps;  ///< float32 scalars
};

/// p -= lr wd p; m = lerp(m, g, 1 - b1); v = b2 v + (1 - b2) g^2; p -= lr / (1 - b1^t) m / (sqrt(v) / sqrt(1 - b2^t) +
/// eps), with b2 = 0.999, eps = 1e-8 and b1 the *current* beta1, also in b1^t.
class AdamW {
 public:
  AdamW(std::vector<at::Tensor> parameters, double weight_decay);
  /// One update in place. `gradients` are in the parameters' order and dtype; whole ones in their layout, folded ones
  /// of float32 weights on the CPU.
  void step(const std::vector<Gradient>& gradients, double learning_rate, double beta1);
  void step(const std::vector<at::Tensor>& gradients, double learning_rate, double beta1);

  /// The same in parts, so that a weight can be updated as soon as autograd has come past it: begin; for some weights
  /// update_behind, in any order; finish, whose gradients say UpdateMade of those.
  void begin(double learning_rate, double beta1);
  /// Of a layer's only pass, with at most kMostSkinnyRows rows: the gradient dy W [N, in] of its input by the weight as
  /// it is (the bits of skinny_input_gradient), and behind it the update, in one reading of the weight.
  at::Tensor update_behind(std::size_t parameter, const FoldedGradient::Pass& pass);
  void finish(const std::vector<Gradient>& gradients);

  const AdamWTensors& tensors() const { return tensors_; }

 private:
  /// `dx` [N, in]: where the input's gradient goes; undefined: nobody asks for it.
  void fold(std::size_t parameter, const FoldedGradient& gradient, const at::Tensor& dx);

  AdamWTensors tensors_;
  double weight_decay_;
  double learning_rate_ = 0, beta1_ = 0;  ///< of the step under way
  FoldedUpdate update_;
};

}  // namespace plume
