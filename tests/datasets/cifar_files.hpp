// Files of CIFAR at full size that take little room on a disk: all pixels are 0 and lie in a hole, but for those that a
// test puts.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace datasets_test {

inline constexpr std::size_t kCifarRow = 3072;

/// CIFAR-100: the superclass of each fine label, from 0 (apple: fruit_and_vegetables) to 99 (worm:
/// non-insect_invertebrates).
inline constexpr std::array<std::uint8_t, 100> kCoarseOfFine = {
    4,  1,  14, 8,  0,  6,  7,  7, 18, 3,  3,  14, 9, 18, 7,  11, 3,  9, 7,  11, 6,  11, 5,  10, 7,
    6,  13, 15, 3,  15, 0,  11, 1, 10, 12, 14, 16, 9, 11, 5,  5,  19, 8, 8,  15, 13, 14, 17, 18, 10,
    16, 4,  17, 4,  2,  0,  17, 4, 18, 17, 10, 3,  2, 12, 12, 16, 12, 1, 9,  19, 2,  10, 0,  1,  16,
    12, 9,  13, 15, 13, 16, 19, 2, 4,  6,  19, 5,  5, 8,  19, 18, 1,  2, 15, 6,  0,  17, 8,  14, 13};

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
