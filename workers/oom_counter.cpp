// Reads the kernel's count of out of memory kills: of this process's cgroup (v2 or v1), else of the machine.
#include "workers/oom_counter.hpp"

#include <fstream>
#include <string>

#include "workers/memory_cgroups.hpp"

namespace workers {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::optional<std::int64_t> read_oom_kills(const fs::path& file) {
  std::ifstream stream(file);
  std::string key;
  std::string value;
  while (stream >> key >> value) {
    if (key == "oom_kill") {
      try {
        return std::stoll(value);
      } catch (const std::exception&) {
        return std::nullopt;
      }
    }
  }
  return std::nullopt;
}

fs::path own_oom_counter() {
  std::vector<fs::path> files;
  for (const auto& [folder, is_v1] : memory_cgroups()) {
    files.push_back(folder / (is_v1 ? "memory.oom_control" : "memory.events"));
  }
  files.push_back("/proc/vmstat");
  for (const fs::path& file : files) {
    if (read_oom_kills(file)) {
      return file;
    }
  }
  return {};
}

}  // namespace workers
