// A training-free baseline: distance to the nearest of K centres of the normal training rows.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "sweeps/job.hpp"
#include "sweeps/random_stream.hpp"

namespace plume {

struct Clustering {
  at::Tensor centres;                 ///< [K, L] double
  std::vector<std::int64_t> cluster;  ///< n, of each row: the nearest centre before the last move, the lowest of equals
  int rounds = 0;                     ///< at most 300; unless it is 300, the last changed no row's cluster
};

/// Lloyd's iterations (S. Lloyd, 1982) over the scaled rows [n >= K, L] from `centres` [K, L] double, until no row
/// changes its cluster or for 300 rounds. A cluster without rows takes the row farthest from its centre, the lowest of
/// equals, out of a cluster that has others; where every row lies on a centre, as with fewer distinct rows than K, it
/// stays where it is. Works in pieces of rows and calls `on_progress` after each.
Clustering lloyd(const at::Tensor& rows, sweeps::FeatureScaling scaling, const at::Tensor& centres,
                 const std::function<void()>& on_progress);

/// Lloyd's iterations from K rows that k-means++ chooses (D. Arthur, S. Vassilvitskii, SODA 2007). Centre c is drawn
/// from words 0 and 1 at (epoch 0, step c, block 0) of `stream`. Throws storage::Error for K < 1 or K > n.
Clustering k_means(const at::Tensor& rows, int clusters, sweeps::FeatureScaling scaling,
                   const sweeps::RandomStream& stream, const std::function<void()>& on_progress);

/// Score of each test row [m, L]: minus its Euclidean distance to the nearest centre of `settings.clusters` of train
/// [n, L], <= 0, in doubles. A row's score does not depend on the other test rows. Throws as k_means does.
std::vector<double> k_means_scores(const sweeps::BaselineSettings& settings, const sweeps::RandomStream& stream,
                                   const at::Tensor& train, const at::Tensor& test,
                                   const std::function<void()>& on_progress);

}  // namespace plume
