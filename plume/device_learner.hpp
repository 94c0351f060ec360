// Optimiser steps on a device that the host does not wait for: rows, order, schedule, noise counters and losses are in
// the device's memory, so that a step is the same for every batch of a size and can be captured once.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "plume/batches.hpp"
#include "plume/draws.hpp"
#include "plume/input_rows.hpp"
#include "plume/model.hpp"
#include "plume/step_control.hpp"
#include "plume/step_device.hpp"
#include "plume/step_gradients.hpp"
#include "results/result.hpp"
#include "sweeps/job.hpp"

namespace plume {

class DeviceLearner {
 public:
  /// `model`, wherever its tensors are, and `rows` are copied to the device, which outlives the learner; at least 2
  /// rows. `draws` have a noise_key. Float32.
  DeviceLearner(const StepDevice& device, const sweeps::TrainingSettings& settings, const Model& model,
                const InputRows& rows, const Draws& draws, AfterBadLoss after_bad);

  const Batches& batches() const { return batches_; }
  std::int64_t rows() const { return rows_.size(); }
  const Model& model() const { return model_; }

  /// Goes to batch `first` of epoch `epoch`, which takes the rows in `order` and has a point of `schedule` for each of
  /// its batches.
  void begin_epoch(int epoch, const std::vector<std::int64_t>& order, const std::vector<SchedulePoint>& schedule,
                   std::int64_t first);
  /// Hands the device the next batch of the epoch.
  void enqueue();

  struct Made {
    std::vector<results::LossTerms> losses;  ///< of the batches handed over since begin_epoch
    std::optional<std::int64_t> first_bad;   ///< of them: position in `losses` of the first that is not finite
  };
  /// Waits until all that was handed over is done.
  Made made() const;
  /// training_tensors (learner.hpp), in the device's memory. Waits.
  NamedTensors state();
  /// Copies them in. Throws StateRefused, and has changed nothing, where they do not fit.
  void restore(const NamedTensors& tensors);

 private:
  void step(std::int64_t rows);
  StepControl control() const;
  void set(const StepControl& control);

  sweeps::TrainingSettings settings_;
  const StepKernels& kernels_;
  InputRows rows_;
  Batches batches_;
  NoiseKey noise_;
  AfterBadLoss after_bad_;
  Model model_;
  StepGradients gradients_;
  AdamWTensors optimiser_;
  at::Tensor control_;    ///< StepControl as words
  at::Tensor order_;      ///< [n] int64
  at::Tensor schedule_;   ///< [batches, 2] doubles
  at::Tensor kept_;       ///< [batches, 5] doubles: losses
  at::Tensor positions_;  ///< [batch size] int64: 0, 1, 2 ...
  std::vector<at::Tensor> changed_by_a_step_;
  std::int64_t first_ = 0, next_ = 0;   ///< batches of the epoch
  std::unique_ptr<StepRunner> runner_;  ///< the last: captured steps end before the tensors that they use
};

}  // namespace plume
