// Forward passes of the layers.
#include "plume/layers.hpp"

#include <ATen/ATen.h>

#include "plume/skinny_linear.hpp"

namespace plume {
namespace {

constexpr double kLeakySlope = 0.01;
constexpr double kMomentum = 0.1;

/// `first` where it is not smaller or is NaN.
at::Tensor larger(const at::Tensor& first, const at::Tensor& second) {
  return at::where(first.ge(second).logical_or(first.isnan()), first, second);
}

}  // namespace

at::Tensor Linear::forward(const at::Tensor& x) const {
  const auto apply = [&](const at::Tensor& w) { return bias.defined() ? at::linear(x, w, bias) : at::linear(x, w); };
  if (!passes || !at::GradMode::is_enabled()) return apply(weight);
  const at::Tensor constant = weight.detach();
  at::Tensor y = is_skinny(x, constant) ? skinny_linear(x, constant, bias, passes) : apply(constant);
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

at::Tensor halved(const at::Tensor& maps) {
  return maps.is_cuda() ? halved_by_comparisons(maps) : at::max_pool2d(maps, 2);
}

at::Tensor halved_by_comparisons(const at::Tensor& maps) {
  const auto every_other = [](const at::Tensor& x, std::int64_t dim, std::int64_t from) {
    return x.slice(dim, from, x.size(dim), 2);
  };
  const auto widest = [&](std::int64_t row) {
    const at::Tensor rows = every_other(maps, 2, row);
    return larger(every_other(rows, 3, 0), every_other(rows, 3, 1));
  };
  return larger(widest(0), widest(1));
}

}  // namespace plume
