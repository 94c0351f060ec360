// What the kernel counts of this process's reading.
#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

namespace tests {

/// Bytes that all threads of this process have read with system calls so far.
inline long bytes_read() {
  std::ifstream io("/proc/self/io");
  std::string key;
  long bytes = 0;
  if (io >> key >> bytes && key == "rchar:") return bytes;
  throw std::runtime_error("/proc/self/io does not say how much was read");
}

}  // namespace tests
