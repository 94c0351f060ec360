// How much memory this process may still take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace workers {

/// Bytes, the least of what the machine has available and what the limit of each memory cgroup of this process leaves.
/// The page cache counts as free. Absent where the kernel does not say. `root`: where proc and sys are.
std::optional<std::int64_t> free_memory(const std::filesystem::path& root = "/");

}  // namespace workers
