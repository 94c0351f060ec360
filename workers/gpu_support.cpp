// What the build was configured with.
#include "workers/gpu_support.hpp"

namespace workers {

std::string why_gpus_idle() {
#if defined(PLUME_WITH_CUDA)
  return "";
#else
  return "this version of plume-bench computes on the CPU only, because it was built with a LibTorch without CUDA; "
         "build it with TORCH_DIR=<folder of a LibTorch with CUDA>";
#endif
}

}  // namespace workers
