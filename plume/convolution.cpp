// oneDNN's fused convolutions are operators of LibTorch without a C++ declaration: they are looked up by name and
// called with a stack of arguments, whose types differ less between versions than those of functions.
#include "plume/convolution.hpp"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>
#include <utility>
#include <vector>

namespace plume {

namespace {

using Operator = std::optional<c10::OperatorHandle>;
using Scalars = c10::List<std::optional<at::Scalar>>;

struct FusedOperators {
  Operator convolve, add_convolution;

  bool are_there() const { return convolve && add_convolution; }
};

/// None of them where LibTorch was built without oneDNN.
const FusedOperators& operators() {
  static const FusedOperators kOperators = [] {
    const auto find = [](const char* name, const char* overload) {
      return c10::Dispatcher::singleton().findSchema({name, overload});
    };
    return FusedOperators{find("mkldnn::_convolution_pointwise", ""),
                          find("mkldnn::_convolution_pointwise_", "binary")};
  }();
  return kOperators;
}

template <typename... Arguments>
at::Tensor call(const Operator& target, Arguments&&... arguments) {
  torch::jit::Stack stack;
  torch::jit::push(stack, std::forward<Arguments>(arguments)...);
  target->callBoxed(stack);
  return torch::jit::pop(stack).toTensor();
}

std::vector<std::int64_t> twice(std::int64_t value) {
  return {value, value};
}

const char* name_of(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return "relu";
    case Activation::relu6:
      return "hardtanh";
    case Activation::gelu:
      return "gelu";
    case Activation::none:
      break;
  }
  return "none";
}

Scalars bounds_of(Activation activation) {
  return activation == Activation::relu6 ? Scalars({at::Scalar(0.0), at::Scalar(6.0)}) : Scalars();
}

void apply(Activation activation, at::Tensor& x) {
  switch (activation) {
    case Activation::relu:
      x.relu_();
      break;
    case Activation::relu6:
      x.clamp_(0, 6);
      break;
    case Activation::gelu:
      at::gelu_(x);
      break;
    case Activation::none:
      break;
  }
}

}  // namespace

FusedConvolution::FusedConvolution(const at::Tensor& weight, const at::Tensor& bias, const ConvolutionShape& shape,
                                   Activation activation)
    : weight_(weight.contiguous(at::MemoryFormat::ChannelsLast)),
      bias_(bias),
      shape_(shape),
      activation_(activation),
      fused_(weight.scalar_type() == at::kFloat && weight.is_cpu() && at::hasMKLDNN() && operators().are_there()) {}

at::Tensor FusedConvolution::plain(const at::Tensor& input) const {
  return at::conv2d(input, weight_, bias_, shape_.stride, shape_.padding, 1, shape_.groups);
}

at::Tensor FusedConvolution::operator()(const at::Tensor& input) const {
  if (fused_) {
    return call(operators().convolve, input, weight_, bias_, twice(shape_.padding), twice(shape_.stride), twice(1),
                shape_.groups, name_of(activation_), bounds_of(activation_), "none");
  }
  at::Tensor x = plain(input);
  apply(activation_, x);
  return x;
}

void FusedConvolution::add_to(at::Tensor& sum, const at::Tensor& input) const {
  if (!fused_) {
    sum.add_(plain(input));
    apply(activation_, sum);
    return;
  }
  const bool relu = activation_ == Activation::relu;  // the only one that this operator knows
  call(operators().add_convolution, sum, input, weight_, bias_, twice(shape_.padding), twice(shape_.stride), twice(1),
       shape_.groups, "add", 1.0, relu ? c10::IValue("relu") : c10::IValue(), Scalars(), c10::IValue());
  if (!relu) apply(activation_, sum);
}

}  // namespace plume
