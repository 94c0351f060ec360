// t-SNE (van der Maaten and Hinton, Visualizing Data using t-SNE, JMLR 2008), exact: every pair of points counts. Plain
// arithmetic in a fixed order, without libm: the same rows and seed make the same picture, bit for bit, on every
// machine of IEEE 754 doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace results {

/// Of points; memory is 8 n^2 bytes.
inline constexpr std::size_t kMostTsnePoints = 2000;

/// Of so many points: `wanted`, of few (n - 1) / 3, at least 1.
double tsne_perplexity(std::size_t n, double wanted = 30);

/// What pictures of n rows of `length` numbers are made from: joint probabilities of their pairs, [n, n]. Scale and
/// place of the rows do not matter. Rows that coincide, rows without any difference, and any n from 0 on are fine.
/// Throws std::invalid_argument for a number that is not finite, other sizes than said or too many points.
std::vector<double> tsne_affinities(std::span<const float> rows, std::size_t n, std::size_t length, double perplexity);

struct TsneSettings {
  int dimensions = 2;      ///< of the picture: 2 or 3
  int iterations = 1000;   ///< the first 250 with early exaggeration
  std::uint64_t seed = 0;  ///< of the positions that it begins with
};

struct TsnePicture {
  std::vector<double> positions;  ///< [n, dimensions], around the origin; all finite
  double divergence = 0;          ///< Kullback-Leibler's of the picture from the rows, in nats
};

TsnePicture tsne(const std::vector<double>& affinities, std::size_t n, const TsneSettings& settings);

// ---- its parts; all matrices are [n, n], row-major, with a zero diagonal

/// Squared Euclidean distances, up to one factor for all.
std::vector<double> squared_distances(std::span<const float> rows, std::size_t n, std::size_t length);

/// p(j|i) in row i: Gaussians of distances, each row's width chosen so that the row's perplexity, the exponential of
/// its entropy in nats, is `perplexity`: within 1e-5 of its logarithm wherever some width gives it.
std::vector<double> conditional_affinities(std::vector<double> distances, std::size_t n, double perplexity);

/// (p(j|i) + p(i|j)) / 2n.
std::vector<double> joint_affinities(std::vector<double> conditional, std::size_t n);

/// The gradient of the divergence with respect to positions [n, dimensions], where all affinities are `exaggeration`
/// times as large.
std::vector<double> tsne_gradient(const std::vector<double>& affinities, const std::vector<double>& positions,
                                  int dimensions, double exaggeration = 1);

/// Kullback-Leibler's divergence of the positions' affinities (Student's t, one degree of freedom) from these.
double tsne_divergence(const std::vector<double>& affinities, const std::vector<double>& positions, int dimensions);

}  // namespace results
