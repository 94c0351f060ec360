// The inner loops of t-SNE, for vectors of the processor's. Every kind of vector gives the same bits: lane l of four
// (of floats sixteen) takes the elements whose index is l modulo their number, and lanes are added up in order. Private
// to this folder.
#pragma once

#include <cstddef>
#include <vector>

namespace results {

inline constexpr std::size_t kTsneLanes = 4;
inline constexpr std::size_t kTsneFloatLanes = 16;
/// Behind the last element of a row, up to a whole number of lanes: distances and positions that weigh nothing.
inline constexpr double kFarDistance = 1e300, kFarPosition = 1e200;

/// Of one row.
struct TsneSpread {
  double sum = 0;   ///< of the affinities
  double mean = 0;  ///< of the exponents, beta times distance less the least, each weighed by its affinity / sum
};

/// What acts on one point: sum_j p_ij w_ij (yi - yj), sum_j w_ij^2 (yi - yj), and sum_j w_ij with its own, which is 1;
/// w_ij = 1 / (1 + |yi - yj|^2).
struct TsnePull {
  double attraction[3] = {0, 0, 0};
  double repulsion[3] = {0, 0, 0};
  double weights = 0;
};

struct TsneKernels {
  /// `length` is a multiple of kTsneFloatLanes. Squares are added up in floats 512 at a time, then in doubles.
  double (*squared_distance)(const float* one, const float* other, std::size_t length);
  /// affinities[j] = exp(-beta (distances[j] - least)); 0 below exp(-700). `length` is a multiple of kTsneLanes, as in
  /// the next two.
  TsneSpread (*spread)(const double* distances, std::size_t length, double least, double beta, double* affinities);
  /// `positions`: of each dimension those of all points.
  TsnePull (*pull_in_2d)(std::size_t point, const double* affinities, const double* const* positions,
                         std::size_t length);
  TsnePull (*pull_in_3d)(std::size_t point, const double* affinities, const double* const* positions,
                         std::size_t length);
};

/// Those for this processor, the fastest last; the first are for any.
const std::vector<TsneKernels>& tsne_kernels();

}  // namespace results
