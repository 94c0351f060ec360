// What a user sees who may not read a file: permissions mean nothing to root, as whom tests may run.
#pragma once

#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace runner {

/// What `look` returns in a child process, as nobody where we are root; nothing where the system has no such user.
inline std::optional<std::string> seen_by_another_user(const std::function<std::string()>& look) {
  constexpr uid_t kNobody = 65534;
  constexpr int kNoSuchUser = 3;
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    const bool is_root = geteuid() == 0;
    if (is_root && (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(kNoSuchUser);
    std::string said;
    try {
      said = look();
    } catch (const std::exception& error) {
      said = error.what();
    }
    const bool all = write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    _exit(all ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  std::array<char, 4096> bytes{};
  for (ssize_t n = 0; (n = read(ends[0], bytes.data(), bytes.size())) > 0;) {
    said.append(bytes.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return said;
  return std::nullopt;
}

/// Nobody but root may read it, until this goes.
class Closed {
 public:
  explicit Closed(std::filesystem::path path) : path_(std::move(path)) {
    struct stat about {};
    stat(path_.c_str(), &about);
    mode_ = about.st_mode & 07777;
    chmod(path_.c_str(), 0);
  }
  ~Closed() { chmod(path_.c_str(), mode_); }
  Closed(const Closed&) = delete;
  Closed& operator=(const Closed&) = delete;

 private:
  std::filesystem::path path_;
  mode_t mode_ = 0;
};

}  // namespace runner
