// How often the kernel's out of memory killer has struck in this process's memory cgroup.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace workers {

/// The value of the line "oom_kill N" of a memory.events (cgroup v2), memory.oom_control (v1) or /proc/vmstat file;
/// absent when there is none.
std::optional<std::int64_t> read_oom_kills(const std::filesystem::path& file);
/// Where this process's count is kept: the first file that has one, the most specific first; empty when none has.
std::filesystem::path own_oom_counter();

}  // namespace workers
