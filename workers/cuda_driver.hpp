// What CUDA itself shows to this process: for a trainer, which is the only kind of process that may touch CUDA.
#pragma once

#include <string>
#include <vector>

namespace workers {

/// UUIDs of the devices that CUDA shows, in its order, as the form of `like` has them: of MIG instances where it is
/// "MIG-...", of the GPU that an instance is part of where it is "MIG-GPU-.../1/0". Initialises CUDA's driver interface
/// and creates no context. Throws storage::Error in one line where that fails.
std::vector<std::string> cuda_devices(const std::string& like);

/// Throws storage::Error that names both where CUDA shows other devices than exactly `uuid`.
void check_only_gpu(const std::string& uuid);

}  // namespace workers
