// The models that a training leaves behind: of its best epoch and of its last. Touches no file.
#pragma once

#include <optional>

#include "plume/model.hpp"
#include "plume/training_state.hpp"
#include "results/result.hpp"

namespace plume {

/// What of a model is kept.
enum class ModelParts {
  none,
  classifier,  ///< with the batch norm of the rows: all that scores
  all,         ///< the perturbator besides
};

/// A copy of `parts` of `model`, which trains on; parts is not none.
Model copy_of_parts(const Model& model, ModelParts parts);

struct ModelOfEpoch {
  results::EpochRecord epoch;
  Model model;
};

/// Follows a training epoch by epoch and keeps its model after the best one so far: the earliest with the highest AUROC
/// on the test split, as results::best_epoch has it.
class BestModel {
 public:
  explicit BestModel(ModelParts parts) : parts_(parts) {}

  /// The training has come to `epoch` with this model.
  void see(const results::EpochRecord& epoch, const Model& model);

  /// Goes on where `state` was taken, of a training of models like `model`. Throws StateRefused where it does not hold
  /// the weights that are kept here.
  void restore(const TrainingState& state, const Model& model);
  /// What a checkpoint needs besides; handles.
  NamedTensors tensors() const;

  /// Absent where no epoch had an AUROC.
  const std::optional<ModelOfEpoch>& best() const { return best_; }

 private:
  ModelParts parts_;
  std::optional<ModelOfEpoch> best_;
};

}  // namespace plume
