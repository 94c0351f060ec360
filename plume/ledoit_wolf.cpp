// Ledoit-Wolf in two walks over the rows: the mean, then S and the fourth powers together.
#include "plume/ledoit_wolf.hpp"

#include <ATen/ATen.h>

#include <algorithm>

#include "plume/feature_scaling.hpp"
#include "plume/mean_distance.hpp"

namespace plume {
namespace {

constexpr std::int64_t kBlock = 512;  ///< features of a block of rows of the covariance

/// Adds X'X to the lower triangle of `sum`. Blocks reach past the diagonal: what lies above it is not all of X'X.
void add_lower_product(at::Tensor& sum, const at::Tensor& x, const std::function<void()>& on_progress) {
  for (std::int64_t begin = 0; begin < x.size(1); begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, x.size(1));
    at::Tensor block = sum.narrow(0, begin, end - begin).narrow(1, 0, end);
    block.addmm_(x.narrow(1, begin, end - begin).t(), x.narrow(1, 0, end));
    on_progress();
  }
}

/// Sum of the squares of all elements of S - shift I, for a symmetric S given by its lower triangle. Row by row: no
/// second matrix.
double sum_of_squares(const at::Tensor& s, double shift) {
  double sum = 0;
  for (std::int64_t row = 0; row < s.size(0); ++row) {
    const at::Tensor left = s[row].narrow(0, 0, row);
    const double diagonal = s[row][row].item<double>() - shift;
    sum += 2 * at::dot(left, left).item<double>() + diagonal * diagonal;
  }
  return sum;
}

}  // namespace

ShrunkCovariance ledoit_wolf(const at::Tensor& rows, sweeps::FeatureScaling scaling,
                             const std::function<void()>& on_progress) {
  const at::NoGradGuard no_grad;
  const auto n = static_cast<double>(rows.size(0)), features = static_cast<double>(rows.size(1));
  ShrunkCovariance result;
  result.mean = mean_row(rows, scaling, on_progress);

  at::Tensor& s = result.covariance = at::zeros({rows.size(1), rows.size(1)}, at::kDouble);
  double fourth_powers = 0;  // sum of |x_k|^4, the part of sum |x_k x_k' - S|^2 that S does not give
  for_each_piece(rows, scaling, [&](std::int64_t, const at::Tensor& piece) {
    const at::Tensor x = piece - result.mean;
    add_lower_product(s, x, on_progress);
    fourth_powers += x.square().sum(1).square().sum().item<double>();
  });
  s /= n;

  result.mu = s.trace().item<double>() / features;
  // (1 / n^2) sum_k |x_k x_k' - S|^2 = (mean |x_k|^4 - |S|^2) / n
  const double b_bar2 = (fourth_powers / n - sum_of_squares(s, 0)) / (n * features);
  const double d2 = sum_of_squares(s, result.mu) / features;
  const double b2 = std::clamp(b_bar2, 0.0, d2);
  result.shrinkage = b2 > 0 ? b2 / d2 : 0;
  s *= 1 - result.shrinkage;
  s.diagonal().add_(result.shrinkage * result.mu);
  return result;
}

}  // namespace plume
