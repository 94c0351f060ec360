// The training-free baselines by name: what a reviewer asks for first (method.md section 8). Not in the paper.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "sweeps/job.hpp"

namespace plume {

/// Scores [m] of the test rows [m, L], higher = more normal, by the baseline that `job` names, fitted on train [n >= 1,
/// L], both finite float32. Bit-equal when called again with the same thread count (which only the covariance of
/// mahalanobis depends on); k-means draws from the job's own stream `k-means`. Calls `on_progress` often enough for a
/// watchdog. Throws storage::Error for more neighbours or clusters than training rows, for rows without a covariance
/// (mahalanobis) and for a method that is no baseline.
std::vector<double> baseline_scores(const sweeps::Job& job, const at::Tensor& train, const at::Tensor& test,
                                    const std::function<void()>& on_progress);

}  // namespace plume
