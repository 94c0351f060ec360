// The real program in a terminal of its own: what it draws, its keys, its size and its modes.
#pragma once

#include <sys/types.h>
#include <termios.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tests {

class PseudoTerminal {
 public:
  /// Starts the command in it; the process is the leader of the terminal's session.
  PseudoTerminal(const std::vector<std::string>& command, const std::filesystem::path& folder, int columns, int rows);
  ~PseudoTerminal();
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  pid_t pid() const { return pid_; }
  void type(const std::string& keys) const;
  /// Tells the process as a terminal emulator does (SIGWINCH).
  void resize(int columns, int rows) const;
  /// Local modes as they are now: ICANON, ECHO.
  tcflag_t local_modes() const;
  /// Everything that was drawn so far, escape sequences and all.
  const std::string& drawn();
  /// Reads on until `seen` holds of it or the process has ended; whether it holds.
  bool until(const std::function<bool(const std::string&)>& seen,
             std::chrono::seconds limit = std::chrono::seconds(60));
  /// Reads on until the process ends; its exit status, 128 + n when killed by signal n, -1 when it did not end.
  int wait(std::chrono::seconds limit = std::chrono::seconds(60));
  /// Until it is stopped (SIGSTOP), as a shell sees it.
  bool is_stopped(std::chrono::seconds limit = std::chrono::seconds(60));

 private:
  bool read_some();
  bool look(int options);
  int master_ = -1;
  int slave_ = -1;  ///< held open, so that the modes can be asked for at the end too
  pid_t pid_ = -1;
  bool reaped_ = false;
  int raw_status_ = 0;
  std::string drawn_;
};

/// What is on the screen, row by row: of the escape sequences it knows only those that the program uses.
std::vector<std::string> screen_after(const std::string& drawn, int rows);

}  // namespace tests
