// Where the kernel keeps the accounts of this process's memory cgroup and of those around it.
#pragma once

#include <filesystem>
#include <vector>

namespace workers {

struct MemoryCgroup {
  std::filesystem::path folder;
  bool is_v1 = false;  ///< its files have other names
};

/// The process's own first, then those around it, to the mount's root; some may not be there. In a container the path
/// that the kernel says may be the host's, and only the root is. `root`: where proc and sys are.
std::vector<MemoryCgroup> memory_cgroups(const std::filesystem::path& root = "/");

}  // namespace workers
