// With C = G G' (Cholesky) the distance is |z| for G z = x - mean: no inverse is formed.
#include "plume/mahalanobis.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plume/feature_scaling.hpp"
#include "plume/ledoit_wolf.hpp"
#include "storage/error.hpp"

namespace plume {
namespace {

constexpr std::int64_t kLanes = 16;  ///< test rows side by side: one reading of the factor serves them all

/// Lower triangular factor G [L, L] of the covariance.
at::Tensor cholesky_factor(const ShrunkCovariance& shrunk, std::int64_t n) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const auto length = static_cast<double>(shrunk.mean.size(0));
  // Division by the norm may leave rounding between rows of one direction.
  if (shrunk.mu * length <= 16 * kEpsilon * kEpsilon * shrunk.mean.square().sum().item<double>())
    throw storage::Error(fmt::format(
        "mahalanobis: all {} training rows are equal and have no covariance; use method knn or mean-distance", n));
  const auto [factor, info] = at::linalg_cholesky_ex(shrunk.covariance);
  // A pivot that is rounding of the largest variance means a direction without variance.
  const double smallest = factor.diagonal().square().min().item<double>();
  const double largest = shrunk.covariance.diagonal().max().item<double>();
  if (info.item<int>() != 0 || !(smallest > length * kEpsilon * largest))
    throw storage::Error(
        fmt::format("mahalanobis: the covariance of the {} training rows is singular (shrinkage {:.3g}); use more "
                    "train_rows, or method knn or mean-distance",
                    n, shrunk.shrinkage));
  return factor.contiguous();
}

/// |z|^2 of G z = b for kLanes right-hand sides, b [L][kLanes], by forward substitution in place. Each lane is computed
/// by itself and always in this order, which a BLAS does not promise.
std::array<double, kLanes> squared_solutions(const double* g, std::int64_t length, double* b) {
  std::array<double, kLanes> squares{};
  for (std::int64_t row = 0; row < length; ++row) {
    std::array<double, kLanes> sum{};
    for (std::int64_t k = 0; k < row; ++k) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) sum[lane] += g[row * length + k] * b[k * kLanes + lane];
    }
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      double& z = b[row * kLanes + lane];
      z = (z - sum[lane]) / g[row * length + row];
      squares[lane] += z * z;
    }
  }
  return squares;
}

}  // namespace

std::vector<double> mahalanobis_scores(sweeps::FeatureScaling scaling, const at::Tensor& train, const at::Tensor& test,
                                       const std::function<void()>& on_progress) {
  const at::NoGradGuard no_grad;
  ShrunkCovariance shrunk = ledoit_wolf(train, scaling, on_progress);
  const at::Tensor factor = cholesky_factor(shrunk, train.size(0));
  shrunk.covariance.reset();
  const std::int64_t length = train.size(1);
  std::vector<double> scores;
  scores.reserve(static_cast<std::size_t>(test.size(0)));
  for_each_piece(test, scaling, [&](std::int64_t, const at::Tensor& piece) {
    const at::Tensor x = piece - shrunk.mean;
    for (std::int64_t begin = 0; begin < x.size(0); begin += kLanes) {
      const std::int64_t lanes = std::min(kLanes, x.size(0) - begin);
      at::Tensor columns = at::zeros({length, kLanes}, at::kDouble);
      columns.narrow(1, 0, lanes).copy_(x.narrow(0, begin, lanes).t());
      const auto squares =
          squared_solutions(factor.const_data_ptr<double>(), length, columns.mutable_data_ptr<double>());
      for (std::int64_t lane = 0; lane < lanes; ++lane) scores.push_back(-std::sqrt(squares[lane]));
      on_progress();
    }
  });
  return scores;
}

}  // namespace plume
