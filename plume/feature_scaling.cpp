// Conversion to doubles, division by the norm, the walk in pieces and distances that keep their digits.
#include "plume/feature_scaling.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace plume {
namespace {

constexpr std::int64_t kPieceRows = 256;

}  // namespace

at::Tensor scaled(const at::Tensor& rows, sweeps::FeatureScaling scaling) {
  at::Tensor doubles = rows.to(at::kDouble, /*non_blocking=*/false, /*copy=*/true);
  if (scaling == sweeps::FeatureScaling::raw) return doubles;
  at::Tensor norms = doubles.norm(2, {1}, /*keepdim=*/true);
  return doubles.div_(norms.masked_fill_(norms == 0, 1));
}

void for_each_piece(const at::Tensor& rows, sweeps::FeatureScaling scaling,
                    const std::function<void(std::int64_t begin, const at::Tensor& piece)>& f) {
  for (std::int64_t begin = 0; begin < rows.size(0); begin += kPieceRows) {
    f(begin, scaled(rows.narrow(0, begin, std::min(kPieceRows, rows.size(0) - begin)), scaling));
  }
}

at::Tensor distances(const at::Tensor& a, const at::Tensor& b) {
  constexpr std::int64_t kNeverByMatrixProduct = 2;
  return at::cdist(a, b, 2, kNeverByMatrixProduct);
}

}  // namespace plume
