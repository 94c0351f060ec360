// Texts and attributes in HDF5 files of ours. Private to this folder.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "storage/hdf5_handle.hpp"

namespace storage {

/// A fixed-length, zero-padded UTF-8 string type of `length` bytes, at least 1; or H5T_VARIABLE. `target` is what
/// messages call the file.
Hdf5Handle text_type(const std::filesystem::path& target, std::size_t length);

/// Scalar attributes of `object`, a file or a data set.
void write_attribute(const std::filesystem::path& target, hid_t object, const std::string& name, hid_t type,
                     const void* value);
void write_text_attribute(const std::filesystem::path& target, hid_t object, const std::string& name, std::string text);

}  // namespace storage
