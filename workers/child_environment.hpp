// The environment of a trainer process, made from its supervisor's.
#pragma once

#include <string>
#include <vector>

namespace workers {

struct ChildSettings {
  int threads = 1;
  std::string gpu = {};  ///< UUID of the one that it may see; "": what the supervisor may see, it may
};

/// Without OMPI_*, PMIX_*, PMI_* (it is no rank), with OMP_NUM_THREADS and MKL_NUM_THREADS, with the supervisor's
/// process id, and with GLIBC_TUNABLES that ask for large pages. With a GPU: CUDA_VISIBLE_DEVICES is its UUID, and what other makers' libraries read in its place is gone
/// (HIP_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES, GPU_DEVICE_ORDINAL, ZE_AFFINITY_MASK): Slurm sets them beside it, with
/// indices that no longer fit.
std::vector<std::string> child_environment(const ChildSettings& settings);

}  // namespace workers
