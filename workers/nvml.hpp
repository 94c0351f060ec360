// The driver's list of GPUs, through NVML, which creates no CUDA context. Knows nothing of CUDA_VISIBLE_DEVICES.
#pragma once

#include <string>
#include <vector>

#include "workers/gpus.hpp"

namespace workers {

struct InstalledGpus {
  bool driver = false;             ///< there is one, whether or not it answers
  std::vector<InstalledGpu> gpus;  ///< that this process may open, by PCI bus: those that a cgroup hides are left out
  std::vector<std::string> notes;  ///< one line for each thing that failed
};

/// Asks libnvidia-ml.so.1; where there is none: no driver, and quietly.
InstalledGpus installed_gpus();

}  // namespace workers
