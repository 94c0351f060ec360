// termios, poll, and what a terminal obeys.
#include "runner/watch_terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <iterator>
#include <string_view>

namespace runner {
namespace {

constexpr int kSignals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT};
constexpr std::string_view kEnter = "\033[?1049h\033[?25l\033[H\033[2J";  // alternate screen, no cursor
constexpr std::string_view kLeave = "\033[0m\033[?25h\033[?1049l";
constexpr int kEndOfTransmission = 4;  // Ctrl-D

std::atomic<bool> quit_asked{false}, redraw_asked{false}, stop_asked{false};

extern "C" void on_watch_signal(int number) {
  if (number == SIGTSTP) {
    stop_asked = true;
  } else if (number == SIGWINCH || number == SIGCONT) {
    redraw_asked = true;
  } else {
    quit_asked = true;
  }
}

/// A terminal that does not take it is gone; SIGHUP says so as well.
bool write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      pollfd ready{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&ready, 1, 100);
      continue;
    }
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

sigset_t watched_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kSignals) sigaddset(&set, number);
  return set;
}

/// q, Q, and what Ctrl-C and Ctrl-D are where no signal comes of them.
bool asks_to_quit(std::string_view keys) {
  for (const char key : keys) {
    if (key == 'q' || key == 'Q' || key == '\003' || key == kEndOfTransmission) return true;
  }
  return false;
}

}  // namespace

TerminalSize terminal_size(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

WatchSignals::WatchSignals() {
  quit_asked = redraw_asked = stop_asked = false;
  const sigset_t set = watched_set();
  sigprocmask(SIG_BLOCK, &set, &before_);
  struct sigaction action {};
  action.sa_handler = on_watch_signal;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &old_[i]);
}

WatchSignals::~WatchSignals() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &old_[i], nullptr);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

WatchEvent WatchSignals::wait(double seconds, int keys, int ended) {
  sigset_t open = before_;  // as it was, but ours come through
  for (const int number : kSignals) sigdelset(&open, number);
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(seconds);
  limit.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
  pollfd inputs[] = {{keys_ended_ ? -1 : keys, POLLIN, 0}, {ended, POLLIN, 0}};
  const int ready = ::ppoll(inputs, std::size(inputs), &limit, &open);
  const bool has_ended = ready > 0 && inputs[1].revents != 0;
  if (ready > 0 && inputs[0].revents != 0) {
    char typed[64];
    const ssize_t count = ::read(keys, typed, sizeof typed);
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) keys_ended_ = true;
    if (count > 0 && asks_to_quit({typed, static_cast<std::size_t>(count)})) return WatchEvent::quit;
    if (!quit_asked && !stop_asked && !has_ended) return WatchEvent::redraw;
  }
  if (quit_asked) return WatchEvent::quit;
  if (stop_asked.exchange(false)) return WatchEvent::stop;
  if (has_ended) return WatchEvent::ended;
  return redraw_asked.exchange(false) ? WatchEvent::redraw : WatchEvent::time;
}

WatchTerminal::WatchTerminal() {
  termios modes{};
  if (isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &modes) == 0) modes_ = modes;
  enter();
}

WatchTerminal::~WatchTerminal() {
  leave();
}

void WatchTerminal::enter() {
  if (modes_) {
    termios raw = *modes_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // signals by key stay
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  }
  write_out(kEnter);
}

void WatchTerminal::leave() {
  write_out(kLeave);
  if (modes_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &*modes_);
}

TerminalSize WatchTerminal::size() const {
  return terminal_size(STDOUT_FILENO);
}

/// Line by line over what is there, the rest of each line cleared, so that nothing flickers.
void WatchTerminal::show(const std::string& lines) {
  std::string bytes = "\033[H";
  for (std::size_t at = 0; at < lines.size();) {
    const auto end = std::min(lines.find('\n', at), lines.size());
    if (at > 0) bytes += "\r\n";  // none after the last line: it would scroll a full screen
    bytes.append(lines, at, end - at).append("\033[K");
    at = end + 1;
  }
  write_out(bytes + "\033[J");
}

/// As a shell expects of Ctrl-Z: the terminal is the shell's until we are told to go on.
void WatchTerminal::stop() {
  leave();
  ::raise(SIGSTOP);
  termios modes{};
  if (modes_ && tcgetattr(STDIN_FILENO, &modes) == 0) modes_ = modes;
  enter();
}

WatchEvent WatchTerminal::wait(double seconds, int ended) {
  const auto event = signals_.wait(seconds, modes_ ? STDIN_FILENO : -1, ended);
  if (event != WatchEvent::stop) return event;
  stop();
  return WatchEvent::redraw;
}

}  // namespace runner
