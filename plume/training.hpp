// A whole training on the rows of one normal class: epochs, shuffles, schedule, evaluation (method.md section 5).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "plume/batches.hpp"
#include "plume/draws.hpp"
#include "plume/input_rows.hpp"
#include "plume/learner.hpp"
#include "plume/model.hpp"
#include "plume/step_device.hpp"
#include "plume/training_state.hpp"
#include "results/result.hpp"
#include "sweeps/job.hpp"

namespace plume {

struct TrainedEpoch {
  results::LossTerms losses;  ///< means over the batches
  double learning_rate = 0;   ///< of the last batch
};

/// Of all batches of an epoch.
TrainedEpoch mean_of(const EpochProgress& whole);

/// Rows that are scored at a time.
inline constexpr std::int64_t kEvaluationRows = 2048;

/// Logits [m] of `model` in evaluation mode, which is where the rows are; higher = more normal. `on_progress` is called
/// after every piece of rows.
std::vector<double> scores_of(const Model& model, const InputRows& rows, const std::function<void()>& on_progress);

/// Scores that were handed over: waits for them, and for nothing behind them.
using ScoresUnderWay = std::function<std::vector<double>()>;
/// scores_of on `device`, by the weights as they are now; null: on the CPU, where they are done at the return.
ScoresUnderWay begin_scores(const Model& model, const InputRows& rows, const StepDevice* device,
                            const std::function<void()>& on_progress);

class Trainer {
 public:
  /// `settings` have a learning rate; `model` has the rows' width, and its dtype is that of all arithmetic. At least 2
  /// rows. `draws` is asked for orders and noise during the training and must outlive the trainer.
  Trainer(const sweeps::TrainingSettings& settings, Model model, InputRows rows, const Draws& draws);

  const Batches& batches() const { return batches_; }

  using Epoch = TrainedEpoch;
  /// Trains epoch `epoch`; epochs must come in order, from 0 or from the one that was restored, of which only the rest
  /// is trained. Absent when a loss was not finite: that batch changed no parameter.
  std::optional<Epoch> run_epoch(int epoch, const std::function<void(const results::LossTerms&)>& on_batch);

  /// Logits [m] in evaluation mode; higher = more normal. `on_progress` is called after every piece of rows.
  std::vector<double> scores(
      const InputRows& rows, const std::function<void()>& on_progress = [] {}) const;

  const Model& model() const { return learner_.model(); }

  /// How far the epoch under way is; while `on_batch` is called, with its batch.
  const EpochProgress& progress() const { return progress_; }
  std::int64_t batches_made() const { return progress_.batches; }
  NamedTensors tensors() const { return learner_.state(); }
  /// Goes on where `state` was taken. Throws StateRefused, and has changed nothing, where it does not fit.
  void restore(const TrainingState& state);

 private:
  sweeps::TrainingSettings settings_;
  Learner learner_;
  InputRows rows_;
  Batches batches_;
  const Draws& draws_;
  EpochProgress progress_;
};

}  // namespace plume
