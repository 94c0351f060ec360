// Numbers that C++ and Python (reference_step.py) both make, so that their programs compute the same.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "plume/model.hpp"

namespace benchmarks {

/// Element i of tensor `number`: bound (2 frac((i + 1) 0.6180339887498949 + number 0.7548776662466927) - 1), in doubles
/// and then float32.
at::Tensor formula(at::IntArrayRef shape, std::int64_t number, double bound);

/// linear-map at the paper's widths for `dimension`; parameter k of the model's order is tensor k, of bound
/// 1 / sqrt(fan_in).
plume::Model formula_model(std::int64_t dimension);

}  // namespace benchmarks
