// k nearest neighbours by brute force: candidates from |a|^2 + |b|^2 - 2 a.b (one matrix product), their distances from
// differences. The expansion alone loses half the digits of a small distance.
#include "plume/nearest_neighbours.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace plume {
namespace {

constexpr std::int64_t kSpareCandidates = 8;
constexpr std::int64_t kLargestPiece = 256;        ///< test rows at a time
constexpr std::int64_t kMatrixElements = 1 << 23;  ///< of one piece of the distance matrix, 64 MiB

at::Tensor prepared(const at::Tensor& rows, sweeps::FeatureScaling scaling) {
  const at::Tensor doubles = rows.to(at::kDouble);
  if (scaling == sweeps::FeatureScaling::raw) return doubles;
  return doubles / doubles.norm(2, {1}, /*keepdim=*/true).clamp_min(1e-12);
}

/// Mean distance to the k nearest, [p] for a piece [p, L].
at::Tensor mean_distances(const at::Tensor& piece, const at::Tensor& train, const at::Tensor& train_norms,
                          std::int64_t k) {
  // |a|^2 is the same along a row and does not change its order.
  const at::Tensor ordering = at::addmm(train_norms.unsqueeze(0), piece, train.t(), 1, -2);
  const std::int64_t candidates = std::min(k + kSpareCandidates, train.size(0));
  const at::Tensor index = std::get<1>(ordering.topk(candidates, 1, /*largest=*/false, /*sorted=*/false));
  const at::Tensor rows = train.index_select(0, index.flatten()).view({piece.size(0), candidates, train.size(1)});
  const at::Tensor distances = (rows - piece.unsqueeze(1)).norm(2, {2});
  return std::get<0>(distances.topk(k, 1, /*largest=*/false)).mean(1);
}

}  // namespace

std::vector<double> neighbour_scores(const sweeps::BaselineSettings& settings, const at::Tensor& train,
                                     const at::Tensor& test, const std::function<void()>& on_progress) {
  const at::NoGradGuard no_grad;
  const at::Tensor normals = prepared(train, settings.scaling);
  const at::Tensor norms = at::square(normals).sum(1);
  const std::int64_t step = std::clamp<std::int64_t>(kMatrixElements / normals.size(0), 1, kLargestPiece);
  std::vector<double> scores;
  scores.reserve(static_cast<std::size_t>(test.size(0)));
  for (std::int64_t begin = 0; begin < test.size(0); begin += step) {
    const at::Tensor piece = prepared(test.narrow(0, begin, std::min(step, test.size(0) - begin)), settings.scaling);
    const at::Tensor mean = mean_distances(piece, normals, norms, settings.k).contiguous();
    const double* values = mean.const_data_ptr<double>();
    for (std::int64_t i = 0; i < mean.numel(); ++i) scores.push_back(-values[i]);
    on_progress();
  }
  return scores;
}

}  // namespace plume
