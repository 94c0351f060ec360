// posix_spawnp, two pipes, poll with a deadline, waitpid.
#include "runner/ask_program.hpp"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <thread>

#include "workers/one_line.hpp"

extern char** environ;

namespace runner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostComplaint = 4096;
constexpr std::chrono::milliseconds kStep{5};
/// A killed process is gone at once, unless the kernel holds it.
constexpr std::chrono::seconds kReapDeadline{1};

/// A pipe whose ends close themselves.
class Pipe {
 public:
  Pipe() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
    read_ = ends[0];
    write_ = ends[1];
    fcntl(read_, F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    close_end(read_);
    close_end(write_);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool made() const { return read_ >= 0; }
  int read_end() const { return read_; }
  int write_end() const { return write_; }
  void close_write() { close_end(write_); }

  /// Takes some of what is there; false once the stream has ended.
  bool take(std::string& text) const {
    std::array<char, 16384> bytes{};
    const auto n = read(read_, bytes.data(), bytes.size());
    if (n > 0) text.append(bytes.data(), static_cast<std::size_t>(n));
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
  }

 private:
  static void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
  int read_ = -1;
  int write_ = -1;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (auto& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  const auto name_of = [](const std::string& variable) { return variable.substr(0, variable.find('=') + 1); };
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const bool replaced = std::any_of(more.begin(), more.end(),
                                      [&](const std::string& other) { return name_of(other) == name_of(text); });
    if (!replaced) all.push_back(text);
  }
  return all;
}

/// 0, or the error.
int spawn(std::vector<std::string> command, std::vector<std::string> environment, const std::filesystem::path& folder,
          const Pipe& output, const Pipe& complaint, pid_t& pid) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.write_end(), 1);
  posix_spawn_file_actions_adddup2(&actions, complaint.write_end(), 2);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const auto arguments = pointers(command), variables = pointers(environment);
  const int error = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

/// Its raw status, once it has ended, but not later than `until`.
std::optional<int> reap(pid_t pid, Clock::time_point until) {
  for (;;) {
    int status = 0;
    const pid_t reaped = waitpid(pid, &status, WNOHANG);
    if (reaped == pid) return status;
    if (reaped < 0 && errno != EINTR) return 0;  // somebody else has waited for it
    if (Clock::now() >= until) return std::nullopt;
    std::this_thread::sleep_for(kStep);
  }
}

/// Reads until both streams have ended; false at the deadline, or where it prints too much.
bool listen(const Pipe& output, const Pipe& complaint, Clock::time_point until, std::size_t most, Answer& answer,
            std::string& words) {
  bool prints = true, complains = true;
  while (prints || complains) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    std::array<pollfd, 2> streams{pollfd{prints ? output.read_end() : -1, POLLIN, 0},
                                  pollfd{complains ? complaint.read_end() : -1, POLLIN, 0}};
    poll(streams.data(), streams.size(), static_cast<int>(std::min<long>(left, 1000)));
    if (prints && streams[0].revents != 0) prints = output.take(answer.output);
    if (complains && streams[1].revents != 0) complains = complaint.take(words);
    words.resize(std::min(words.size(), kMostComplaint));  // the rest is read, or it could not go on
    if (answer.output.size() > most) return false;
  }
  return true;
}

std::string why_no_answer(const std::string& name, bool heard, bool too_much, std::optional<int> status,
                          const std::string& words, const AskLimits& limits) {
  if (too_much) return fmt::format("{} printed more than {} bytes", name, limits.most_bytes);
  if (!heard || !status) return fmt::format("{} did not answer within {:.0f} s", name, limits.deadline.count());
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return "";
  const auto how = WIFEXITED(*status) ? fmt::format("ended with status {}", WEXITSTATUS(*status))
                                      : fmt::format("was ended by signal {}", WTERMSIG(*status));
  const auto first_words = workers::one_line(words.substr(0, words.find('\n')));  // what follows are consequences
  return fmt::format("{} {}{}{}", name, how, first_words.empty() ? "" : ": ", first_words);
}

}  // namespace

Answer ask_program(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                   const AskLimits& limits, const std::filesystem::path& folder) {
  Answer answer;
  const auto& name = command.at(0);
  Pipe output, complaint;
  if (!output.made() || !complaint.made()) {
    answer.why = fmt::format("{} cannot be started: {}", name, std::strerror(errno));
    return answer;
  }
  pid_t pid = 0;
  const int error = spawn(command, environment_with(environment), folder, output, complaint, pid);
  if (error != 0) {
    answer.found = error != ENOENT;
    answer.why = fmt::format("{} cannot be started: {}", name, std::strerror(error));
    return answer;
  }
  output.close_write();
  complaint.close_write();
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(limits.deadline);
  std::string words;
  const bool heard = listen(output, complaint, until, limits.most_bytes, answer, words);
  auto status = heard ? reap(pid, until) : std::nullopt;
  if (!status) {
    kill(-pid, SIGKILL);
    reap(pid, Clock::now() + kReapDeadline);
  }
  answer.why = why_no_answer(name, heard, answer.output.size() > limits.most_bytes, status, words, limits);
  if (!answer.why.empty()) answer.output.clear();
  return answer;
}

Ask ask_programs() {
  return [](const auto& command, const auto& environment) { return ask_program(command, environment); };
}

}  // namespace runner
