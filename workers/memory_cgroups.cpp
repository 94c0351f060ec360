#include "workers/memory_cgroups.hpp"

#include <fstream>
#include <string>

namespace workers {
namespace {

namespace fs = std::filesystem;

void add(const fs::path& mount, fs::path path, bool is_v1, std::vector<MemoryCgroup>& cgroups) {
  for (path = path.relative_path(); !path.empty(); path = path.parent_path()) cgroups.push_back({mount / path, is_v1});
  cgroups.push_back({mount, is_v1});
}

/// Of a line of /proc/self/cgroup: "0::/a/b" (v2) or "4:memory:/a/b" (v1, perhaps among other controllers).
void add_those_of(const std::string& line, const fs::path& mounts, std::vector<MemoryCgroup>& cgroups) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
  if (second == std::string::npos) return;
  const std::string controllers = line.substr(first + 1, second - first - 1) + ',';
  const fs::path path = line.substr(second + 1);
  if (controllers == ",") {
    add(mounts, path, false, cgroups);
    add(mounts / "unified", path, false, cgroups);
  } else if (controllers.find("memory,") != std::string::npos) {
    add(mounts / "memory", path, true, cgroups);
  }
}

}  // namespace

std::vector<MemoryCgroup> memory_cgroups(const fs::path& root) {
  std::vector<MemoryCgroup> cgroups;
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) add_those_of(line, root / "sys/fs/cgroup", cgroups);
  return cgroups;
}

}  // namespace workers
