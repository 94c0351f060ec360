// The layers that the networks of method.md section 2 are made of: plain structs of tensors with a forward pass. Knows
// no network and no random numbers.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

namespace plume {

/// What training passes of a linear layer leave for an update that makes the weight's gradient itself
/// (folded_update.hpp): the gradient is the sum over passes of (gradient of output)^T input.
struct LinearPasses {
  struct Pass {
    at::Tensor input;   ///< [N, in]
    at::Tensor output;  ///< [N, out], requires a gradient
  };
  std::vector<Pass> made;
  /// Where it is there: what makes, in our own backward pass (skinny_linear.hpp), dx [N, in] of dy [N, out]. It may
  /// change the weight, which no other pass reads any more.
  std::function<at::Tensor(const at::Tensor& dy)> backward = {};
};

/// y = x W^T + bias, W [out, in]; bias may be undefined.
struct Linear {
  at::Tensor weight;
  at::Tensor bias;
  /// Where it is there, a pass that autograd records is noted in it, and the weight is a constant of the graph.
  std::shared_ptr<LinearPasses> passes = {};

  at::Tensor forward(const at::Tensor& x) const;
};

/// Batch norm without affine parameters, momentum 0.1, running variance from the unbiased batch variance.
struct BatchNorm {
  at::Tensor running_mean;
  at::Tensor running_var;
  double eps = 1e-5;

  /// x [N, C] or [N, C, H, W]. Training: normalises by the batch's statistics (more than one value a channel) and
  /// updates the running ones. Else: by the running ones.
  at::Tensor forward(const at::Tensor& x, bool training) const;
};

/// 5x5 convolution with padding 2 and no bias, W [out, in, 5, 5]: [N, in, H, W] -> [N, out, H, W].
struct Convolution {
  at::Tensor weight;

  at::Tensor forward(const at::Tensor& x) const;
};

/// LeakyReLU with slope 0.01, which all networks here use.
at::Tensor leaky(const at::Tensor& x);

/// The largest of each 2x2 of maps [N, C, H, W] of even sides: [N, C, H/2, W/2].
at::Tensor halved(const at::Tensor& maps);
/// The same values and gradients (a tie is its first element's, a NaN wins) by comparisons: on a GPU the gradient of
/// LibTorch's pooling is not deterministic, and is refused where determinism is asked for.
at::Tensor halved_by_comparisons(const at::Tensor& maps);

}  // namespace plume
