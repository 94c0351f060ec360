// What trainers compute on: the one place that decides it.
#pragma once

#include <string>

namespace plume {
class StepDevice;
}

namespace workers {

/// Why GPUs that were given to workers are not computed on, and what to install: one line; "" where they are. Touches
/// no GPU, so that a coordinator may ask.
std::string why_gpus_idle();

/// Has this process compute on the one GPU that CUDA shows it, from now on; on the CPU where why_gpus_idle() says why.
/// Throws storage::Error where LibTorch cannot use the GPU.
void use_gpu();

/// The kind that results of trainings record: "cpu" or "cuda".
std::string device_kind();
/// What trains and extracts features in this process; null: the CPU.
const plume::StepDevice* step_device();

/// Whether nothing more can succeed on the GPU, and this process has to end. False on the CPU.
bool device_is_lost();
/// Gives memory that no tensor uses back to the GPU.
void free_device_memory();

}  // namespace workers
