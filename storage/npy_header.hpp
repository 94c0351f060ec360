// The header of a .npy file: a Python literal, read by its grammar and never evaluated. Private to this folder and its
// tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace storage {

struct NpyHeader {
  std::string type;  ///< "descr", e.g. "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t data_offset = 0;  ///< bytes from the beginning of the file
};

/// The longest header that is read; numpy writes some 120 bytes.
inline constexpr std::size_t kLongestNpyHeader = std::size_t{1} << 16;

/// `bytes` are the beginning of the file, all of it or at least 12 + kLongestNpyHeader bytes. Throws UsageError
/// "<origin>: ..." for what is no .npy file, of an unknown version or damaged. Sizes are not negative and not checked
/// against the file.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& origin);

}  // namespace storage
