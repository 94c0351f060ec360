// A terminal for a screen that is redrawn: alternate screen, keys without Enter, signals as events; as it was again at
// the end, whatever ends it. Plain termios and the few escape sequences that every terminal of today knows: a curses
// library would bring a terminal data base that the machine of a static binary or a container may not have.
#pragma once

#include <signal.h>
#include <termios.h>

#include <cstddef>
#include <optional>
#include <string>

namespace runner {

struct TerminalSize {
  std::size_t columns = 80, rows = 24;
};
/// Of the terminal behind a descriptor; 80 x 24 where it does not say.
TerminalSize terminal_size(int descriptor);

enum class WatchEvent {
  time,    ///< it is time for the next look
  redraw,  ///< the size has changed, or we were stopped and go on
  ended,   ///< `ended` became readable
  quit,    ///< q, Ctrl-C, SIGTERM, SIGHUP
  stop,    ///< Ctrl-Z; WatchTerminal::wait never returns it
};

/// SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP and SIGCONT as events while it lives; they are kept back but for
/// the time of a wait, so that none is missed. One at a time.
class WatchSignals {
 public:
  WatchSignals();
  ~WatchSignals();
  WatchSignals(const WatchSignals&) = delete;
  WatchSignals& operator=(const WatchSignals&) = delete;

  /// At most `seconds`. Keys are read from `keys`; -1: there are none. `ended`: a descriptor that may become readable.
  WatchEvent wait(double seconds, int keys, int ended = -1);

 private:
  sigset_t before_;
  struct sigaction old_[7];
  bool keys_ended_ = false;
};

class WatchTerminal {
 public:
  /// Standard output must be a terminal; keys are read where standard input is one too.
  WatchTerminal();
  ~WatchTerminal();
  WatchTerminal(const WatchTerminal&) = delete;
  WatchTerminal& operator=(const WatchTerminal&) = delete;

  TerminalSize size() const;
  /// Lines, each ended by a newline, in place of what is on the screen.
  void show(const std::string& lines);
  WatchEvent wait(double seconds, int ended = -1);

 private:
  void enter();
  void leave();
  void stop();

  WatchSignals signals_;
  std::optional<termios> modes_;  ///< of standard input as it was
};

}  // namespace runner
