// The device of a trainer: the GPU that it was given, where this program was built with CUDA.
#include "workers/trainer_device.hpp"

#include <memory>

#include "plume/step_device.hpp"

#if defined(PLUME_WITH_CUDA)
#include "plume/cuda/cuda_device.hpp"
#endif

namespace workers {
namespace {

/// Holds no tensor, so that it may outlive main.
std::unique_ptr<plume::StepDevice>& device() {
  static std::unique_ptr<plume::StepDevice> the_device;
  return the_device;
}

}  // namespace

#if defined(PLUME_WITH_CUDA)

void use_gpu() {
  device() = plume::cuda_device();
}

bool device_is_lost() {
  return device() && plume::cuda_is_lost();
}

void free_device_memory() {
  if (device()) plume::cuda_free_unused();
}

std::int64_t peak_device_bytes() {
  return device() ? plume::cuda_peak_bytes() : 0;
}

#else

void use_gpu() {}

bool device_is_lost() {
  return false;
}

void free_device_memory() {}

std::int64_t peak_device_bytes() {
  return 0;
}

#endif

std::string device_kind() {
  return device() ? "cuda" : "cpu";
}

const plume::StepDevice* step_device() {
  return device().get();
}

}  // namespace workers
