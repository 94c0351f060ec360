// posix_spawn and wait4.
#include "benchmarks/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "storage/error.hpp"

extern char** environ;

namespace benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

pid_t start(const std::vector<std::string>& command, const std::filesystem::path& errors) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, errors.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  std::vector<char*> words;
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = -1;
  const int failed = posix_spawn(&pid, words[0], &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw storage::Error(command.front() + ": cannot be started: " + std::strerror(failed));
  return pid;
}

}  // namespace

Ended run_child(const std::vector<std::string>& command, const std::filesystem::path& errors,
                const std::function<bool()>& seen, Then then) {
  const auto begin = Clock::now();
  const auto passed = [begin] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  const pid_t pid = start(command, errors);
  Ended ended;
  int status = 0;
  rusage use{};
  pid_t reaped = 0;
  while (seen && ended.seconds_until_seen == 0 && reaped == 0) {
    if (seen()) {
      ended.seconds_until_seen = passed();
      if (then == Then::killed) kill(pid, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    reaped = wait4(pid, &status, WNOHANG, &use);
  }
  if (reaped == 0) wait4(pid, &status, 0, &use);
  ended.seconds = passed();
  const auto seconds_of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  ended.processor_seconds = seconds_of(use.ru_utime) + seconds_of(use.ru_stime);
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.peak_megabytes = static_cast<double>(use.ru_maxrss) / 1024;
  return ended;
}

}  // namespace benchmarks
