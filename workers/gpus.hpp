// Which GPUs this process may use: those that the driver lists, as CUDA_VISIBLE_DEVICES selects them. Finds out without
// CUDA, so that a supervisor may ask.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workers/gpu.hpp"

namespace workers {

/// An instance of a GPU in MIG mode.
struct MigInstance {
  Gpu gpu;
  int gpu_instance = 0;
  int compute_instance = 0;
};

/// A GPU that the driver lists and this process may open.
struct InstalledGpu {
  Gpu gpu;
  bool mig_mode = false;  ///< it computes through its instances only
  std::vector<MigInstance> instances;
};

/// What the environment says to CUDA.
struct CudaSettings {
  std::optional<std::string> visible_devices;  ///< CUDA_VISIBLE_DEVICES; absent: unset
  bool counts_by_bus = false;                  ///< CUDA_DEVICE_ORDER is PCI_BUS_ID: indices count as the driver does
};
CudaSettings cuda_settings();

/// CUDA_VISIBLE_DEVICES names no GPU, as one means it to: "", "-1", "NoDevFiles". Then no driver need be asked.
bool hides_all(const CudaSettings& settings);

/// CUDA's rules, but that nothing is lost without a line: a list is of indices, GPU-... or MIG-..., as its first entry
/// is; a UUID may be cut to a prefix that only one device has; the first entry that names no device ends the list; a
/// device named twice leaves none. A GPU in MIG mode stands for all its instances.
/// `installed` in the driver's order (by PCI bus). Indices are of CUDA's order, which is the driver's where GPUs are
/// alike or CUDA_DEVICE_ORDER says so; else they are refused, unless they name all.
/// 4 GPUs, "2,0,7,1": GPUs 2 and 0, and a note that 7 and 1 are passed over.
VisibleGpus visible_among(const std::vector<InstalledGpu>& installed, const CudaSettings& settings);

/// Of this process: its environment, and the driver asked through NVML. No driver: no GPUs, no notes.
VisibleGpus visible_gpus();

}  // namespace workers
