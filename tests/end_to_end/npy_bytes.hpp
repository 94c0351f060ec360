// The bytes of a .npy file, for tests that bring features of their own.
#pragma once

#include <string>

namespace tests {

/// `type` and `shape` as numpy writes them, e.g. "<f4" and "(3, 2)"; together below 200 characters.
inline std::string npy(const std::string& type, const std::string& shape, const std::string& data) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + data;
}

}  // namespace tests
