// The device of a trainer, from what this LibTorch was built for.
#include "workers/trainer_device.hpp"

#include <ATen/Context.h>

namespace workers {

std::string device_kind() {
  return "cpu";
}

std::string why_gpus_idle() {
  // hasCUDA() would initialise CUDA in a build that has it; this asks how it was built.
  if (!at::Context::hasCUDART()) {
    return "the LibTorch that this program was built with knows no CUDA, so everything is computed on the CPU; install "
           "a "
           "torch wheel with CUDA into .deps/venv (PyPI's own for Linux), or give such a LibTorch with TORCH_DIR, and "
           "build again";
  }
  return "this version of plume-bench computes on the CPU only";
}

}  // namespace workers
