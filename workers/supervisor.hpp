// A worker: starts a trainer process, hands it one task at a time, watches it and says what became of it. Never touches a data set, LibTorch
// or a GPU, so it outlives whatever the trainer does. Driven by poll(); reads no clock but the one it is given. More than 10 s between two
// polls count as 10 s: a suspended job does not find its trainers overdue when it goes on.
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workers/messages.hpp"

namespace workers {

using Seconds = std::chrono::duration<double>;
/// Monotonic time since any origin.
using Clock = std::function<Seconds()>;
Seconds steady_seconds();

struct SupervisorOptions {
  std::vector<std::string> trainer_command;  ///< program and arguments; `--fd 3` is appended, 3 being the trainer's end of a socket pair
  int threads = 1;
  VisibleGpus gpus = {};                     ///< which the coordinator may tell this worker to use
  std::filesystem::path log_folder;          ///< trainer's stderr goes to <log_folder>/<name>.stderr; its tail is quoted on a crash
  std::string name;                          ///< e.g. "worker-1"
  Seconds start_deadline{300};               ///< until Ready
  Seconds load_deadline{900};                ///< from Assign to the first Progress or EpochDone
  Seconds hang_floor{60};                    ///< afterwards: no Progress for max(hang_floor, hang_factor x median gap)
  double hang_factor = 50;
  Seconds heartbeat{2};
  Seconds shutdown_grace{5};                 ///< from Shutdown until a trainer that has not ended is killed
  std::filesystem::path oom_counter;         ///< a file with a line "oom_kill N"; empty: the one of this process's cgroup
};

class Supervisor {
 public:
  Supervisor(SupervisorOptions options, Clock clock);
  ~Supervisor();  ///< kills the trainer (SIGKILL) if it still runs, and waits for it
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// A message from the coordinator. An Assign or a UseGpu while a task runs is a programming error (std::logic_error).
  void handle(const ToWorker& message);
  /// Reads from the trainer, watches deadlines and its exit, starts it when a task needs one. Never blocks.
  void poll();
  /// Messages for the coordinator, oldest first; the first ever is Hello, sent when the first poll() runs (the trainer starts with
  /// the first task).
  std::vector<ToCoordinator> take_outgoing();
  /// After Shutdown: true once the trainer has ended and Goodbye was taken.
  bool finished() const;
  /// The trainer's end of interest for poll(2); -1 when none runs.
  int descriptor() const;
  /// Process id of the trainer, 0 when none runs.
  int trainer_pid() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace workers
