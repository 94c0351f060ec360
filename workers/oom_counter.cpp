// Reads the kernel's count of out of memory kills: of this process's cgroup (v2 or v1), else of the machine.
#include "workers/oom_counter.hpp"

#include <fstream>
#include <string>

namespace workers {
namespace {

namespace fs = std::filesystem;

// A line of /proc/self/cgroup: "0::/a/b" (v2) or "4:memory:/a/b" (v1, among other controllers). In a container the path
// may be the host's, so the mount's root is tried after it.
void add_candidates(const std::string& line, std::vector<fs::path>& files) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
  if (second == std::string::npos) {
    return;
  }
  const std::string controllers = line.substr(first + 1, second - first - 1) + ',';
  const std::string path = line.substr(second + 1);
  if (controllers == ",") {
    for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
      files.push_back(fs::path(root + path) / "memory.events");
      files.push_back(fs::path(root) / "memory.events");
    }
  } else if (controllers.find("memory,") != std::string::npos) {
    files.push_back(fs::path("/sys/fs/cgroup/memory" + path) / "memory.oom_control");
    files.push_back("/sys/fs/cgroup/memory/memory.oom_control");
  }
}

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
  std::ifstream cgroups("/proc/self/cgroup");
  for (std::string line; std::getline(cgroups, line);) {
    add_candidates(line, files);
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
