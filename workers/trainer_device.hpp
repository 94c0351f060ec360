// What trainers compute on: the one place that decides it.
#pragma once

#include <cstdint>
#include <string>

namespace plume {
class StepDevice;
}

namespace workers {

/// Has this process compute on the one GPU that CUDA shows it, from now on; on the CPU where why_gpus_idle()
/// (gpu_support.hpp) says why.
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
/// The most bytes that tensors had there so far; 0 on the CPU.
std::int64_t peak_device_bytes();

}  // namespace workers
