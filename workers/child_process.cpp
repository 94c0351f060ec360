// posix_spawn with a socket pair, non-blocking reads and writes, waitpid. Knows no protocol and no deadline.
#include "workers/child_process.hpp"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <ios>
#include <thread>

#include "storage/error.hpp"
#include "workers/child_environment.hpp"
#include "workers/one_line.hpp"

namespace workers {
namespace {

constexpr int kChildsDescriptor = 3;
constexpr std::size_t kMostReadAtOnce = std::size_t{8} << 20;  // a flood must not keep a poll from ending
constexpr std::int64_t kTailBytes = 8192;
constexpr std::int64_t kMostKept = 65536;  // of standard error, with a failure

[[noreturn]] void fail(const std::string& what, int error) {
  throw storage::Error(fmt::format("{}: {}", what, std::strerror(error)));
}

// A descriptor that closes itself.
struct Owned {
  int value = -1;
  ~Owned() {
    if (value >= 0) {
      close(value);
    }
  }
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) {
    result.push_back(text.data());
  }
  result.push_back(nullptr);
  return result;
}

int open_log(const std::filesystem::path& log) {
  const std::filesystem::path file = log.empty() ? "/dev/null" : log;
  if (!log.empty() && log.has_parent_path()) {
    std::error_code ignored;  // open tells
    std::filesystem::create_directories(log.parent_path(), ignored);
  }
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    fail(fmt::format("{}: cannot open the trainer's log for writing", file.string()), errno);
  }
  return descriptor;
}

class Spawning {
 public:
  Spawning() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~Spawning() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

void prepare(Spawning& spawning, int childs_end, int log_descriptor) {
  posix_spawn_file_actions_addopen(&spawning.actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&spawning.actions, log_descriptor, 1);
  posix_spawn_file_actions_adddup2(&spawning.actions, log_descriptor, 2);
  posix_spawn_file_actions_adddup2(&spawning.actions, childs_end, kChildsDescriptor);
  posix_spawn_file_actions_addclosefrom_np(&spawning.actions, kChildsDescriptor + 1);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&spawning.attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&spawning.attributes, &signals);
  posix_spawnattr_setpgroup(&spawning.attributes, 0);
  posix_spawnattr_setflags(&spawning.attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

// Out of the way of 0 to 3, which the child's file actions overwrite (a parent may run with those closed).
int moved_up(int descriptor) {
  const Owned old{descriptor};
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
  if (moved < 0) {
    fail("no descriptor is left for a trainer's connection (raise the limit: ulimit -n)", errno);
  }
  return moved;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, const ChildSettings& settings,
                           const std::filesystem::path& log)
    : log_(log) {
  const Owned log_descriptor{moved_up(open_log(log))};
  log_begin_ = lseek(log_descriptor.value, 0, SEEK_END);
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail("cannot make a socket pair for the trainer", errno);
  }
  Owned ours{ends[0]};
  const Owned theirs{moved_up(ends[1])};
  start(command, settings, theirs.value, log_descriptor.value);
  descriptor_ = ours.value;
  ours.value = -1;
}

void ChildProcess::start(const std::vector<std::string>& command, const ChildSettings& settings, int childs_end,
                         int log_descriptor) {
  if (command.empty()) {
    throw storage::Error("the trainer's command is empty");
  }
  std::vector<std::string> arguments = command;
  arguments.insert(arguments.end(), {"--fd", std::to_string(kChildsDescriptor)});
  std::vector<std::string> environment = child_environment(settings);
  Spawning spawning;
  prepare(spawning, childs_end, log_descriptor);
  const int error = posix_spawnp(&pid_, command[0].c_str(), &spawning.actions, &spawning.attributes,
                                 pointers(arguments).data(), pointers(environment).data());
  if (error != 0) {
    pid_ = 0;
    fail(fmt::format("cannot start the trainer {}", command[0]), error);
  }
}

ChildProcess::~ChildProcess() {
  kill();
  for (int i = 0; i < 5000 && !reap(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  close_stream();
}

void ChildProcess::send(std::string_view message) {
  queued_ += frame(message);
  write_queued();
}

void ChildProcess::pump() {
  write_queued();
  read_available();
}

void ChildProcess::write_queued() {
  while (descriptor_ >= 0 && sent_ < queued_.size()) {
    const ssize_t n = ::send(descriptor_, queued_.data() + sent_, queued_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0) {
      sent_ += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      return;  // full: the next pump goes on; gone: reading and reap() tell
    }
  }
  queued_.clear();
  sent_ = 0;
}

void ChildProcess::read_available() {
  std::array<char, 65536> piece;
  std::size_t total = 0;
  while (descriptor_ >= 0 && total < kMostReadAtOnce) {
    const ssize_t n = recv(descriptor_, piece.data(), piece.size(), MSG_DONTWAIT);
    if (n > 0) {
      reader_.append({piece.data(), static_cast<std::size_t>(n)});
      total += static_cast<std::size_t>(n);
    } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return;
    } else if (n == 0 || errno != EINTR) {
      close_stream();
    }
  }
}

void ChildProcess::close_stream() {
  if (descriptor_ >= 0) {
    close(descriptor_);
    descriptor_ = -1;
  }
}

void ChildProcess::kill() {
  if (pid_ > 0 && !end_) {  // a reaped id may be another process by now
    ::kill(pid_, SIGKILL);
  }
}

std::optional<ProcessEnd> ChildProcess::reap() {
  int status = 0;
  if (!end_ && pid_ > 0) {
    const pid_t reaped = waitpid(pid_, &status, WNOHANG);
    if (reaped == pid_) {
      end_ = WIFSIGNALED(status) ? ProcessEnd{WTERMSIG(status), 0} : ProcessEnd{0, WEXITSTATUS(status)};
    } else if (reaped < 0 && errno == ECHILD) {
      end_ = ProcessEnd{};  // somebody else's wait() took it
    }
  }
  return end_;
}

std::string ChildProcess::last_words() const {
  return last_lines(end_of_log(log_begin_, kTailBytes));
}

void ChildProcess::mark() {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(log_, ignored);
  mark_ = ignored ? log_begin_ : static_cast<std::int64_t>(size);
}

std::string ChildProcess::words_since_mark() const {
  return end_of_log(std::max(log_begin_, mark_), kMostKept);
}

std::string ChildProcess::end_of_log(std::int64_t begin, std::int64_t most) const {
  std::ifstream stream(log_, std::ios::binary | std::ios::ate);
  if (!stream) {
    return "";
  }
  const std::int64_t end = stream.tellg();
  begin = std::max(begin, end - most);
  if (begin >= end) {
    return "";
  }
  std::string text(static_cast<std::size_t>(end - begin), '\0');
  stream.seekg(begin);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

}  // namespace workers
