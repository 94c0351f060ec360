// The simplest training-free baseline: distance to the mean of the normal training rows.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "sweeps/job.hpp"

namespace plume {

/// Mean [L] of the scaled rows [n >= 1, L], in doubles. Exactly the row where all rows are equal. Calls `on_progress`
/// after each piece of rows.
at::Tensor mean_row(const at::Tensor& rows, sweeps::FeatureScaling scaling, const std::function<void()>& on_progress);

/// Score of each test row [m, L]: minus its Euclidean distance to the mean of train [n >= 1, L], <= 0, in doubles. A
/// row's score does not depend on the other test rows. Refuses nothing.
std::vector<double> mean_distance_scores(sweeps::FeatureScaling scaling, const at::Tensor& train,
                                         const at::Tensor& test, const std::function<void()>& on_progress);

}  // namespace plume
