// A convolution with its bias and what follows it (an activation, a sum) in one pass over memory, where LibTorch has
// oneDNN to do so: float32 on the CPU. Elsewhere the plain operations. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

namespace plume {

enum class Activation { none, relu, relu6, gelu };  // gelu: the exact one, with erf

struct ConvolutionShape {
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t groups = 1;
};

class FusedConvolution {
 public:
  FusedConvolution() = default;
  /// weight [out, in / groups, k, k] and bias [out], of one floating type.
  FusedConvolution(const at::Tensor& weight, const at::Tensor& bias, const ConvolutionShape& shape,
                   Activation activation);

  /// activation(convolution(input)). The input [N, in, H, W] is channels-last in memory, and so is the result.
  at::Tensor operator()(const at::Tensor& input) const;
  /// activation(convolution(input) + sum), into the memory of `sum`, which is channels-last.
  void add_to(at::Tensor& sum, const at::Tensor& input) const;

 private:
  at::Tensor plain(const at::Tensor& input) const;

  at::Tensor weight_;  ///< channels-last
  at::Tensor bias_;
  ConvolutionShape shape_;
  Activation activation_ = Activation::none;
  bool fused_ = false;
};

}  // namespace plume
