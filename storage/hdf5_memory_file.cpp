// Implements the memory file by HDF5's "core" driver and its file image callbacks, which leave us the bytes after the
// file was closed. (H5Fget_file_image would give them before, with a superblock whose checksum is wrong in 1.10.8.)
#include "storage/hdf5_memory_file.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "storage/atomic_file.hpp"

namespace storage {

struct Hdf5MemoryFile::Buffer {
  void* bytes = nullptr;
  std::size_t size = 0;
  ~Buffer() { std::free(bytes); }

  static void* allocate(std::size_t size, H5FD_file_image_op_t /*operation*/, void* self) {
    std::free(std::exchange(static_cast<Buffer*>(self)->bytes, nullptr));
    return reallocate(nullptr, size, H5FD_FILE_IMAGE_OP_FILE_RESIZE, self);
  }
  static void* copy(void* to, const void* from, std::size_t size, H5FD_file_image_op_t /*operation*/, void* /*self*/) {
    return std::memcpy(to, from, size);
  }
  static void* reallocate(void* bytes, std::size_t size, H5FD_file_image_op_t /*operation*/, void* self) {
    auto& buffer = *static_cast<Buffer*>(self);
    void* grown = std::realloc(bytes, size);
    if (grown == nullptr) return nullptr;
    buffer.bytes = grown;
    buffer.size = size;
    return grown;
  }
  /// HDF5 gives the bytes back when it closes the file: that is when we want them.
  static herr_t keep(void* /*bytes*/, H5FD_file_image_op_t /*operation*/, void* /*self*/) { return 0; }
  static void* share(void* self) { return self; }
  static herr_t unshare(void* /*self*/) { return 0; }
};

namespace {

/// The core driver on top of how every file of ours is opened.
Hdf5Handle memory_access(const std::filesystem::path& target, H5FD_file_image_callbacks_t& callbacks) {
  const std::string doing = "cannot set up HDF5";
  Hdf5Handle access = file_access(target);
  // Grown by single bytes and without reserves, the buffer is exactly the file.
  check_hdf5(H5Pset_fapl_core(access.get(), 1, false), target, doing);
  check_hdf5(H5Pset_meta_block_size(access.get(), 0), target, doing);
  check_hdf5(H5Pset_small_data_block_size(access.get(), 0), target, doing);
  check_hdf5(H5Pset_file_image_callbacks(access.get(), &callbacks), target, doing);
  return access;
}

}  // namespace

Hdf5MemoryFile::Hdf5MemoryFile(const std::filesystem::path& target)
    : target_(target), buffer_(std::make_shared<Buffer>()), file_(H5I_INVALID_HID, H5Fclose) {
  H5FD_file_image_callbacks_t callbacks{Buffer::allocate, Buffer::copy,    Buffer::reallocate, Buffer::keep,
                                        Buffer::share,    Buffer::unshare, buffer_.get()};
  const Hdf5Handle access = memory_access(target, callbacks);
  // The core driver never writes this name, but would first read a file that has it.
  const std::filesystem::path name = temporary_beside(target);
  // Without the root group's times: the same table is the same bytes, whenever it is written.
  const Hdf5Handle how = check_hdf5(H5Pcreate(H5P_FILE_CREATE), H5Pclose, target, "cannot create in memory");
  check_hdf5(H5Pset_obj_track_times(how.get(), 0), target, "cannot create in memory");
  const hid_t id = H5Fcreate(name.c_str(), H5F_ACC_EXCL, how.get(), access.get());
  file_.reset(check_hdf5(id, target, "cannot create in memory"));
}

std::string_view Hdf5MemoryFile::close() {
  check_hdf5(file_.close(), target_, "cannot complete in memory");
  return {static_cast<const char*>(buffer_->bytes), buffer_->size};
}

}  // namespace storage
