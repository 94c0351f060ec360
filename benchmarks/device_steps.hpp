// Steps of plume-bench on a device, where nothing waits between them: timed an epoch at a time.
#pragma once

#include <cstdint>
#include <memory>

#include "benchmarks/training_steps.hpp"
#include "plume/step_device.hpp"

namespace benchmarks {

/// Each call trains an epoch of `batches` batches and gives the mean of its steps, without parts: on a GPU a step is
/// one captured graph. The loss is that of the same first step as everywhere (timed_step); its noise is copied in, all
/// others are drawn by the device. `device` outlives what is returned.
std::unique_ptr<TimedStep> timed_steps_on(const plume::StepDevice& device, std::int64_t dimension, std::int64_t batch,
                                          int batches);

}  // namespace benchmarks
