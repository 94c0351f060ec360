// Forward passes of the layers.
#include "plume/layers.hpp"

#include <ATen/ATen.h>

namespace plume {
namespace {

constexpr double kLeakySlope = 0.01;
constexpr double kMomentum = 0.1;

}  // namespace

at::Tensor Linear::forward(const at::Tensor& x) const {
  return bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);
}

at::Tensor BatchNorm::forward(const at::Tensor& x, bool training) const {
  return at::batch_norm(x, {}, {}, running_mean, running_var, training, kMomentum, eps, /*cudnn_enabled=*/false);
}

at::Tensor Convolution::forward(const at::Tensor& x) const {
  return at::conv2d(x, weight, {}, /*stride=*/1, /*padding=*/2);
}

at::Tensor leaky(const at::Tensor& x) {
  return at::leaky_relu(x, kLeakySlope);
}

}  // namespace plume
