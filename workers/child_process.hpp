// A child process at the other end of a socket pair: started, written to and read without blocking, killed, reaped.
// Knows no protocol.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workers/child_environment.hpp"
#include "workers/framing.hpp"

namespace workers {

/// How a process ended.
struct ProcessEnd {
  int signal = 0;  ///< 0: it ended by itself
  int status = 0;
};

class ChildProcess {
 public:
  /// Starts `command` with the socket as descriptor 3 and no other descriptor but 0 (/dev/null), 1 and 2 (both appended
  /// to `log`; none: /dev/null); signals as a new process has them; a process group of its own, so that Ctrl-C does not
  /// reach it; the environment of child_environment(). Throws storage::Error in one line.
  ChildProcess(const std::vector<std::string>& command, const ChildSettings& settings,
               const std::filesystem::path& log);
  ~ChildProcess();  ///< kills it and waits for it (at most some seconds, should the kernel not let it die)
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int pid() const { return pid_; }
  /// -1 once the stream has ended.
  int descriptor() const { return descriptor_; }

  /// Queues a message and sends what goes out without waiting.
  void send(std::string_view message);
  /// Sends what is queued and reads what is there; never waits.
  void pump();
  /// The next message that was read. Throws storage::Error when what came is no frame.
  std::optional<std::string> next_message() { return reader_.next(); }

  void kill();
  /// Absent while it runs.
  std::optional<ProcessEnd> reap();
  /// The last lines that it wrote to its log, as one line; "" if none.
  std::string last_words() const;
  /// What it writes from now on is what words_since_mark() gives: the end of it (some kilobytes), as it was written.
  void mark();
  std::string words_since_mark() const;

 private:
  void start(const std::vector<std::string>& command, const ChildSettings& settings, int childs_end,
             int log_descriptor);
  void write_queued();
  void read_available();
  void close_stream();
  std::string end_of_log(std::int64_t begin, std::int64_t most) const;

  pid_t pid_ = 0;
  int descriptor_ = -1;
  std::filesystem::path log_;
  std::int64_t log_begin_ = 0;
  std::int64_t mark_ = 0;
  FrameReader reader_;
  std::string queued_;
  std::size_t sent_ = 0;  // of queued_
  std::optional<ProcessEnd> end_;
};

}  // namespace workers
