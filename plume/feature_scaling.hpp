// Rows of features as the baselines see them: in doubles, scaled, a piece at a time. Knows no baseline.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

#include "sweeps/job.hpp"

namespace plume {

/// Rows [n, L] float32 as doubles [n, L], a new tensor. raw: as they are; l2: each row divided by its Euclidean norm, a
/// zero row stays zero.
at::Tensor scaled(const at::Tensor& rows, sweeps::FeatureScaling scaling);

/// Calls f(begin, piece) for all of rows [n, L] in order, in pieces [p, L] of scaled doubles that begin at row `begin`.
/// The cut depends on nothing but n, and n x L doubles never exist at once.
void for_each_piece(const at::Tensor& rows, sweeps::FeatureScaling scaling,
                    const std::function<void(std::int64_t begin, const at::Tensor& piece)>& f);

/// Euclidean distances [p, q] between a [p, L] and b [q, L] (doubles), from differences: |a|^2 + |b|^2 - 2 a.b would
/// lose half the digits of a small one. Each is computed by itself, so that it does not depend on the rows beside it.
at::Tensor distances(const at::Tensor& a, const at::Tensor& b);

}  // namespace plume
