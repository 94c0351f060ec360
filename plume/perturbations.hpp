// From normal rows and the perturbator's output to pseudo-anomalies (method.md section 3). Knows no networks.
#pragma once

#include <ATen/core/Tensor.h>

#include "sweeps/job.hpp"

namespace plume {

/// Eq. (2) and (3): A x = (I + a b^T) x = x + a (b . x), row by row, without the D x D matrix. All [N, D]. Example: x =
/// (1, 2), a = (3, 4), b = (5, 6): b . x = 17, so (52, 70).
at::Tensor linear_map(const at::Tensor& x, const at::Tensor& a, const at::Tensor& b);
/// scale x + shift, element by element (paper: "alpha_i (.) x_i + beta_i").
at::Tensor add_mult(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& shift);
/// x + sigma eps, nothing trained.
at::Tensor gaussian(const at::Tensor& x, const at::Tensor& eps, double sigma);

/// Pseudo-anomalies, and the parameters that the noise loss draws to 0 and to 1; a part that does not exist is
/// undefined.
struct Perturbed {
  at::Tensor anomalies;  ///< [N, D]
  at::Tensor to_zero;    ///< [N, D]
  at::Tensor to_one;     ///< [N, D]
};

/// Applies a trained perturbation (not gaussian) to x [N, D]. `output` is the VAE's: [N, 2D] (first, second), [N, D]
/// for add and mult. The semantics differ in which half is which (method.md, "Where they differ"): in `released` first
/// -> 0 and second -> 1, in `paper` first = alpha -> 1 and second = beta -> 0.
Perturbed perturb(sweeps::Perturbation perturbation, sweeps::Semantics semantics, const at::Tensor& x,
                  const at::Tensor& output);

}  // namespace plume
