// An HDF5 file of ours, read and not believed: types, layout and sizes are checked before memory is taken. Knows no
// layout. Private to this folder.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "storage/hdf5_handle.hpp"

namespace storage {

/// An attribute's or an id's longest text, so that no damaged size is believed.
inline constexpr std::size_t kMostTextBytes = std::size_t{1} << 16;

/// An open file: every function throws Error naming it. Whoever makes one keeps a QuietHdf5 beside it. Paths are as in
/// "best/normal/features"; each piece must lie in this very file.
class CheckedHdf5 {
 public:
  /// `kind`: what messages call such a file, "feature file".
  CheckedHdf5(const std::filesystem::path& file, std::string kind);

  bool has_attribute(const char* name) const;
  std::string text_attribute(const char* name) const;
  std::int32_t short_attribute(const char* name) const;
  std::int64_t whole_attribute(const char* name) const;
  double number_attribute(const char* name) const;

  bool has(const std::string& path) const;
  /// A data set in plain, complete, contiguous storage.
  Hdf5Handle dataset(const std::string& path) const;
  std::vector<hsize_t> sizes(const Hdf5Handle& dataset, const std::string& path) const;
  void check_rank(const std::vector<hsize_t>& extent, std::size_t rank, const std::string& path) const;
  template <typename T>
  std::vector<T> numbers(const std::string& path, hid_t type, const std::vector<hsize_t>& expected) const;
  std::vector<std::string> texts(const std::string& path) const;

  [[noreturn]] void damaged(const std::string& what) const;
  template <typename Status>
  Status check(Status status, const std::string& doing) const {
    return check_hdf5(status, file_, doing);
  }
  const std::filesystem::path& file() const { return file_; }

 private:
  Hdf5Handle open() const;
  std::uintmax_t size_of_file() const;
  Hdf5Handle attribute(const char* name) const;
  void read_attribute(const char* name, hid_t type, const char* type_name, void* value) const;
  Hdf5Handle string_type(Hdf5Handle type, const std::string& name) const;
  void check_link(const std::string& path) const;
  void check_storage(const Hdf5Handle& dataset, const std::string& path) const;

  std::filesystem::path file_;
  std::string kind_;
  std::uintmax_t bytes_;
  Hdf5Handle id_;
};

}  // namespace storage
