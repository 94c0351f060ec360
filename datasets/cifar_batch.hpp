// One file of CIFAR-10 or CIFAR-100, in either of its official layouts, checked whole. Knows nothing of the other
// files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace datasets {

/// One of a record's labels.
struct CifarLabel {
  std::string_view key;            ///< of its list in the Python layout: "coarse_labels"
  std::string_view name;           ///< for messages: "coarse label"
  std::vector<std::string> names;  ///< of its values
};

/// What is in a record. The first label is the class.
struct CifarFormat {
  std::string_view name;  ///< "CIFAR-100"
  std::vector<CifarLabel> labels;
  std::vector<std::uint8_t> class_of;  ///< of each value of the second label; empty where there is none
  std::size_t row_bytes = 3 * 32 * 32;
};

struct CifarBatch {
  std::vector<std::uint8_t> classes;  ///< of each record
  /// Record i's planes (red, green, blue) are the format's row_bytes from first + i * stride.
  std::string bytes;
  std::size_t first = 0;
  std::size_t stride = 0;

  const char* row(std::size_t i) const { return bytes.data() + first + i * stride; }
};

/// Reads a file of `records` records: one byte a label, then the row, and so on. Throws UsageError naming the file and
/// what is wrong with it: its size, or the record of a label that is out of range or contradicts the record's other.
CifarBatch read_binary_batch(const std::filesystem::path& file, const CifarFormat& format, std::size_t records);

/// The same for a pickled dictionary of "data" (numpy uint8 [records, row_bytes]) and a list for each label, as Python
/// wrote it (storage/numpy_pickle.hpp); its other entries are passed over. Nothing in it is run.
CifarBatch read_python_batch(const std::filesystem::path& file, const CifarFormat& format, std::size_t records);

/// The same for its bytes. Throws storage::Error "<origin>: ...".
CifarBatch parse_python_batch(std::string bytes, const std::string& origin, const CifarFormat& format,
                              std::size_t records);

/// Checks a record's labels, which may be any number, and gives the class. Throws storage::Error "<origin>: ...".
std::uint8_t checked_class(const std::vector<std::int64_t>& labels, const CifarFormat& format, std::size_t record,
                           const std::string& origin);

}  // namespace datasets
