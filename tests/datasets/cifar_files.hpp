// Files of CIFAR at full size that take little room on a disk: all pixels are 0 and lie in a hole, but for those that a
// test puts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace datasets_test {

inline constexpr std::size_t kCifarRow = 3072;

/// A record's place in a file, for put().
struct CifarFile {
  std::filesystem::path path;
  std::size_t first = 0;   ///< of row 0
  std::size_t stride = 0;  ///< from row to row; the labels lie before each row in the binary layout
};

/// Binary layout: `label_count` bytes, all 0, before each row.
CifarFile make_binary_batch(const std::filesystem::path& file, std::size_t records, std::size_t label_count);

/// Python layout, as Python 2 wrote it: "data" and lists of labels, by key.
using LabelLists = std::vector<std::pair<std::string, std::vector<std::uint8_t>>>;
CifarFile make_python_batch(const std::filesystem::path& file, std::size_t records, const LabelLists& labels);

/// Sets byte `offset` of a row; before the row's begin lie, in the binary layout, its labels: -1 is the last.
void put(const CifarFile& file, std::size_t record, std::ptrdiff_t offset, std::uint8_t byte);

}  // namespace datasets_test
