// k-means++ and Lloyd's iterations. All sums run in row order, so that centres do not depend on how the rows are cut.
#include "plume/k_means.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "plume/feature_scaling.hpp"
#include "storage/error.hpp"

namespace plume {
namespace {

constexpr int kMostRounds = 300;
constexpr std::int64_t kCentresAtATime = 512;

/// The training rows and how they are read: what every step below needs.
struct Rows {
  const at::Tensor& rows;
  sweeps::FeatureScaling scaling;
  const std::function<void()>& on_progress;

  std::int64_t size() const { return rows.size(0); }
};

/// For each row its nearest centre, the lowest of equals, and the distance to it.
struct Nearest {
  std::vector<std::int64_t> centre;
  std::vector<double> distance;
};

Nearest nearest_centres(const Rows& data, const at::Tensor& centres) {
  const auto n = static_cast<std::size_t>(data.size());
  Nearest nearest{std::vector<std::int64_t>(n), std::vector<double>(n, std::numeric_limits<double>::infinity())};
  for_each_piece(data.rows, data.scaling, [&](std::int64_t begin, const at::Tensor& piece) {
    for (std::int64_t first = 0; first < centres.size(0); first += kCentresAtATime) {
      const std::int64_t count = std::min(kCentresAtATime, centres.size(0) - first);
      const at::Tensor far = distances(piece, centres.narrow(0, first, count)).contiguous();
      const double* values = far.const_data_ptr<double>();
      for (std::int64_t row = begin; row < begin + piece.size(0); ++row, values += count) {
        const double* smallest = std::min_element(values, values + count);  // the first of equals
        if (*smallest >= nearest.distance[row]) continue;
        nearest.distance[row] = *smallest;
        nearest.centre[row] = first + (smallest - values);
      }
      data.on_progress();
    }
  });
  return nearest;
}

/// Uniform in [0, 1) from 53 bits.
double uniform(const sweeps::RandomStream& stream, std::int64_t step) {
  const auto words = stream.words(0, static_cast<std::uint32_t>(step), 0);
  return static_cast<double>((std::uint64_t{words[0]} << 32 | words[1]) >> 11) * 0x1p-53;
}

/// Index drawn with probability weight / sum, by `uniform` in [0, 1); the last where all weights are 0.
std::int64_t draw(const std::vector<double>& weights, double uniform) {
  const double target = uniform * std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t i = 0;
  for (double sum = weights[0]; sum <= target && i + 1 < weights.size(); sum += weights[i]) ++i;
  return static_cast<std::int64_t>(i);
}

/// k-means++: each centre is a row, drawn with probability proportional to the squared distance to those before it.
at::Tensor seed_centres(const Rows& data, std::int64_t clusters, const sweeps::RandomStream& stream) {
  std::vector<double> squares(static_cast<std::size_t>(data.size()), std::numeric_limits<double>::infinity());
  at::Tensor centres = at::empty({clusters, data.rows.size(1)}, at::kDouble);
  for (std::int64_t c = 0; c < clusters; ++c) {
    const double u = uniform(stream, c);
    const std::int64_t row =
        c == 0 ? static_cast<std::int64_t>(u * static_cast<double>(data.size())) : draw(squares, u);
    centres[c].copy_(scaled(data.rows.narrow(0, row, 1), data.scaling)[0]);
    const Nearest nearest = nearest_centres(data, centres.narrow(0, c, 1));
    for (std::size_t i = 0; i < squares.size(); ++i)
      squares[i] = std::min(squares[i], nearest.distance[i] * nearest.distance[i]);
  }
  return centres;
}

/// Gives each cluster without rows the farthest row of a cluster that has others. Returns the sizes.
std::vector<std::int64_t> fill_empty_clusters(Nearest& nearest, std::int64_t clusters) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(clusters), 0);
  for (const std::int64_t centre : nearest.centre) ++sizes[centre];
  for (std::int64_t c = 0; c < clusters; ++c) {
    if (sizes[c] > 0) continue;
    std::int64_t farthest = -1;
    double distance = 0;
    for (std::size_t row = 0; row < nearest.centre.size(); ++row) {
      if (nearest.distance[row] <= distance || sizes[nearest.centre[row]] == 1) continue;
      farthest = static_cast<std::int64_t>(row);
      distance = nearest.distance[row];
    }
    if (farthest < 0) break;  // every row lies on its centre
    --sizes[nearest.centre[farthest]];
    nearest.centre[farthest] = c;
    ++sizes[c];
  }
  return sizes;
}

/// Moves each centre that has rows to their mean.
void move_centres(const Rows& data, const std::vector<std::int64_t>& cluster, const std::vector<std::int64_t>& sizes,
                  at::Tensor& centres) {
  at::Tensor sums = at::zeros_like(centres);
  for_each_piece(data.rows, data.scaling, [&](std::int64_t begin, const at::Tensor& piece) {
    for (std::int64_t row = 0; row < piece.size(0); ++row) sums[cluster[begin + row]].add_(piece[row]);
    data.on_progress();
  });
  for (std::int64_t c = 0; c < centres.size(0); ++c) {
    if (sizes[c] > 0) centres[c].copy_(sums[c] / sizes[c]);
  }
}

}  // namespace

Clustering lloyd(const at::Tensor& rows, sweeps::FeatureScaling scaling, const at::Tensor& centres,
                 const std::function<void()>& on_progress) {
  const at::NoGradGuard no_grad;
  const Rows data{rows, scaling, on_progress};
  Clustering result;
  result.centres = centres.clone();
  while (result.rounds < kMostRounds) {
    ++result.rounds;
    Nearest nearest = nearest_centres(data, result.centres);
    const auto sizes = fill_empty_clusters(nearest, centres.size(0));
    if (nearest.centre == result.cluster) break;
    result.cluster = std::move(nearest.centre);
    move_centres(data, result.cluster, sizes, result.centres);
  }
  return result;
}

Clustering k_means(const at::Tensor& rows, int clusters, sweeps::FeatureScaling scaling,
                   const sweeps::RandomStream& stream, const std::function<void()>& on_progress) {
  if (clusters < 1 || clusters > rows.size(0))
    throw storage::Error(
        fmt::format("k-means: clusters is {}; expected 1 to {}, the number of training rows", clusters, rows.size(0)));
  const at::NoGradGuard no_grad;
  return lloyd(rows, scaling, seed_centres({rows, scaling, on_progress}, clusters, stream), on_progress);
}

std::vector<double> k_means_scores(const sweeps::BaselineSettings& settings, const sweeps::RandomStream& stream,
                                   const at::Tensor& train, const at::Tensor& test,
                                   const std::function<void()>& on_progress) {
  const at::NoGradGuard no_grad;
  const Clustering found = k_means(train, settings.clusters, settings.scaling, stream, on_progress);
  std::vector<double> scores = nearest_centres({test, settings.scaling, on_progress}, found.centres).distance;
  for (double& score : scores) score = -score;
  return scores;
}

}  // namespace plume
