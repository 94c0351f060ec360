// The training-free baseline: distance to the nearest normal training rows (method.md section 8).
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "sweeps/job.hpp"

namespace plume {

/// Score of each test row [m, L]: minus the mean Euclidean distance to its k nearest rows of train [n >= k, L], in
/// doubles; with scaling l2 every row is first divided by its norm (a zero row stays zero). Works in pieces of test
/// rows and calls `on_progress` after each.
std::vector<double> neighbour_scores(const sweeps::BaselineSettings& settings, const at::Tensor& train,
                                     const at::Tensor& test, const std::function<void()>& on_progress);

}  // namespace plume
