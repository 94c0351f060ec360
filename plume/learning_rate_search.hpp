// The range test run on a model: `lr: "find"` (method.md section 5).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "plume/draws.hpp"
#include "plume/input_rows.hpp"
#include "plume/model.hpp"
#include "plume/range_test.hpp"
#include "plume/step_device.hpp"
#include "results/result.hpp"
#include "sweeps/job.hpp"

namespace plume {

/// Trains a copy of `initial` with AdamW and beta1 = 0.95, one rate a batch, for up to 100 batches: where an epoch has
/// fewer it goes on with the next epoch's order. `initial` and everything else stays as it is, bit for bit. `draws` are
/// asked for orders and noise as in a training; give the search streams of its own. `on_batch` is called after each
/// batch.
RangeTest search_learning_rate(const sweeps::TrainingSettings& settings, const Model& initial, const InputRows& rows,
                               const Draws& draws, const std::function<void(const results::LossTerms&)>& on_batch);

/// The same on a device (device_learner.hpp). `on_batch` is called when a batch was handed over.
RangeTest search_learning_rate(const StepDevice& device, const sweeps::TrainingSettings& settings, const Model& initial,
                               const InputRows& rows, const Draws& draws, const std::function<void()>& on_batch);

}  // namespace plume
