// The five perturbations, one short function each.
#include "plume/perturbations.hpp"

#include <ATen/ATen.h>

namespace plume {

at::Tensor linear_map(const at::Tensor& x, const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor projection = (b * x).sum(1, /*keepdim=*/true);
  return at::addcmul(x, a, projection);
}

at::Tensor add_mult(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& shift) {
  return at::addcmul(shift, x, scale);
}

at::Tensor gaussian(const at::Tensor& x, const at::Tensor& eps, double sigma) {
  return at::add(x, eps, sigma);
}

Perturbed perturb(sweeps::Perturbation perturbation, sweeps::Semantics semantics, const at::Tensor& x,
                  const at::Tensor& output) {
  using sweeps::Perturbation;
  if (perturbation == Perturbation::add) return {x + output, output, {}};
  if (perturbation == Perturbation::mult) return {x * output, {}, output};
  TORCH_INTERNAL_ASSERT(perturbation != Perturbation::gaussian, "gaussian has no trained parameters");

  const auto halves = output.split(x.size(1), 1);
  const at::Tensor &first = halves[0], &second = halves[1];
  const bool released = semantics == sweeps::Semantics::released;
  Perturbed result{{}, released ? first : second, released ? second : first};
  // linear-map is first second^T either way; add-mult multiplies by the half that is drawn to 1.
  result.anomalies = perturbation == Perturbation::linear_map ? linear_map(x, first, second)
                                                              : add_mult(x, result.to_one, result.to_zero);
  return result;
}

}  // namespace plume
