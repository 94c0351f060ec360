// An HDF5 file that is built in memory. HDF5 1.10 does not survive a failed write to disk: the file can no longer be
// closed, and the library loops at exit. So it never writes to one; our own code puts the bytes there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

#include "storage/hdf5_handle.hpp"

namespace storage {

class Hdf5MemoryFile {
 public:
  /// `target` is what messages call the file.
  explicit Hdf5MemoryFile(const std::filesystem::path& target);
  Hdf5MemoryFile(const Hdf5MemoryFile&) = delete;
  Hdf5MemoryFile& operator=(const Hdf5MemoryFile&) = delete;

  hid_t id() const { return file_.get(); }
  /// Closes the file and gives its bytes, which live as long as this object. All other handles must be closed.
  std::string_view close();

 private:
  struct Buffer;
  std::filesystem::path target_;
  std::shared_ptr<Buffer> buffer_;  // before file_: HDF5 uses it until the file is closed
  Hdf5Handle file_;
};

}  // namespace storage
