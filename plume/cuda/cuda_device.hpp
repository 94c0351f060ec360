// The GPU that CUDA shows this process, as a device of training steps. Knows no CUDA header, so that those who use it
// are built without.
#pragma once

#include <cstdint>
#include <memory>

#include "plume/step_device.hpp"

namespace plume {

/// The first GPU that CUDA shows; its context is made here. Throws storage::Error where LibTorch sees none.
std::unique_ptr<StepDevice> cuda_device();

/// Whether CUDA's context is beyond repair (an illegal address, an uncorrectable memory error): nothing that this
/// process still does on the GPU can succeed. Waits for the GPU.
bool cuda_is_lost();

/// Gives memory that no tensor uses back to the GPU, after it had none left.
void cuda_free_unused();

/// The most bytes that tensors of this process had on the GPU.
std::int64_t cuda_peak_bytes();

}  // namespace plume
