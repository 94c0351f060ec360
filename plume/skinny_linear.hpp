// A linear layer's training pass on few rows by products of our own (skinny_product.hpp), as an operation of autograd.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "plume/layers.hpp"

namespace plume {

/// Whether skinny_linear takes x [N, in] and a weight [out, in], both float32 on the CPU: few rows but
/// not a handful, and a weight whose reading is worth the rows' laying out. Depends on the shapes alone, so that a
/// training's bits do.
bool is_skinny(const at::Tensor& x, const at::Tensor& weight);

/// x W^T + bias [N, out]; bias may be undefined. Autograd gets the gradients of x and bias from it; the weight is a
/// constant, and the gradient of x is what `passes`, if they are there, make of it in their `backward`. The same bits
/// for any number of threads.
at::Tensor skinny_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                         const std::shared_ptr<LinearPasses>& passes = nullptr);

/// The gradient of x: dy W, dy [N, out], W [out, in].
at::Tensor skinny_input_gradient(const at::Tensor& dy, const at::Tensor& weight);

}  // namespace plume
