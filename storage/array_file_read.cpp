// Our number types over the checks of hdf5_checked.hpp.
#include "storage/array_file_read.hpp"

#include "storage/hdf5_checked.hpp"
#include "storage/hdf5_handle.hpp"

namespace storage {

struct CheckedArrays::Open {
  Open(const std::filesystem::path& name, const std::string& kind) : file(name, kind) {}
  QuietHdf5 quiet;  // before the file: nothing of HDF5 is called without one
  CheckedHdf5 file;

  template <typename T>
  std::vector<T> read(const std::string& path, hid_t type, const Sizes& sizes) const {
    return file.numbers<T>(path, type, {sizes.begin(), sizes.end()});
  }
};

CheckedArrays::CheckedArrays(const std::filesystem::path& file, const std::string& kind)
    : open_(std::make_unique<Open>(file, kind)) {}
CheckedArrays::~CheckedArrays() = default;

bool CheckedArrays::has_attribute(const char* name) const {
  return open_->file.has_attribute(name);
}

std::string CheckedArrays::text_attribute(const char* name) const {
  return open_->file.text_attribute(name);
}

std::int64_t CheckedArrays::whole_attribute(const char* name) const {
  return open_->file.whole_attribute(name);
}

double CheckedArrays::number_attribute(const char* name) const {
  return open_->file.number_attribute(name);
}

CheckedArrays::Sizes CheckedArrays::sizes(const std::string& path) const {
  const std::vector<hsize_t> sizes = open_->file.sizes(open_->file.dataset(path), path);
  return {sizes.begin(), sizes.end()};
}

std::vector<float> CheckedArrays::reals(const std::string& path, const Sizes& sizes) const {
  return open_->read<float>(path, H5T_IEEE_F32LE, sizes);
}

std::vector<double> CheckedArrays::numbers(const std::string& path, const Sizes& sizes) const {
  return open_->read<double>(path, H5T_IEEE_F64LE, sizes);
}

std::vector<std::int64_t> CheckedArrays::wholes(const std::string& path, const Sizes& sizes) const {
  return open_->read<std::int64_t>(path, H5T_STD_I64LE, sizes);
}

std::vector<std::string> CheckedArrays::texts(const std::string& path) const {
  return open_->file.texts(path);
}

void CheckedArrays::damaged(const std::string& what) const {
  open_->file.damaged(what);
}

}  // namespace storage
