// What a training is made of between two steps: all that it needs to go on as if it had never stopped. Whoever keeps it
// gives it to a file or to another process; this folder touches neither.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plume/model.hpp"
#include "results/result.hpp"
#include "storage/error.hpp"

namespace plume {

/// How far an epoch is.
struct EpochProgress {
  std::int64_t batches = 0;  ///< trained; all of them: only the evaluation is left
  results::LossTerms sums;   ///< over these batches
  double learning_rate = 0;  ///< of the last of them
  /// One batch more.
  void add(const results::LossTerms& terms, double rate);
  bool operator==(const EpochProgress&) const = default;
};

/// Orders, noise and schedule follow from the job and the position, so no generator and no order is kept.
struct TrainingState {
  int epoch = 0;  ///< under way, from 0
  EpochProgress progress;
  std::optional<double> found_learning_rate;  ///< of the range test, which is not made again
  std::vector<results::EpochRecord> epochs;   ///< of all epochs before `epoch`
  /// Parameters, AdamW's moments and step counts, running statistics, by name. Handles: they change with the next step.
  NamedTensors tensors;
  /// Weights and running statistics of the best epoch so far, where they are kept (kept_models.hpp); else empty.
  /// Handles.
  NamedTensors best = {};
};

/// A state is of another training, or cannot be. Thrown before anything was trained or reported.
class StateRefused : public storage::Error {
 public:
  using storage::Error::Error;
};

/// Between two steps of a training, or between its last step and an evaluation: where it can be left.
struct Boundary {
  int epoch = 0;             ///< under way, from 0
  std::int64_t batches = 0;  ///< of it that were trained
  std::int64_t batches_an_epoch = 0;
  int epochs = 0;  ///< of the whole training
  /// Good until the boundary is left.
  std::function<TrainingState()> state;
};

/// Throws StateRefused where an epoch of `batches` cannot be that far.
void check_progress(const EpochProgress& progress, std::int64_t batches);

/// Copies `from` into `to`, in place. Throws StateRefused unless names, order, shapes and dtypes are the same.
void restore_tensors(const NamedTensors& from, const NamedTensors& to);

}  // namespace plume
