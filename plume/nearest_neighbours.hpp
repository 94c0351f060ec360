// A training-free baseline: distance to the nearest normal training rows (method.md section 8).
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "sweeps/job.hpp"

namespace plume {

/// Score of each test row [m, L]: minus the mean Euclidean distance to its k nearest rows of train [n >= k, L], <= 0,
/// in doubles; with scaling l2 every row is first divided by its norm (a zero row stays zero). Holds n x L doubles and
/// works in pieces of test and training rows, with a call of `on_progress` after each. Throws storage::Error for k < 1
/// or k > n.
std::vector<double> neighbour_scores(const sweeps::BaselineSettings& settings, const at::Tensor& train,
                                     const at::Tensor& test, const std::function<void()>& on_progress);

}  // namespace plume
