// Implements texts and attributes over HDF5's C API.
#include "storage/hdf5_text.hpp"

#include <algorithm>
#include <utility>

namespace storage {
namespace {

const std::string kWriting = "cannot write";

}  // namespace

Hdf5Handle text_type(const std::filesystem::path& target, std::size_t length) {
  Hdf5Handle type = check_hdf5(H5Tcopy(H5T_C_S1), H5Tclose, target, kWriting);
  check_hdf5(H5Tset_size(type.get(), std::max<std::size_t>(length, 1)), target, kWriting);
  const H5T_str_t end = length == H5T_VARIABLE ? H5T_STR_NULLTERM : H5T_STR_NULLPAD;
  check_hdf5(H5Tset_strpad(type.get(), end), target, kWriting);
  check_hdf5(H5Tset_cset(type.get(), H5T_CSET_UTF8), target, kWriting);
  return type;
}

void write_attribute(const std::filesystem::path& target, hid_t object, const std::string& name, hid_t type,
                     const void* value) {
  const Hdf5Handle space = check_hdf5(H5Screate(H5S_SCALAR), H5Sclose, target, kWriting);
  const hid_t id = H5Acreate2(object, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT);
  const Hdf5Handle attribute = check_hdf5(id, H5Aclose, target, kWriting);
  check_hdf5(H5Awrite(attribute.get(), type, value), target, kWriting);
}

void write_text_attribute(const std::filesystem::path& target, hid_t object, const std::string& name,
                          std::string text) {
  const Hdf5Handle type = text_type(target, text.size());
  text.resize(std::max<std::size_t>(text.size(), 1));
  write_attribute(target, object, name, type.get(), text.data());
}

}  // namespace storage
