// Implements whole-or-nothing files over POSIX. Must not know what is in them.
#include "storage/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "storage/descriptor.hpp"
#include "storage/error.hpp"
#include "storage/machine.hpp"

namespace storage {
namespace {

namespace fs = std::filesystem;

/// The host's name as a part of a file name, which has 255 bytes at most.
std::string host_in_file_names() {
  std::string host = host_name();
  std::replace(host.begin(), host.end(), '/', '_');
  return host.substr(0, 64);
}

/// Removes a temporary unless told to keep it, whatever way its scope is left.
class RemoveAtEnd {
 public:
  explicit RemoveAtEnd(fs::path file) : file_(std::move(file)) {}
  ~RemoveAtEnd() {
    if (!file_.empty()) ::unlink(file_.c_str());
  }
  RemoveAtEnd(const RemoveAtEnd&) = delete;
  RemoveAtEnd& operator=(const RemoveAtEnd&) = delete;
  void keep() { file_.clear(); }

 private:
  fs::path file_;
};

void write_all(int fd, std::string_view bytes, const fs::path& target) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_with_errno(target, "cannot write", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void sync_file(const fs::path& file, const fs::path& target) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) fail_with_errno(target, "cannot open its temporary " + file.filename().string(), errno);
  if (::fsync(fd.get()) != 0) fail_with_errno(target, "cannot write to disk", errno);
}

/// Makes a rename durable. Some file systems cannot fsync a folder (EINVAL): there is nothing more to be done there.
void sync_folder_of(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0) fail_with_errno(folder, "cannot open the folder", errno);
  if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EBADF) {
    fail_with_errno(folder, "cannot write the folder to disk", errno);
  }
}

bool same_inode(const fs::path& a, const fs::path& b) {
  struct stat first {};
  struct stat second {};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

/// Gives `temporary` the name `target` too, only if that is free. Hard links work over NFS, where RENAME_NOREPLACE does
/// not; file systems without hard links (FAT, some FUSE) get the rename; those with neither a look and a plain rename.
bool claim_name(const fs::path& temporary, const fs::path& target) {
  if (::link(temporary.c_str(), target.c_str()) == 0) return true;
  // NFS may repeat a request whose answer was lost: then the name is taken, but by us.
  if (errno == EEXIST) return same_inode(temporary, target);
  if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS && errno != EMLINK) {
    fail_with_errno(target, "cannot give the file its name", errno);
  }
  if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  struct stat there {};
  if (::lstat(target.c_str(), &there) == 0) return false;
  if (::rename(temporary.c_str(), target.c_str()) != 0) fail_with_errno(target, "cannot give the file its name", errno);
  return true;
}

/// A new file beside `target`. A name may be left over from a dead process with the same id (containers): take the
/// next.
Descriptor create_temporary(const fs::path& target, fs::path& temporary) {
  for (int attempt = 0;; ++attempt) {
    temporary = temporary_beside(target);
    Descriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd.get() >= 0) return fd;
    if (errno != EEXIST || attempt == 1000) fail_with_errno(target, "cannot create a file beside it", errno);
  }
}

}  // namespace

void fail_with_errno(const fs::path& file, const std::string& doing, int error_number) {
  const std::string what = file.string() + ": " + doing + ": " + std::system_category().message(error_number);
  if (error_number == ENOSPC || error_number == EDQUOT) {
    throw DiskFull(what + "; make room there, then the same command goes on");
  }
  throw Error(what);
}

const std::string& temporary_mark() {
  static const std::string mark = ".tmp." + host_in_file_names();
  return mark;
}

fs::path temporary_beside(const fs::path& target) {
  static std::atomic<unsigned> next{0};
  fs::path temporary = target;
  temporary += temporary_mark() + "." + std::to_string(::getpid()) + "." + std::to_string(next++);
  return temporary;
}

void make_parent_folders(const fs::path& target) {
  if (!target.has_parent_path()) return;
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (error) fail_with_errno(target.parent_path(), "cannot make this folder", error.value());
}

ReplacingFile::ReplacingFile(fs::path target) : target_(std::move(target)) {
  make_parent_folders(target_);
  descriptor_ = create_temporary(target_, temporary_);
}

ReplacingFile::~ReplacingFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void ReplacingFile::append(std::string_view bytes) {
  write_all(descriptor_.get(), bytes, target_);
}

void ReplacingFile::sync() {
  if (::fdatasync(descriptor_.get()) != 0) fail_with_errno(target_, "cannot write to disk", errno);
}

void ReplacingFile::publish() {
  if (descriptor_.close() != 0) fail_with_errno(target_, "cannot write", errno);
  publish_over(std::exchange(temporary_, {}), target_);
}

fs::path write_temporary(const fs::path& target, std::string_view bytes) {
  make_parent_folders(target);
  fs::path temporary;
  Descriptor fd = create_temporary(target, temporary);
  RemoveAtEnd remove(temporary);
  write_all(fd.get(), bytes, target);
  if (fd.close() != 0) fail_with_errno(target, "cannot write", errno);
  remove.keep();
  return temporary;
}

void write_atomically(const fs::path& target, std::string_view bytes) {
  publish_over(write_temporary(target, bytes), target);
}

bool replace_view(const fs::path& target, std::string_view bytes) noexcept {
  try {
    const fs::path temporary = write_temporary(target, bytes);
    if (::rename(temporary.c_str(), target.c_str()) == 0) return true;
    ::unlink(temporary.c_str());
  } catch (const std::exception&) {  // a full disk, most likely
  }
  return false;
}

Publish publish_first(const fs::path& temporary, const fs::path& target) {
  const RemoveAtEnd remove(temporary);  // after a link, the second name; after a loss, the file
  sync_file(temporary, target);
  if (!claim_name(temporary, target)) return Publish::lost;
  sync_folder_of(target);
  return Publish::won;
}

void publish_over(const fs::path& temporary, const fs::path& target) {
  RemoveAtEnd remove(temporary);
  sync_file(temporary, target);
  if (::rename(temporary.c_str(), target.c_str()) != 0) fail_with_errno(target, "cannot replace", errno);
  remove.keep();
  sync_folder_of(target);
}

std::string read_regular_file(const fs::path& file, std::uintmax_t most) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (error) fail_with_errno(file, "cannot open", error.value());
  if (!fs::is_regular_file(status)) throw Error(file.string() + ": expected a file, found a folder, pipe or device");
  return read_file(file, most);
}

std::string read_file(const fs::path& file, std::uintmax_t most) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) fail_with_errno(file, "cannot open", errno);
  struct stat about {};
  if (::fstat(fd.get(), &about) != 0) fail_with_errno(file, "cannot read", errno);
  if (S_ISDIR(about.st_mode)) fail_with_errno(file, "expected a file", EISDIR);
  const auto refuse = [&] {
    throw Error(file.string() + ": too large: expected " + std::to_string(most) + " bytes at most");
  };
  const auto size = static_cast<std::uintmax_t>(about.st_size);
  if (S_ISREG(about.st_mode) && size > most) refuse();
  // The size is a hint only: pipes have none, and a file may grow under us.
  std::string bytes;
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) bytes.resize(filled == 0 ? static_cast<std::size_t>(size) + 1 : filled + (1u << 20));
    const ssize_t count = ::read(fd.get(), bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_with_errno(file, "cannot read", errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
    if (filled > most) refuse();
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace storage
