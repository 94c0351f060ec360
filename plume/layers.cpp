// Forward passes of the layers.
#include "plume/layers.hpp"

#include <ATen/ATen.h>

#include "plume/skinny_linear.hpp"

namespace plume {
namespace {

constexpr double kLeakySlope = 0.01;
constexpr double kMomentum = 0.1;

}  // namespace

at::Tensor Linear::forward(const at::Tensor& x) const {
  const auto apply = [&](const at::Tensor& w) { return bias.defined() ? at::linear(x, w, bias) : at::linear(x, w); };
  if (!passes || !at::GradMode::is_enabled()) return apply(weight);
  const at::Tensor constant = weight.detach();
  at::Tensor y = is_skinny(x, constant) ? skinny_linear(x, constant, bias) : apply(constant);
  if (!y.requires_grad()) y.requires_grad_(true);  // neither the rows nor a bias need a gradient
  passes->made.push_back({x.detach(), y});
  return y;
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
