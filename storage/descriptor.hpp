// A POSIX file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <utility>

namespace storage {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  /// What close() returned, with errno set: NFS reports a full disk only here. Closed already: 0.
  int close() { return fd_ < 0 ? 0 : ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

/// Opened to be read from its beginning. Throws Error naming a file that cannot be opened, and what is no plain file: a
/// pipe or a device could keep its reader waiting, or give bytes, for ever.
Descriptor open_plain_file(const std::filesystem::path& file);

}  // namespace storage
