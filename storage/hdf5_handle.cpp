// Implements the error and access side of HDF5's C API. Knows nothing of features.
#include "storage/hdf5_handle.hpp"

#include "storage/error.hpp"

namespace storage {
namespace {

/// Called from the innermost record outwards: keeps the first that says something.
herr_t keep_first(unsigned /*n*/, const H5E_error2_t* record, void* reason) {
  auto& text = *static_cast<std::string*>(reason);
  if (text.empty() && record->desc != nullptr) text = record->desc;
  return 0;
}

/// Of "file write failed: time = ..., errno = 28, error message = 'No space left on device', buf = ..." only the
/// message.
std::string shortened(const std::string& reason) {
  const std::string mark = "error message = '";
  const std::size_t begin = reason.find(mark);
  if (begin != std::string::npos) {
    const std::size_t end = reason.find('\'', begin + mark.size());
    if (end != std::string::npos) return reason.substr(begin + mark.size(), end - begin - mark.size());
  }
  std::string line = reason;
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return line;
}

}  // namespace

QuietHdf5::QuietHdf5() {
  // After a damaged file 1.10 cannot clean up at exit and prints "infinite loop closing library". Nothing needs that
  // clean-up: files are read only, or in memory.
  [[maybe_unused]] static const herr_t no_cleanup = H5dont_atexit();
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() {
  H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
}

void fail_with_hdf5(const std::filesystem::path& file, const std::string& doing) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &reason);
  throw Error(file.string() + ": " + doing + (reason.empty() ? "" : ": " + shortened(reason)));
}

Hdf5Handle file_access(const std::filesystem::path& file) {
  const std::string doing = "cannot set up HDF5";
  Hdf5Handle access = check_hdf5(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, file, doing);
  check_hdf5(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), file, doing);
  check_hdf5(H5Pset_fclose_degree(access.get(), H5F_CLOSE_SEMI), file, doing);
  check_hdf5(H5Pset_file_locking(access.get(), false, true), file, doing);
  return access;
}

}  // namespace storage
