// The covariance of few rows of many features, made invertible by shrinkage: O. Ledoit, M. Wolf, "A well-conditioned
// estimator for large-dimensional covariance matrices", J. Multivariate Analysis 88 (2004), 365-411, section 3.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "sweeps/job.hpp"

namespace plume {

struct ShrunkCovariance {
  at::Tensor mean;        ///< [L] double
  at::Tensor covariance;  ///< [L, L] double, the lower triangle only: (1 - shrinkage) S + shrinkage mu I
  double shrinkage = 0;   ///< in [0, 1]
  double mu = 0;          ///< mean variance, trace(S) / L; 0 only where all rows are equal
};

/// Of the scaled rows [n >= 1, L], centred on their mean, with S = X'X / n and |A|^2 the sum of the squares of A's
/// elements over L:
///     mu = trace(S) / L,  d^2 = |S - mu I|^2,  b^2 = min(d^2, (1 / n^2) sum_k |x_k x_k' - S|^2),
///     shrinkage = b^2 / d^2, and 0 where d = 0 (as for one feature).
/// What scikit-learn's `ledoit_wolf` computes. Holds L x L doubles, never n x L. Calls `on_progress` at least once for
/// every 256 rows x 512 features. The covariance is singular where the shrinkage is 0 and S is: two rows of two
/// features or more, all rows equal.
ShrunkCovariance ledoit_wolf(const at::Tensor& rows, sweeps::FeatureScaling scaling,
                             const std::function<void()>& on_progress);

}  // namespace plume
