// A whole training on a device (device_learner.hpp), with the orders, the schedule, the noise and the records of
// training.hpp. The host waits once an epoch, and where a state is asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "plume/device_learner.hpp"
#include "plume/training.hpp"

namespace plume {

class DeviceTrainer {
 public:
  /// As Trainer's, with a float32 model whose tensors may be anywhere. `device` and `draws`, which have a noise_key,
  /// outlive the trainer.
  DeviceTrainer(const StepDevice& device, const sweeps::TrainingSettings& settings, const Model& model,
                const InputRows& rows, const Draws& draws);

  const Batches& batches() const { return learner_.batches(); }
  /// As Trainer's. `on_batch` is called when a batch was handed over, not when it is done: in an epoch with a loss that
  /// is not finite, after batches behind it too. `on_handed_over` is called when all were, before the host waits: it
  /// has the device's time for work of its own.
  std::optional<TrainedEpoch> run_epoch(
      int epoch, const std::function<void()>& on_batch, const std::function<void()>& on_handed_over = [] {});

  const Model& model() const { return learner_.model(); }
  /// Of the epoch under way, handed over.
  std::int64_t batches_made() const { return made_; }
  /// How far the epoch under way is, and its tensors there. Both wait. Where a loss was not finite there is no
  /// state: progress() throws through the caller, its `on_batch`, to run_epoch.
  EpochProgress progress() const;
  NamedTensors tensors();
  /// As Trainer's.
  void restore(const TrainingState& state);

 private:
  sweeps::TrainingSettings settings_;
  const Draws& draws_;
  DeviceLearner learner_;
  std::vector<SchedulePoint> schedule_;  ///< of the epoch under way
  EpochProgress begun_from_;             ///< what it had when this trainer took it up
  std::int64_t made_ = 0;
};

}  // namespace plume
