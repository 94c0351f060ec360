// An HDF5 file of plain named arrays, for other people's programs: `h5py.File(f)["epochs/auc"][:]` is all that a reader
// needs. Each is contiguous, so that a file of any size is written in one pass, in the memory of one piece. Must not
// know what the arrays mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace storage {

class ReplacingFile;

/// A text of fixed length: bytes to h5py, where a std::string is its `str`, but with HDF5's own checksum, so that a
/// reader who trusts nothing can read it (CheckedArrays).
struct FixedText {
  std::string text;
};

/// By name, in the order given; numbers are int64 or float64.
using ArrayAttributes = std::vector<std::pair<std::string, std::variant<std::string, std::int64_t, double, FixedText>>>;

enum class ArrayType {
  numbers,  ///< float64; NaN where there is none
  wholes,   ///< int64
  texts,    ///< UTF-8 of one length, filled up with zero bytes
  reals,    ///< float32
};

/// Takes the values of one array, one after the other, in its order. Each throws std::logic_error for a value of
/// another type, one too many, or a text that is longer than was announced.
class ArrayValues {
 public:
  void number(double value);
  void whole(std::int64_t value);
  void text(std::string_view value);
  void reals(std::span<const float> values);

 private:
  friend class ArrayWriter;
  ArrayValues(ArrayType type, std::uint64_t length, std::size_t value_bytes, ReplacingFile& file);
  void take(ArrayType type, const void* bytes, std::size_t count);
  void hand_on();

  ArrayType type_;
  std::uint64_t left_;
  std::size_t value_bytes_;
  ReplacingFile& file_;
  std::string piece_;
};

/// One array of one dimension, or a matrix.
struct NamedArray {
  std::string path;  ///< "epochs/auc": an array of a group (which may lie in another), or of none
  ArrayType type = ArrayType::numbers;
  std::uint64_t length = 0;    ///< values; of a matrix rows times row_length
  std::size_t text_bytes = 0;  ///< texts: of the longest
  ArrayAttributes attributes = {};
  std::function<void(ArrayValues&)> values;      ///< gives all `length` of them
  std::optional<std::uint64_t> row_length = {};  ///< of a matrix, which is [rows, row_length]
  std::uint64_t rows = 0;                        ///< of a matrix
};

/// Replaces `target` by a file of these arrays, whole or not at all (atomic_file.hpp); the same arrays make the same
/// bytes. Makes missing parent folders. Throws Error naming `target`, DiskFull where no room is left, and
/// std::logic_error where an array gives fewer or more values than it announced.
void write_arrays(const std::filesystem::path& target, const ArrayAttributes& attributes,
                  const std::vector<NamedArray>& arrays);

}  // namespace storage
