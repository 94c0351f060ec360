// k nearest neighbours by brute force: candidates from |a|^2 + |b|^2 - 2 a.b (one matrix product), their distances from
// differences. The expansion alone loses half the digits of a small distance.
#include "plume/nearest_neighbours.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "plume/feature_scaling.hpp"
#include "storage/error.hpp"

namespace plume {
namespace {

constexpr std::int64_t kSpareCandidates = 8;
constexpr std::int64_t kLargestPiece = 256;        ///< test rows at a time
constexpr std::int64_t kTrainPiece = 4096;         ///< training rows of one matrix product
constexpr std::int64_t kMatrixElements = 1 << 23;  ///< of one piece of the distance matrix, 64 MiB

struct TrainingRows {
  at::Tensor rows;     ///< [n, L] double, scaled
  at::Tensor squares;  ///< [n], |b|^2 of each
};

TrainingRows prepared(const at::Tensor& train, sweeps::FeatureScaling scaling,
                      const std::function<void()>& on_progress) {
  TrainingRows result{at::empty(train.sizes(), at::kDouble), at::empty({train.size(0)}, at::kDouble)};
  for_each_piece(train, scaling, [&](std::int64_t begin, const at::Tensor& piece) {
    result.rows.narrow(0, begin, piece.size(0)).copy_(piece);
    result.squares.narrow(0, begin, piece.size(0)).copy_(piece.square().sum(1));
    on_progress();
  });
  return result;
}

/// |b|^2 - 2 a.b for a piece [p, L] and all training rows, [p, n]: |a|^2 is the same along a row and does not change
/// its order.
at::Tensor ordering(const at::Tensor& piece, const TrainingRows& train, const std::function<void()>& on_progress) {
  at::Tensor result = train.squares.repeat({piece.size(0), 1});
  for (std::int64_t begin = 0; begin < train.rows.size(0); begin += kTrainPiece) {
    const std::int64_t count = std::min(kTrainPiece, train.rows.size(0) - begin);
    at::Tensor part = result.narrow(1, begin, count);
    part.addmm_(piece, train.rows.narrow(0, begin, count).t(), 1, -2);
    on_progress();
  }
  return result;
}

/// Mean distance to the k nearest, [p] for a piece [p, L].
at::Tensor mean_distances(const at::Tensor& piece, const TrainingRows& train, std::int64_t k,
                          const std::function<void()>& on_progress) {
  const std::int64_t candidates = std::min(k + kSpareCandidates, train.rows.size(0));
  const at::Tensor order = ordering(piece, train, on_progress);
  const at::Tensor index = std::get<1>(order.topk(candidates, 1, /*largest=*/false, /*sorted=*/false));
  at::Tensor far = at::empty({piece.size(0), candidates}, at::kDouble);
  for (std::int64_t row = 0; row < piece.size(0); ++row)
    far[row].copy_(distances(piece.narrow(0, row, 1), train.rows.index_select(0, index[row]))[0]);
  return std::get<0>(far.topk(k, 1, /*largest=*/false)).mean(1);
}

}  // namespace

std::vector<double> neighbour_scores(const sweeps::BaselineSettings& settings, const at::Tensor& train,
                                     const at::Tensor& test, const std::function<void()>& on_progress) {
  const std::int64_t n = train.size(0);
  if (settings.k < 1 || settings.k > n)
    throw storage::Error(fmt::format("knn: k is {}; expected 1 to {}, the number of training rows", settings.k, n));
  const at::NoGradGuard no_grad;
  const TrainingRows normals = prepared(train, settings.scaling, on_progress);
  const std::int64_t step = std::clamp<std::int64_t>(kMatrixElements / n, 1, kLargestPiece);
  std::vector<double> scores;
  scores.reserve(static_cast<std::size_t>(test.size(0)));
  for (std::int64_t begin = 0; begin < test.size(0); begin += step) {
    const at::Tensor piece = scaled(test.narrow(0, begin, std::min(step, test.size(0) - begin)), settings.scaling);
    const at::Tensor mean = mean_distances(piece, normals, settings.k, on_progress).contiguous();
    const double* values = mean.const_data_ptr<double>();
    for (std::int64_t i = 0; i < mean.numel(); ++i) scores.push_back(-values[i]);
    on_progress();
  }
  return scores;
}

}  // namespace plume
