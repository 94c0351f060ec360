// openpty, and a terminal that understands a handful of escape sequences.
#include "tests/end_to_end/pseudo_terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include <stdexcept>

namespace tests {

PseudoTerminal::PseudoTerminal(const std::vector<std::string>& command, const std::filesystem::path& folder,
                               int columns, int rows) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  if (openpty(&master_, &slave_, nullptr, nullptr, &size) != 0) throw std::runtime_error("no pseudo-terminal");
  std::vector<std::string> words = command;
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("cannot fork");
  if (pid_ == 0) {
    ::close(master_);
    if (::login_tty(slave_) != 0 || ::chdir(folder.c_str()) != 0) ::_exit(126);
    ::setenv("TERM", "xterm-256color", 1);
    ::execvp(pointers[0], pointers.data());
    ::_exit(127);
  }
  ::fcntl(master_, F_SETFL, O_NONBLOCK);
}

PseudoTerminal::~PseudoTerminal() {
  if (!reaped_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(master_);
  ::close(slave_);
}

void PseudoTerminal::type(const std::string& keys) const {
  if (::write(master_, keys.data(), keys.size()) < 0) throw std::runtime_error("the terminal takes no keys");
}

void PseudoTerminal::resize(int columns, int rows) const {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  ::ioctl(master_, TIOCSWINSZ, &size);
}

tcflag_t PseudoTerminal::local_modes() const {
  termios modes{};
  ::tcgetattr(slave_, &modes);
  return modes.c_lflag;
}

/// False where nothing came within a moment.
bool PseudoTerminal::read_some() {
  pollfd ready{master_, POLLIN, 0};
  if (::poll(&ready, 1, 20) <= 0) return false;
  char bytes[65536];
  const ssize_t count = ::read(master_, bytes, sizeof bytes);
  if (count <= 0) return false;
  drawn_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

const std::string& PseudoTerminal::drawn() {
  while (read_some()) {
  }
  return drawn_;
}

/// Whether the process has ended.
bool PseudoTerminal::look(int options) {
  if (!reaped_ && ::waitpid(pid_, &raw_status_, WNOHANG | options) == pid_) reaped_ = !WIFSTOPPED(raw_status_);
  return reaped_;
}

bool PseudoTerminal::until(const std::function<bool(const std::string&)>& seen, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!seen(drawn_)) {
    const bool more = read_some();
    if (!more && (look(0) || std::chrono::steady_clock::now() > end)) return seen(drawn_);
  }
  return true;
}

int PseudoTerminal::wait(std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!look(0)) {
    read_some();
    if (std::chrono::steady_clock::now() > end) return -1;
  }
  drawn();
  return WIFEXITED(raw_status_) ? WEXITSTATUS(raw_status_) : 128 + WTERMSIG(raw_status_);
}

bool PseudoTerminal::is_stopped(std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < end) {
    read_some();
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG | WUNTRACED) == pid_) return WIFSTOPPED(status);
  }
  return false;
}

std::vector<std::string> screen_after(const std::string& drawn, int rows) {
  std::vector<std::string> screen(static_cast<std::size_t>(rows));
  std::size_t row = 0;
  for (std::size_t at = 0; at < drawn.size(); ++at) {
    if (drawn[at] == '\033' && at + 1 < drawn.size() && drawn[at + 1] == '[') {
      auto end = at + 2;
      while (end < drawn.size() && (drawn[end] < '@' || drawn[end] > '~')) ++end;
      const auto sequence = drawn.substr(at + 2, end - at - 1);
      if (sequence == "H") {
        row = 0;
        screen[0].clear();
      } else if (sequence == "J" || sequence == "2J") {
        for (std::size_t below = row + 1; below < screen.size(); ++below) screen[below].clear();
      }
      at = end;
    } else if (drawn[at] == '\n') {
      row = std::min(row + 1, screen.size() - 1);
      screen[row].clear();
    } else if (drawn[at] != '\r') {
      screen[row] += drawn[at];
    }
  }
  return screen;
}

}  // namespace tests
