// HDF5's C API made safe to leave by exception: handles that close themselves, errors as one line, nothing printed.
// Knows nothing of features. Only this folder may include it.
#pragma once

#include <hdf5.h>

#include <filesystem>
#include <string>
#include <utility>

#if H5_VERSION_GE(1, 10, 7) == 0
#error "HDF5 1.10.7 or newer is needed (H5Pset_file_locking)"
#endif

namespace storage {

/// While one lives, HDF5 keeps its error stack to itself instead of printing it (per thread). The first call of HDF5 in
/// a process should be under one.
class QuietHdf5 {
 public:
  QuietHdf5();
  ~QuietHdf5();
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

/// An identifier with the function that closes it.
class Hdf5Handle {
 public:
  using Closer = herr_t (*)(hid_t);
  Hdf5Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  ~Hdf5Handle() { close(); }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), closer_(other.closer_) {}
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  hid_t get() const { return id_; }
  /// Takes another identifier of the same kind; the old one is closed.
  void reset(hid_t id) {
    close();
    id_ = id;
  }
  /// Negative where closing failed; closed already: 0.
  herr_t close() { return id_ < 0 ? 0 : closer_(std::exchange(id_, H5I_INVALID_HID)); }

 private:
  hid_t id_;
  Closer closer_;
};

/// Throws Error "<file>: <doing>: <the innermost reason of HDF5's error stack, on one line>".
[[noreturn]] void fail_with_hdf5(const std::filesystem::path& file, const std::string& doing);

/// Passes on what an HDF5 function returned; negative means failure.
template <typename Status>
Status check_hdf5(Status status, const std::filesystem::path& file, const std::string& doing) {
  if (status < 0) fail_with_hdf5(file, doing);
  return status;
}
inline Hdf5Handle check_hdf5(hid_t id, Hdf5Handle::Closer closer, const std::filesystem::path& file,
                             const std::string& doing) {
  return Hdf5Handle(check_hdf5(id, file, doing), closer);
}

/// How every file of ours is opened: format of HDF5 1.10 (a file that was not closed is then refused instead of read as
/// if complete), no locks (sealed files need none, and parallel file systems often refuse them), leaked handles are
/// errors.
Hdf5Handle file_access(const std::filesystem::path& file);

}  // namespace storage
