// Makes memory cgroups by their files, version 1 or 2.
#include "tests/end_to_end/memory_limits.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace tests {
namespace {

namespace fs = std::filesystem;

std::int64_t bytes_in_status(pid_t pid, const std::string& line) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; file >> word;) {
    std::int64_t kilobytes = 0;
    if (word == line && file >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

/// Where groups can be made: that of this process, or the mount's root where a container does not show it.
std::vector<fs::path> parents() {
  std::vector<fs::path> found;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const auto path = line.substr(second + 1);
    if (controllers.find(",memory,") != std::string::npos) {
      found.push_back("/sys/fs/cgroup/memory" + path);
      found.push_back("/sys/fs/cgroup/memory");
    } else if (controllers == ",,") {
      found.push_back("/sys/fs/cgroup" + path);
      found.push_back("/sys/fs/cgroup");
    }
  }
  return found;
}

bool write(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  return static_cast<bool>(out << text << std::flush);
}

/// Version 1, or version 2 with the memory controller given to its children.
bool limit(const fs::path& group, std::int64_t most_bytes) {
  const auto bytes = std::to_string(most_bytes);
  if (fs::exists(group / "memory.limit_in_bytes")) {
    return write(group / "memory.limit_in_bytes", bytes);
  }
  return write(group / "memory.max", bytes) &&
         (!fs::exists(group / "memory.swap.max") || write(group / "memory.swap.max", "0"));
}

}  // namespace

std::int64_t peak_of_processes(const TinySweep& sweep, const std::string& line) {
  std::int64_t most = 0;
  Running run(sweep.command({"--only", "class=ring"}), sweep.folder());
  const auto ended = run.until([&] {
    auto processes = children_of(run.pid());
    processes.push_back(run.pid());
    for (const pid_t process : processes) most = std::max(most, bytes_in_status(process, line));
    return sweep.committed() == 2;
  });
  EXPECT_TRUE(ended);
  EXPECT_EQ(run.wait().status, 0);
  return most;
}

MemoryGroup::MemoryGroup(std::int64_t most_bytes) {
  why_not_ = "no memory cgroup is mounted";
  for (const fs::path& parent : parents()) {
    const auto group = parent / ("plume-test-" + std::to_string(getpid()));
    std::error_code error;
    if (!fs::create_directory(group, error)) {
      why_not_ = group.string() + ": " + error.message();
      continue;
    }
    if (limit(group, most_bytes)) {
      folder_ = group;
      why_not_.clear();
      return;
    }
    why_not_ = group.string() + ": no limit can be set: " + std::strerror(errno);
    fs::remove(group, error);
  }
}

MemoryGroup::~MemoryGroup() {
  if (!folder_.empty()) rmdir(folder_.c_str());
}

std::vector<std::string> MemoryGroup::inside(std::vector<std::string> command) const {
  command.insert(command.begin(), {"bash", "-c", "echo $$ > \"$0/cgroup.procs\" && exec \"$@\"", folder_.string()});
  return command;
}

}  // namespace tests
