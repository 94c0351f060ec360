// AdamW by at::_fused_adamw_: one pass over parameter, gradient and both moments.
#include "plume/adamw.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace plume {
namespace {

constexpr double kBeta2 = 0.999;
constexpr double kEps = 1e-8;

}  // namespace

AdamW::AdamW(std::vector<at::Tensor> parameters, double weight_decay)
    : parameters_(std::move(parameters)), weight_decay_(weight_decay) {
  const at::NoGradGuard no_grad;
  for (const at::Tensor& parameter : parameters_) {
    TORCH_INTERNAL_ASSERT(parameter.is_contiguous(), "the fused kernel does not check this");
    first_moments_.push_back(at::zeros_like(parameter));
    second_moments_.push_back(at::zeros_like(parameter));
    // The kernel counts in float32 scalars, whatever the parameters' dtype.
    steps_.push_back(at::zeros({}, parameter.options().dtype(at::kFloat).requires_grad(false)));
  }
}

void AdamW::step(const std::vector<at::Tensor>& gradients, double learning_rate, double beta1) {
  const at::NoGradGuard no_grad;
  at::_foreach_add_(steps_, 1);  // the kernel expects the number of the step that it makes
  at::_fused_adamw_(parameters_, gradients, first_moments_, second_moments_, {}, steps_, learning_rate, beta1, kBeta2,
                    weight_decay_, kEps, /*amsgrad=*/false, /*maximize=*/false);
}

NamedTensors AdamW::state(const std::vector<std::string>& names) const {
  NamedTensors list;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    list.emplace_back("first moment of " + names.at(i), first_moments_[i]);
    list.emplace_back("second moment of " + names.at(i), second_moments_[i]);
    list.emplace_back("steps of " + names.at(i), steps_[i]);
  }
  return list;
}

}  // namespace plume
