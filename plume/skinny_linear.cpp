// Tensors around the kernels, whose laid-out rows each thread that calls them keeps for the next pass.
#include "plume/skinny_linear.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "plume/skinny_product.hpp"
#include "plume/torch_threads.hpp"

namespace plume {
namespace {

// Of fewer rows the vectors would be mostly empty, and LibTorch's product is faster.
constexpr std::int64_t kLeastRows = 8, kLeastOut = 16, kLeastIn = 64, kLeastWeight = 1 << 15;

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

at::Tensor product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  thread_local SkinnyForward forward;
  const at::Tensor rows = x.contiguous();
  const std::int64_t out = weight.size(0);
  at::Tensor y = at::empty({rows.size(0), out}, rows.options());
  const float* const w = weight.const_data_ptr<float>();
  const float* const b = bias.defined() ? bias.const_data_ptr<float>() : nullptr;
  float* const to = y.data_ptr<float>();
  SkinnyForward& laid_out = forward;  // of this thread, also in those that share its work
  laid_out.lay_out(rows.const_data_ptr<float>(), rows.size(0), rows.size(1), share_out);
  share_out(laid_out.blocks(out),
            [&](std::int64_t begin, std::int64_t end) { laid_out.compute(w, b, out, to, begin, end); });
  return y;
}

/// In a graph, which the passes that are noted hold: so not the other way round.
struct PassesOfAGraph : torch::CustomClassHolder {
  explicit PassesOfAGraph(std::weak_ptr<LinearPasses> those) : passes(std::move(those)) {}
  std::weak_ptr<LinearPasses> passes;
};

struct SkinnyLinear : torch::autograd::Function<SkinnyLinear> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const std::optional<at::Tensor>& bias, const std::shared_ptr<LinearPasses>& passes) {
    context->save_for_backward({weight});
    context->saved_data["has bias"] = bias.has_value();
    context->saved_data["passes"] = c10::IValue::make_capsule(c10::make_intrusive<PassesOfAGraph>(passes));
    return product(x, weight, bias.value_or(at::Tensor()));
  }

  static tensor_list backward(AutogradContext* context, const tensor_list& gradients) {
    constexpr std::size_t kX = 0, kBias = 2;
    const at::Tensor& dy = gradients[0];
    tensor_list of_inputs(4);
    if (context->needs_input_grad(kX)) {
      const auto passes = passes_of(*context);
      of_inputs[kX] = passes && passes->backward ? passes->backward(dy)
                                                 : skinny_input_gradient(dy, context->get_saved_variables()[0]);
    }
    const bool has_bias = context->saved_data.at("has bias").toBool();
    if (has_bias && context->needs_input_grad(kBias)) of_inputs[kBias] = dy.sum(0);
    return of_inputs;
  }

 private:
  static std::shared_ptr<LinearPasses> passes_of(AutogradContext& context) {
    const auto held = context.saved_data.at("passes").toCapsule();
    return static_cast<const PassesOfAGraph&>(*held).passes.lock();
  }
};

}  // namespace

bool is_skinny(const at::Tensor& x, const at::Tensor& weight) {
  const auto of_ours = [](const at::Tensor& t) { return t.is_cpu() && t.scalar_type() == at::kFloat && t.dim() == 2; };
  if (!of_ours(x) || !of_ours(weight) || !weight.is_contiguous()) return false;
  const std::int64_t rows = x.size(0), out = weight.size(0), in = weight.size(1);
  return rows >= kLeastRows && rows <= kMostSkinnyRows && out >= kLeastOut && in >= kLeastIn &&
         out * in >= kLeastWeight;
}

at::Tensor skinny_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                         const std::shared_ptr<LinearPasses>& passes) {
  return SkinnyLinear::apply(x, weight, bias.defined() ? std::optional<at::Tensor>(bias) : std::nullopt, passes);
}

at::Tensor skinny_input_gradient(const at::Tensor& dy, const at::Tensor& weight) {
  thread_local SkinnyGradient gradient;
  const at::Tensor rows = dy.contiguous();
  const std::int64_t in = weight.size(1);
  at::Tensor dx = at::empty({rows.size(0), in}, rows.options());
  const float* const w = weight.const_data_ptr<float>();
  float* const to = dx.data_ptr<float>();
  SkinnyGradient& laid_out = gradient;
  laid_out.lay_out(rows.const_data_ptr<float>(), rows.size(0), rows.size(1), share_out);
  share_out(laid_out.blocks(in),
            [&](std::int64_t begin, std::int64_t end) { laid_out.compute(w, in, to, begin, end); });
  return dx;
}

}  // namespace plume
