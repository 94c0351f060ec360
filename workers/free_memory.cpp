#include "workers/free_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "workers/memory_cgroups.hpp"

namespace workers {
namespace {

namespace fs = std::filesystem;

/// The number of a file that holds one; absent for "max", too.
std::optional<std::int64_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::int64_t number = 0;
  if (stream >> number && number >= 0) return number;
  return std::nullopt;
}

/// The number after `key` at the beginning of a line, as in "MemAvailable:  1234 kB".
std::optional<std::int64_t> number_after(std::string_view key, const fs::path& file) {
  std::ifstream lines(file);
  std::string word;
  for (std::string rest; lines >> word; std::getline(lines, rest)) {
    std::int64_t number = 0;
    if (word == key && lines >> number && number >= 0) return number;
  }
  return std::nullopt;
}

std::optional<std::int64_t> left_in(const MemoryCgroup& cgroup) {
  const auto& [folder, is_v1] = cgroup;
  const auto limit = number_in(folder / (is_v1 ? "memory.limit_in_bytes" : "memory.max"));
  const auto used = number_in(folder / (is_v1 ? "memory.usage_in_bytes" : "memory.current"));
  if (!limit || !used) return std::nullopt;
  std::int64_t in_use = *used;  // beside the cache
  for (const char* key : {"active_file", "inactive_file"}) {
    const auto cached = number_after((is_v1 ? "total_" : "") + std::string(key), folder / "memory.stat");
    in_use -= std::min(in_use, cached.value_or(0));
  }
  return std::max<std::int64_t>(0, *limit - in_use);
}

}  // namespace

std::optional<std::int64_t> free_memory(const fs::path& root) {
  std::optional<std::int64_t> least;
  const auto take = [&](std::optional<std::int64_t> bytes) {
    if (bytes && (!least || *bytes < *least)) least = bytes;
  };
  if (const auto kilobytes = number_after("MemAvailable:", root / "proc/meminfo")) {
    take(std::min(*kilobytes, std::numeric_limits<std::int64_t>::max() / 1024) * 1024);
  }
  for (const MemoryCgroup& cgroup : memory_cgroups(root)) take(left_in(cgroup));
  return least;
}

}  // namespace workers
