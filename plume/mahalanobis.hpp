// A training-free baseline: Mahalanobis distance to the normal training rows, under a covariance that has an inverse.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "sweeps/job.hpp"

namespace plume {

/// Score of each test row x [m, L]: minus the Mahalanobis distance sqrt((x - mean)' C^-1 (x - mean)) to the mean of
/// train [n, L] under its Ledoit-Wolf covariance C (ledoit_wolf.hpp), <= 0, in doubles. n may be less than L. A row's
/// score does not depend on the other test rows. Calls `on_progress` for every block of the covariance and of test
/// rows, but not within the decomposition of C (L^3 / 3 multiplications). Throws storage::Error where C is singular:
/// all training rows are equal, or differ along too few directions for the shrinkage to be above 0, such as two rows.
std::vector<double> mahalanobis_scores(sweeps::FeatureScaling scaling, const at::Tensor& train, const at::Tensor& test,
                                       const std::function<void()>& on_progress);

}  // namespace plume
