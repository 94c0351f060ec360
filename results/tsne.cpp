// What surrounds the inner loops of tsne_kernels.hpp. Compiled without contraction of products and sums
// (CMakeLists.txt).
#include "results/tsne.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "results/tsne_kernels.hpp"
#include "sweeps/random_stream.hpp"

namespace results {
namespace {

constexpr double kLn2 = 0.693147180559945309417232121458176568;

/// ln(x) for a normal x > 0 within some units of the last place; libm's differs from processor to processor. 2
/// artanh((m - 1) / (m + 1)) + e ln 2 of x = m 2^e.
double logarithm(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752440) {
    m *= 2;
    --exponent;
  }
  const double f = (m - 1) / (m + 1), square = f * f;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return 2 * f * sum + exponent * kLn2;
}

const TsneKernels& fastest() {
  return tsne_kernels().back();
}

std::size_t up_to_lanes(std::size_t n, std::size_t lanes) {
  return (n + lanes - 1) / lanes * lanes;
}

// ---- distances

constexpr std::size_t kTile = 16;  ///< rows against rows, so that both stay in the cache

/// Zeros behind each row up to a whole number of lanes; the largest number between 0.5 and 1, so that no square is too
/// large or too small.
std::vector<float> scaled_and_padded(std::span<const float> rows, std::size_t n, std::size_t length,
                                     std::size_t padded_length) {
  float largest = 0;
  for (const float value : rows) largest = std::max(largest, std::abs(value));
  int exponent = 0;
  std::frexp(largest, &exponent);
  std::vector<float> padded(n * padded_length);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < length; ++k)
      padded[i * padded_length + k] = std::ldexp(rows[i * length + k], -exponent);
  }
  return padded;
}

void check(std::span<const float> rows, std::size_t n, std::size_t length) {
  if (n > kMostTsnePoints)
    throw std::invalid_argument("t-SNE of more than " + std::to_string(kMostTsnePoints) + " points");
  if (rows.size() != n * length) throw std::invalid_argument("t-SNE of rows of another size");
  const bool finite = std::all_of(rows.begin(), rows.end(), [](float value) { return std::isfinite(value); });
  if (!finite) throw std::invalid_argument("t-SNE of a number that is not finite");
}

// ---- affinities

/// Replaces row `own` of distances by p(j|own). `row` has whole lanes, as `affinities`; what lies behind the n-th and
/// at `own` is far.
void calibrate(std::vector<double>& row, std::size_t n, double target, std::vector<double>& affinities) {
  constexpr int kMostSteps = 200;
  constexpr double kClose = 1e-5, kLargest = 0x1p200;
  const double least = *std::min_element(row.begin(), row.end());
  double mean = 0;
  for (const double distance : row) mean += distance < kFarDistance ? distance - least : 0;
  mean /= static_cast<double>(n - 1);
  double beta = mean > 0 ? 1 / mean : 1, low = 0, high = kLargest, sum = 1;
  for (int step = 0; step < kMostSteps; ++step) {
    const TsneSpread spread = fastest().spread(row.data(), row.size(), least, beta, affinities.data());
    sum = spread.sum;  // at least 1, of the nearest
    const double entropy = logarithm(sum) + spread.mean;
    if (std::abs(entropy - target) < kClose) break;
    (entropy > target ? low : high) = beta;  // a larger beta is a narrower Gaussian
    const double next = high == kLargest ? beta * 2 : (low + high) / 2;
    if (next == beta || next >= kLargest) break;
    beta = next;
  }
  for (double& affinity : affinities) affinity /= sum;
}

// ---- the picture

/// Positions or forces, a coordinate after the other: [dimensions][n].
template <int D>
using Columns = std::array<std::vector<double>, D>;

template <int D>
Columns<D> columns_of(const std::vector<double>& positions) {
  Columns<D> columns;
  for (int d = 0; d < D; ++d) {
    for (std::size_t i = 0; i < positions.size() / D; ++i) {
      columns[d].push_back(positions[i * D + static_cast<std::size_t>(d)]);
    }
  }
  return columns;
}

template <int D>
std::vector<double> rows_of(const Columns<D>& columns) {
  std::vector<double> rows;
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    for (int d = 0; d < D; ++d) rows.push_back(columns[d][i]);
  }
  return rows;
}

/// [n, whole lanes], with zeros behind each row.
std::vector<double> padded(const std::vector<double>& affinities, std::size_t n) {
  const std::size_t length = up_to_lanes(n, kTsneLanes);
  std::vector<double> rows(n * length);
  for (std::size_t i = 0; i < n; ++i) std::copy_n(&affinities[i * n], n, &rows[i * length]);
  return rows;
}

/// 4 sum_j (e p_ij - w_ij / Z) w_ij (yi - yj), Z the sum of all w. `affinities` are padded.
template <int D>
void gradient(const std::vector<double>& affinities, const Columns<D>& at, double exaggeration, Columns<D>& out) {
  const std::size_t n = at[0].size(), length = up_to_lanes(n, kTsneLanes);
  Columns<D> positions = at, repulsion;
  std::array<const double*, D> columns;
  for (int d = 0; d < D; ++d) {
    positions[d].resize(length, kFarPosition);
    columns[d] = positions[d].data();
    out[d].resize(n);
    repulsion[d].resize(n);
  }
  const auto pull_on = D == 2 ? fastest().pull_in_2d : fastest().pull_in_3d;
  double all_weights = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const TsnePull pull = pull_on(i, &affinities[i * length], columns.data(), length);
    all_weights += pull.weights - 1;
    for (int d = 0; d < D; ++d) {
      out[d][i] = pull.attraction[d];
      repulsion[d][i] = pull.repulsion[d];
    }
  }
  for (int d = 0; d < D; ++d) {
    for (std::size_t i = 0; i < n; ++i) {
      const double pushes = all_weights > 0 ? repulsion[d][i] / all_weights : 0;  // 0: all infinitely far
      out[d][i] = 4 * (exaggeration * out[d][i] - pushes);
    }
  }
}

template <int D>
double divergence(const std::vector<double>& affinities, const Columns<D>& at) {
  const std::size_t n = at[0].size();
  const auto weight = [&](std::size_t i, std::size_t j) {
    double distance = 1;
    for (int d = 0; d < D; ++d) distance += (at[d][i] - at[d][j]) * (at[d][i] - at[d][j]);
    return 1 / distance;
  };
  double all_weights = 0, sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) all_weights += 2 * weight(i, j);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double p = affinities[i * n + j];
      if (p > 0) sum += 2 * p * logarithm(p / (weight(i, j) / all_weights));
    }
  }
  return sum;
}

/// About normal, of standard deviation 1e-4: the mean of four uniform numbers, exact.
template <int D>
Columns<D> first_positions(std::size_t n, std::uint64_t seed) {
  const sweeps::RandomStream stream(seed, "", "", "tsne");
  Columns<D> at;
  for (int d = 0; d < D; ++d) {
    for (std::size_t i = 0; i < n; ++i) {
      double sum = -2;
      for (const std::uint32_t word : stream.words(0, static_cast<std::uint32_t>(d), i)) sum += word * 0x1p-32;
      at[d].push_back(sum * 1.75e-4);
    }
  }
  return at;
}

/// Gradient descent with momentum and gains, as published; the learning rate is that of most programs, whose gradient
/// lacks the factor 4: max(n / 12, 200), which is 200 for as many points as are allowed.
template <int D>
Columns<D> descend(const std::vector<double>& affinities, std::size_t n, const TsneSettings& settings) {
  constexpr int kExaggerated = 250;
  constexpr double kExaggeration = 12, kLearningRate = 50, kLeastGain = 0.01;
  static_assert(kMostTsnePoints / 12 <= 200, "the learning rate depends on the number of points");
  Columns<D> at = first_positions<D>(n, settings.seed), slope, step, gain;
  for (int d = 0; d < D; ++d) {
    step[d].assign(n, 0);
    gain[d].assign(n, 1);
  }
  for (int iteration = 0; iteration < settings.iterations; ++iteration) {
    const bool early = iteration < kExaggerated;
    const double momentum = early ? 0.5 : 0.8;
    gradient<D>(affinities, at, early ? kExaggeration : 1, slope);
    for (int d = 0; d < D; ++d) {
      for (std::size_t i = 0; i < n; ++i) {
        const bool turns = (slope[d][i] > 0) == (step[d][i] > 0);
        gain[d][i] = std::max(turns ? gain[d][i] * 0.8 : gain[d][i] + 0.2, kLeastGain);
        step[d][i] = momentum * step[d][i] - kLearningRate * gain[d][i] * slope[d][i];
        at[d][i] += step[d][i];
      }
      double sum = 0;
      for (const double y : at[d]) sum += y;
      for (double& y : at[d]) y -= sum / static_cast<double>(n);
    }
  }
  return at;
}

template <int D>
TsnePicture picture_of(const std::vector<double>& affinities, std::size_t n, const TsneSettings& settings) {
  if (n < 2) return {std::vector<double>(n * D), 0};
  const Columns<D> at = descend<D>(padded(affinities, n), n, settings);
  return {rows_of<D>(at), divergence<D>(affinities, at)};
}

}  // namespace

std::vector<double> squared_distances(std::span<const float> rows, std::size_t n, std::size_t length) {
  check(rows, n, length);
  const std::size_t padded_length = up_to_lanes(length, kTsneFloatLanes);
  const std::vector<float> padded_rows = scaled_and_padded(rows, n, length, padded_length);
  std::vector<double> distances(n * n);
  for (std::size_t top = 0; top < n; top += kTile) {
    for (std::size_t left = 0; left <= top; left += kTile) {
      for (std::size_t i = top; i < std::min(n, top + kTile); ++i) {
        for (std::size_t j = left; j < std::min(i, left + kTile); ++j) {
          const double distance = fastest().squared_distance(&padded_rows[i * padded_length],
                                                             &padded_rows[j * padded_length], padded_length);
          distances[i * n + j] = distances[j * n + i] = distance;
        }
      }
    }
  }
  return distances;
}

std::vector<double> conditional_affinities(std::vector<double> distances, std::size_t n, double perplexity) {
  const std::size_t length = up_to_lanes(n, kTsneLanes);
  std::vector<double> row(length), affinities(length);
  for (std::size_t i = 0; i < n && n > 1; ++i) {
    row.assign(length, kFarDistance);
    std::copy_n(&distances[i * n], n, row.begin());
    row[i] = kFarDistance;
    calibrate(row, n, logarithm(perplexity), affinities);
    std::copy_n(affinities.begin(), n, &distances[i * n]);
  }
  return distances;
}

std::vector<double> joint_affinities(std::vector<double> conditional, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double mean = (conditional[i * n + j] + conditional[j * n + i]) / (2 * static_cast<double>(n));
      conditional[i * n + j] = conditional[j * n + i] = mean;
    }
  }
  return conditional;
}

std::vector<double> tsne_gradient(const std::vector<double>& affinities, const std::vector<double>& positions,
                                  int dimensions, double exaggeration) {
  const std::vector<double> rows = padded(affinities, positions.size() / static_cast<std::size_t>(dimensions));
  if (dimensions == 2) {
    Columns<2> slope;
    gradient<2>(rows, columns_of<2>(positions), exaggeration, slope);
    return rows_of<2>(slope);
  }
  Columns<3> slope;
  gradient<3>(rows, columns_of<3>(positions), exaggeration, slope);
  return rows_of<3>(slope);
}

double tsne_divergence(const std::vector<double>& affinities, const std::vector<double>& positions, int dimensions) {
  return dimensions == 2 ? divergence<2>(affinities, columns_of<2>(positions))
                         : divergence<3>(affinities, columns_of<3>(positions));
}

double tsne_perplexity(std::size_t n, double wanted) {
  return std::max(std::min(wanted, (static_cast<double>(n) - 1) / 3), 1.0);
}

std::vector<double> tsne_affinities(std::span<const float> rows, std::size_t n, std::size_t length, double perplexity) {
  return joint_affinities(conditional_affinities(squared_distances(rows, n, length), n, perplexity), n);
}

TsnePicture tsne(const std::vector<double>& affinities, std::size_t n, const TsneSettings& settings) {
  if (settings.dimensions != 2 && settings.dimensions != 3) throw std::invalid_argument("t-SNE in 2 or 3 dimensions");
  if (affinities.size() != n * n) throw std::invalid_argument("t-SNE of affinities of another size");
  return settings.dimensions == 2 ? picture_of<2>(affinities, n, settings) : picture_of<3>(affinities, n, settings);
}

}  // namespace results
