// Reads what array_file.hpp writes, and believes nothing in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace storage {

/// A file of named arrays of ours, open to be read. Every function throws Error naming the file and what is wrong: not
/// there, damaged, of another type or size, a link, not contiguous, in another file, filtered. Sizes are held against
/// the file's before memory is asked for; whether the values are those that were written is for the caller's checksum.
class CheckedArrays {
 public:
  /// `kind`: what messages call such a file, "dump".
  CheckedArrays(const std::filesystem::path& file, const std::string& kind);
  ~CheckedArrays();
  CheckedArrays(const CheckedArrays&) = delete;
  CheckedArrays& operator=(const CheckedArrays&) = delete;

  bool has_attribute(const char* name) const;
  std::string text_attribute(const char* name) const;  ///< a FixedText
  std::int64_t whole_attribute(const char* name) const;
  double number_attribute(const char* name) const;

  using Sizes = std::vector<std::uint64_t>;
  Sizes sizes(const std::string& path) const;
  // Of exactly these sizes, one after another in their order.
  std::vector<float> reals(const std::string& path, const Sizes& sizes) const;
  std::vector<double> numbers(const std::string& path, const Sizes& sizes) const;
  std::vector<std::int64_t> wholes(const std::string& path, const Sizes& sizes) const;
  std::vector<std::string> texts(const std::string& path) const;

  /// Throws the Error of a damaged file.
  [[noreturn]] void damaged(const std::string& what) const;

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

}  // namespace storage
