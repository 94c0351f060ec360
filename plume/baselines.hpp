// The baselines by name: training-free ones on features, what a reviewer asks for first (method.md section 8), and the
// rotation score on images. Not in the paper.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>
#include <vector>

#include "plume/input_rows.hpp"
#include "sweeps/job.hpp"

namespace plume {

/// Scores [m] of the test rows [m, L], higher = more normal, by the baseline that `job` names, fitted on train [n >= 1,
/// L], both finite float32; of rotation images [n, 3, 32, 32] bytes, normalised by `statistics` or, where they are
/// absent, by those of train. Bit-equal when called again with the same thread count (which only the covariance of
/// mahalanobis and the network of rotation depend on); k-means draws from the job's own stream `k-means`, rotation from
/// `rotation/...`. Calls `on_progress` often enough for a watchdog. Throws storage::Error for more neighbours or
/// clusters than training rows, for rows without a covariance (mahalanobis) and for a method that is no baseline.
std::vector<double> baseline_scores(const sweeps::Job& job, const at::Tensor& train, const at::Tensor& test,
                                    const std::function<void()>& on_progress,
                                    const std::optional<ChannelStatistics>& statistics = std::nullopt);

}  // namespace plume
