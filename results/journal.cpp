// The writing end of the journal: whole lines or nothing, durable after sync(). Knows file descriptors, not what the
// lines say.
#include "results/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "storage/atomic_file.hpp"
#include "storage/error.hpp"

namespace results {
namespace {

std::uintmax_t length_of(int descriptor, const std::filesystem::path& file) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) storage::fail_with_errno(file, "cannot read its size", errno);
  if (!S_ISREG(facts.st_mode)) throw storage::Error(file.string() + ": not a regular file; a journal must be one");
  return static_cast<std::uintmax_t>(facts.st_size);
}

void cut(int descriptor, std::uintmax_t length, const std::filesystem::path& file) {
  if (::ftruncate(descriptor, static_cast<off_t>(length)) != 0) {
    storage::fail_with_errno(file, "cannot cut its torn end", errno);
  }
}

void sync_folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) storage::fail_with_errno(folder, "cannot open", errno);
  // Some network file systems cannot sync a folder and say EINVAL; they order the creation of a file themselves.
  const int failed = ::fsync(descriptor) != 0 && errno != EINVAL ? errno : 0;
  ::close(descriptor);
  if (failed != 0) storage::fail_with_errno(folder, "cannot sync", failed);
}

}  // namespace

Journal::Journal(const std::filesystem::path& file, const Replay& replay) : file_(file) {
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) storage::fail_with_errno(file, "cannot open for appending", errno);
  try {
    if (const std::uintmax_t now = length_of(descriptor_, file); now != replay.file_bytes) {
      throw storage::Error(fmt::format(
          "{}: {} bytes long, but {} when it was read a moment ago: does another plume-bench write to this folder?",
          file.string(), now, replay.file_bytes));
    }
    length_ = replay.good_bytes;
    if (replay.file_bytes != length_) cut(descriptor_, length_, file_);
    if (replay.needs_newline) write_whole("\n");
    dirty_ = true;
    sync();
    if (length_ == 0) sync_folder_of(file_);  // it may be new
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

Journal::~Journal() {
  ::close(descriptor_);
}

void Journal::append(const Entry& entry) {
  if (broken_) throw storage::Error(file_.string() + ": an earlier write failed, so nothing more is written to it");
  const std::string line = encode(entry);
  // A journal that refuses its own lines would cost the whole run at the next start: find out now, while the file is
  // good.
  decode_entry(line, file_.string() + ": the line about to be written");
  if (length_of(descriptor_, file_) != length_) {  // we were stopped so long that our lock was taken for a dead run's
    broken_ = true;
    throw storage::Error(file_.string() +
                         ": another run has written to it meanwhile; this run stops, what it has committed stays");
  }
  write_whole(line + "\n");
  dirty_ = true;
}

void Journal::sync() {
  if (broken_) throw storage::Error(file_.string() + ": an earlier write failed, so nothing more is written to it");
  if (!dirty_) return;
  check_in_place();
  if (::fsync(descriptor_) != 0) {
    broken_ = true;  // the kernel may have dropped the pages: a second fsync that succeeds would prove nothing
    storage::fail_with_errno(file_, "cannot sync", errno);
  }
  dirty_ = false;
}

/// Everything that lies in our file, whatever its name is by now.
std::string Journal::read_back() const {
  std::string bytes(length_, '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count =
        ::pread(descriptor_, bytes.data() + filled, bytes.size() - filled, static_cast<off_t>(filled));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      storage::fail_with_errno(file_, "removed or replaced during the run, and cannot be read back",
                               count < 0 ? errno : EIO);
    }
    filled += static_cast<std::size_t>(count);
  }
  return bytes;
}

void Journal::check_in_place() {
  struct stat ours {};
  struct stat named {};
  const bool is_there = ::stat(file_.c_str(), &named) == 0;
  if (::fstat(descriptor_, &ours) != 0 || (is_there && ours.st_ino == named.st_ino && ours.st_dev == named.st_dev))
    return;
  broken_ = true;
  const auto copy = storage::write_temporary(file_, read_back());
  if (!is_there && storage::publish_first(copy, file_) == storage::Publish::won) {
    throw storage::Error(file_.string() +
                         ": somebody removed it during the run; all that was written has been put back, and this run "
                         "stops: the same command goes on");
  }
  std::filesystem::path beside = file_;
  beside += ".of-this-run";
  if (!is_there) throw storage::Error(file_.string() + ": somebody removed it during the run; this run stops");
  storage::publish_over(copy, beside);
  throw storage::Error(
      fmt::format("{}: somebody replaced it during the run, and this run stops; what it wrote is in {}", file_.string(),
                  beside.string()));
}

void Journal::write_whole(std::string_view bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::write(descriptor_, bytes.data() + written, bytes.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int reason = count < 0 ? errno : ENOSPC;
      if (::ftruncate(descriptor_, static_cast<off_t>(length_)) != 0) broken_ = true;
      storage::fail_with_errno(file_, "cannot append", reason);
    }
    written += static_cast<std::size_t>(count);
  }
  length_ += bytes.size();
}

}  // namespace results
