// AdamW by at::_fused_adamw_, one pass over parameter, gradient and both moments, and by FoldedUpdate, one pass over
// parameter and moments.
#include "plume/adamw.hpp"

#include <ATen/ATen.h>

#include <cstdint>
#include <utility>

#include "plume/torch_threads.hpp"

namespace plume {
namespace {

/// Zeros as `parameter`, in memory that begins so many thirds of a page after it does, counted within a page.
at::Tensor zeros_beside(const at::Tensor& parameter, std::uintptr_t thirds) {
  const auto options = parameter.options().requires_grad(false);
  if (!parameter.is_cpu()) return at::zeros(parameter.sizes(), options);
  constexpr std::uintptr_t kPage = 4096, kThird = 21 * 64;
  const auto place_of = [](const at::Tensor& t) { return reinterpret_cast<std::uintptr_t>(t.const_data_ptr()); };
  const auto size = static_cast<std::uintptr_t>(parameter.element_size());
  const at::Tensor room = at::zeros({parameter.numel() + static_cast<std::int64_t>(kPage / size)}, options);
  const std::uintptr_t bytes = (place_of(parameter) + thirds * kThird - place_of(room)) % kPage;
  return room.narrow(0, static_cast<std::int64_t>(bytes / size), parameter.numel()).view(parameter.sizes());
}

}  // namespace

AdamWTensors::AdamWTensors(std::vector<at::Tensor> all) : parameters(std::move(all)) {
  const at::NoGradGuard no_grad;
  for (const at::Tensor& parameter : parameters) {
    TORCH_INTERNAL_ASSERT(parameter.is_contiguous(), "the kernels do not check this");
    first_moments.push_back(zeros_beside(parameter, 1));
    second_moments.push_back(zeros_beside(parameter, 2));
    // The kernel counts in float32 scalars, whatever the parameters' dtype.
    steps.push_back(at::zeros({}, parameter.options().dtype(at::kFloat).requires_grad(false)));
  }
}

NamedTensors AdamWTensors::named(const std::vector<std::string>& names) const {
  NamedTensors list;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    list.emplace_back("first moment of " + names.at(i), first_moments[i]);
    list.emplace_back("second moment of " + names.at(i), second_moments[i]);
    list.emplace_back("steps of " + names.at(i), steps[i]);
  }
  return list;
}

AdamW::AdamW(std::vector<at::Tensor> parameters, double weight_decay)
    : tensors_(std::move(parameters)), weight_decay_(weight_decay) {}

void AdamW::step(const std::vector<at::Tensor>& gradients, double learning_rate, double beta1) {
  step(std::vector<Gradient>(gradients.begin(), gradients.end()), learning_rate, beta1);
}

void AdamW::step(const std::vector<Gradient>& gradients, double learning_rate, double beta1) {
  begin(learning_rate, beta1);
  finish(gradients);
}

void AdamW::begin(double learning_rate, double beta1) {
  const at::NoGradGuard no_grad;
  learning_rate_ = learning_rate;
  beta1_ = beta1;
  at::_foreach_add_(tensors_.steps, 1);  // the kernel expects the number of the step that it makes
}

at::Tensor AdamW::update_behind(std::size_t parameter, const FoldedGradient::Pass& pass) {
  const at::NoGradGuard no_grad;
  const at::Tensor dx =
      at::empty({pass.output_gradient.size(0), tensors_.parameters[parameter].size(1)}, pass.output_gradient.options());
  fold(parameter, {{pass}}, dx);
  return dx;
}

void AdamW::finish(const std::vector<Gradient>& gradients) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> parameters, whole, first_moments, second_moments, steps;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (std::holds_alternative<UpdateMade>(gradients[i])) continue;
    if (const auto* folded = std::get_if<FoldedGradient>(&gradients[i])) {
      fold(i, *folded, {});
      continue;
    }
    parameters.push_back(tensors_.parameters[i]);
    whole.push_back(std::get<at::Tensor>(gradients[i]));
    first_moments.push_back(tensors_.first_moments[i]);
    second_moments.push_back(tensors_.second_moments[i]);
    steps.push_back(tensors_.steps[i]);
  }
  if (parameters.empty()) return;
  at::_fused_adamw_(parameters, whole, first_moments, second_moments, {}, steps, learning_rate_, beta1_, kAdamWBeta2,
                    weight_decay_, kAdamWEps, /*amsgrad=*/false, /*maximize=*/false);
}

void AdamW::fold(std::size_t parameter, const FoldedGradient& gradient, const at::Tensor& dx) {
  const at::Tensor& weight = tensors_.parameters[parameter];
  TORCH_INTERNAL_ASSERT(weight.scalar_type() == at::kFloat && weight.is_cpu() && weight.is_contiguous());
  const double t = tensors_.steps[parameter].item().toDouble();
  const AdamWStep step = adamw_step(learning_rate_, beta1_, weight_decay_, t);
  std::vector<at::Tensor> kept;  // contiguous, as long as their addresses are used
  std::vector<LayerPass> passes;
  for (const auto& pass : gradient.passes) {
    const at::Tensor dy = kept.emplace_back(pass.output_gradient.contiguous());
    const at::Tensor x = kept.emplace_back(pass.input.contiguous());
    passes.push_back({dy.const_data_ptr<float>(), x.const_data_ptr<float>(), x.size(0)});
  }
  update_.lay_out(passes, weight.size(0), weight.size(1), share_out);
  const WeightState state{weight.data_ptr<float>(), tensors_.first_moments[parameter].data_ptr<float>(),
                          tensors_.second_moments[parameter].data_ptr<float>()};
  float* const to = dx.defined() ? dx.data_ptr<float>() : nullptr;
  share_out(update_.blocks(), [&](std::int64_t begin, std::int64_t end) {
    if (to == nullptr)
      update_.update(state, step, begin, end);
    else
      update_.update_behind(state, step, to, begin, end);
  });
}

}  // namespace plume
