// A whole training on the rows of one normal class: epochs, shuffles, schedule, evaluation (method.md section 5).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "plume/adamw.hpp"
#include "plume/draws.hpp"
#include "plume/networks.hpp"
#include "results/result.hpp"
#include "sweeps/job.hpp"

namespace plume {

class Trainer {
 public:
  /// `model` has the settings' row width; its dtype is that of all arithmetic. train_rows [n >= 2, L], any L. `draws`
  /// is asked for orders and noise during the training and must outlive the trainer.
  Trainer(const sweeps::TrainingSettings& settings, Model model, at::Tensor train_rows, const Draws& draws);

  /// A last batch of one row is left out: batch norm cannot train on it.
  bool drops_single_row() const;
  std::int64_t batches_per_epoch() const;

  struct Epoch {
    results::LossTerms losses;  ///< means over the batches
    double learning_rate = 0;   ///< of the last batch
  };
  /// Trains epoch `epoch`; epochs must come in order from 0. Absent when a loss was not finite: that batch changed no
  /// parameter.
  std::optional<Epoch> run_epoch(int epoch, const std::function<void(const results::LossTerms&)>& on_batch);

  /// Logits [m] in evaluation mode of rows [m, L]; higher = more normal.
  std::vector<double> scores(const at::Tensor& rows) const;

  const Model& model() const { return model_; }

 private:
  /// One optimiser step. Returns the loss terms; makes no update when the total is not finite.
  results::LossTerms train_on(const at::Tensor& rows, const at::Tensor& eps, double learning_rate, double beta1);

  sweeps::TrainingSettings settings_;
  Model model_;
  at::Tensor train_rows_;
  const Draws& draws_;
  std::vector<at::Tensor> parameters_;
  AdamW optimiser_;
};

}  // namespace plume
