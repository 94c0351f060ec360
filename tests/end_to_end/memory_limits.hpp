// Limits of memory, for processes that shall run into them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/end_to_end/tiny_sweep.hpp"

namespace tests {

/// Runs the sweep and gives the most bytes that a line of /proc/PID/status has said of its processes, e.g. "VmPeak:".
std::int64_t peak_of_processes(const TinySweep& sweep, const std::string& line);

/// A memory cgroup of version 1 or 2 beside that of this process, removed with the test.
class MemoryGroup {
 public:
  explicit MemoryGroup(std::int64_t most_bytes);
  ~MemoryGroup();
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;
  /// Why there is none; "" where there is.
  const std::string& why_not() const { return why_not_; }
  /// The command, started inside it.
  std::vector<std::string> inside(std::vector<std::string> command) const;

 private:
  std::filesystem::path folder_;
  std::string why_not_;
};

}  // namespace tests
