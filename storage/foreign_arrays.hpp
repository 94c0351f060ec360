// Arrays that another program wrote: a matrix of numbers whose rows are read as float32, labels, and class names. One
// interface for .npy files and for data sets of an HDF5 file. Nothing in such a file is run, and nothing of it is
// believed before it has been checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace storage {

/// Limits that no array of features comes near to; what is beyond them is a mistake or damage.
inline constexpr std::int64_t kMostArrayRows = 100'000'000;
inline constexpr std::int64_t kLongestArrayRow = std::int64_t{1} << 20;
inline constexpr std::size_t kLongestLabel = 1024;  ///< bytes of a label's text

/// [N, L] numbers in a file. Reading keeps no more than the rows asked for.
class Matrix {
 public:
  virtual ~Matrix() = default;
  virtual std::int64_t row_count() const = 0;   ///< N, 0..kMostArrayRows
  virtual std::int64_t row_length() const = 0;  ///< L, 1..kLongestArrayRow
  /// Rows [first, first + count) one after another as float32, whatever floating type the file has; a number too large
  /// for float32 becomes infinite. Throws Error naming the file where it can no longer be read.
  virtual std::vector<float> read(std::int64_t first, std::int64_t count) const = 0;
  /// What messages call it, e.g. "train.npy" or "features.h5: train/features", after its folder.
  virtual const std::string& origin() const = 0;
};

/// One label a row, as written: whole numbers or texts.
struct Labels {
  bool are_texts = false;
  std::vector<std::int64_t> numbers;
  std::vector<std::string> texts;
  std::size_t size() const { return are_texts ? texts.size() : numbers.size(); }
};

/// A .npy file (format 1 to 3, little-endian, C order): float16, float32 or float64 [N, L]; whole numbers or
/// fixed-length strings [N]. Object arrays are pickles and are refused. Throw UsageError naming the file, what is wrong
/// and what to write in numpy instead; Error where a file cannot be read.
std::unique_ptr<Matrix> open_npy_matrix(const std::filesystem::path& file);
Labels read_npy_labels(const std::filesystem::path& file);

/// Whether a file holds HDF5, by its signature. Throws Error naming a file that may not be read.
bool is_hdf5(const std::filesystem::path& file);

/// An HDF5 file. Data sets are contiguous or chunked, plain or compressed with deflate (gzip), shuffle and Fletcher-32;
/// links, external and virtual storage and other filters are refused: they would read other files or run other code.
class Hdf5Arrays {
 public:
  /// Throws UsageError naming a file that is missing, no HDF5 or damaged.
  explicit Hdf5Arrays(const std::filesystem::path& file);
  ~Hdf5Arrays();
  Hdf5Arrays(const Hdf5Arrays&) = delete;
  Hdf5Arrays& operator=(const Hdf5Arrays&) = delete;

  bool has(const std::string& path) const;
  /// `path` as in "train/features". Floating numbers of 16, 32 or 64 bits, [N, L]. Throws UsageError. The matrix must
  /// not outlive this object.
  std::unique_ptr<Matrix> matrix(const std::string& path) const;
  /// Whole numbers or strings, [N]. Throws UsageError.
  Labels labels(const std::string& path) const;

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace storage
