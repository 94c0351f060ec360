// Implements full disks by RLIMIT_FSIZE and by a small tmpfs in a mount namespace of a child process.
#include "tests/storage/full_disk.hpp"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <stdexcept>

namespace storage_test {
namespace {

bool mount_here(const std::filesystem::path& folder, std::size_t bytes) {
  if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str()) == 0;
}

/// 'm' and the text, or 'n' where nothing could be mounted.
std::string run_child(const std::filesystem::path& folder, std::size_t bytes,
                      const std::function<std::string()>& action) {
  if (!mount_here(folder, bytes)) return "n";
  try {
    return action().insert(0, 1, 'm');
  } catch (const std::exception& thrown) {
    return std::string("munexpected: ") + thrown.what();
  }
}

}  // namespace

FileSizeLimit::FileSizeLimit(std::size_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("getrlimit failed");
  soft_ = limit.rlim_cur;
  limit.rlim_cur = bytes;
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("setrlimit failed");
}

FileSizeLimit::~FileSizeLimit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = soft_;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler_);
}

std::optional<std::string> on_small_disk(const std::filesystem::path& folder, std::size_t bytes,
                                         const std::function<std::string()>& action) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    const std::string text = run_child(folder, bytes, action);
    const bool written = ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = ::read(ends[0], buffer, sizeof(buffer))) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) return "child ended with status " + std::to_string(status);
  if (text == "n") return std::nullopt;
  return text.substr(1);
}

}  // namespace storage_test
