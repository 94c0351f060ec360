// Two ways to have no room left on a disk. Test-only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace storage_test {

/// While one lives, files of this process cannot grow beyond `bytes` (writing fails with EFBIG). Needs no rights.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::size_t bytes);
  ~FileSizeLimit();
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  unsigned long soft_;
  void (*handler_)(int);
};

/// Runs `action` in a child process in which `folder` is a file system of its own with `bytes` bytes, and returns its
/// text. Nothing where the system lets no such file system be mounted, neither as root nor in a user namespace.
std::optional<std::string> on_small_disk(const std::filesystem::path& folder, std::size_t bytes,
                                         const std::function<std::string()>& action);

}  // namespace storage_test
