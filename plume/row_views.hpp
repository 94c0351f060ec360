// What a trained model makes of single rows: what the classifier gets, where that lies in the embedding, and the
// pseudo-anomalies that the perturbator makes of them (the four t-SNE figures of the paper's supplement).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "plume/draws.hpp"
#include "plume/input_rows.hpp"
#include "plume/model.hpp"
#include "sweeps/job.hpp"

namespace plume {

/// In evaluation mode, on the CPU.
struct RowViews {
  at::Tensor features;    ///< [n, D] the classifier's input: after the batch norm of the rows
  at::Tensor embeddings;  ///< [n, E] what f1 makes of it
  at::Tensor scores;      ///< [n] double: logits, higher = more normal
};

/// Of rows `indices` of `rows`, which are where the model is.
RowViews views_of(const Model& model, const InputRows& rows, const std::vector<std::int64_t>& indices);

/// Of the pseudo-anomalies that a model with a perturbator makes of the same rows. eps is draws.noise(0, 0, n, D).
RowViews views_of_pseudo_anomalies(const Model& model, const sweeps::TrainingSettings& settings, const InputRows& rows,
                                   const std::vector<std::int64_t>& indices, const Draws& draws);

}  // namespace plume
