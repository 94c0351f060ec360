// Who does what, when: a pure state machine. It reads no clock, sends nothing, opens no file; (state, event) ->
// actions, in the order in which they must be performed (a result is durable before the next task goes out). The rules
// are explained in runner/README.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runner/run_times.hpp"
#include "workers/messages.hpp"

namespace runner {

/// The end of why a sweep stopped whose first trainings all failed alike; who knows the command says it better.
inline constexpr std::string_view kMendAndRetry = "; mend it and run again with --retry-failed";

using workers::Attempt;
using workers::TaskId;
using workers::WorkerId;

/// A task as planned.
struct PlannedTask {
  TaskId id;
  workers::Task what;
  std::vector<TaskId>
      needs;        ///< tasks that must be done before; all of them added earlier (in the same event or before it)
  double cost = 1;  ///< relative to others of its kind; longest first
  std::string
      affinity;      ///< tasks of equal affinity prefer a worker that has done one (features already loaded); "" = none
  std::string name;  ///< for people, e.g. "cifar10/airplane linear-map+full seed 0"
  int attempts_before = 0;  ///< that earlier runs made: the first of this one has the next number
  int anew_through = 0;     ///< checkpoints of attempts up to this one are not gone on with
  Effort effort = {};       ///< what its time is expected from; without one it may always start
  double part_done = 0;     ///< share of it that is done before it starts (a checkpoint), in [0, 1)
};

// ---- events
// --------------------------------------------------------------------------------------------------------------------

/// Workers that were started and should greet: one that has not within Budgets::hello_deadline is gone. Not needed for
/// a worker to be used, but without it a run whose workers all die before their Hello would wait for ever.
struct WorkersExpected {
  std::vector<WorkerId> workers;
};
struct TasksAdded {
  std::vector<PlannedTask> tasks;
};
struct NoMoreTasks {};  ///< nothing will be added any more: shut down when all is done
struct FromWorker {
  WorkerId worker;
  workers::ToCoordinator message;
};
struct LinkLost {  ///< the link itself says that the worker is gone
  WorkerId worker;
  std::string why;
};
struct Tick {};  ///< time passed: check deadlines. Hand over the messages that have arrived before it
/// Start nothing more; trainings that are long, or that cannot end in time, make way with a checkpoint, the others and
/// all other tasks run to their end.
struct DrainAsked {
  std::optional<double> seconds_left = {};  ///< until the allocation ends; absent: not known
};
struct TimeLeft {  ///< so long tasks may run from now on: none is started that is expected to take longer
  double seconds = 0;
};
using Event = std::variant<WorkersExpected, TasksAdded, NoMoreTasks, FromWorker, LinkLost, Tick, DrainAsked, TimeLeft>;

// ---- actions
// -------------------------------------------------------------------------------------------------------------------

struct Send {
  WorkerId worker;
  workers::ToWorker message;
  bool operator==(const Send&) const = default;
};
struct Commit {  ///< make the output durable, then go on with the list
  TaskId task;
  Attempt attempt;
  WorkerId worker;
  workers::TaskOutput output;
  double wall_seconds = 0;
  std::string started;
  bool operator==(const Commit&) const = default;
};
struct RecordAttempt {  ///< a try ended and the task will be tried again
  TaskId task;
  Attempt attempt;
  WorkerId worker;
  workers::Cause cause;
  std::string message;
  std::string standard_error = {};  ///< the end of the trainer's, of this attempt
  bool operator==(const RecordAttempt&) const = default;
};
struct RecordFailure {  ///< out of budget, or a cause that trying again cannot mend
  TaskId task;
  Attempt attempt;
  WorkerId worker;
  workers::Cause cause;
  std::string message;
  std::vector<TaskId> blocked;  ///< tasks that needed it and will never run
  std::string standard_error = {};
  bool operator==(const RecordFailure&) const = default;
};
struct RecordBlocked {  ///< a task that was added after one that it needs had failed: it will never run
  TaskId task;
  TaskId need;
  bool operator==(const RecordBlocked&) const = default;
};
/// An output that is not committed: of an attempt that was given up, of a worker that did not hold the task, or a
/// second one.
struct KeepEvidence {
  TaskId task;
  Attempt attempt;
  WorkerId worker;
  workers::TaskOutput output;
  std::string why;  ///< one line
  bool operator==(const KeepEvidence&) const = default;
};
struct ShowEpoch {
  TaskId task;
  Attempt attempt;
  WorkerId worker;
  results::EpochRecord epoch;
  bool operator==(const ShowEpoch&) const = default;
};
/// What a training says of its checkpoints.
struct ShowCheckpoint {
  WorkerId worker;
  std::variant<workers::CheckpointWritten, workers::Resumed, workers::Remark> news;
  bool operator==(const ShowCheckpoint&) const = default;
};
struct WorkerGone {  ///< nothing is sent to it any more, unless it speaks again
  WorkerId worker;
  std::string why;
  bool operator==(const WorkerGone&) const = default;
};
struct Quarantine {  ///< nothing more is given to it; a Shutdown to it follows
  WorkerId worker;
  std::string why;
  bool operator==(const Quarantine&) const = default;
};
struct StopSweep {  ///< the run cannot go on; why is one line. Every live worker has been told to shut down, whatever
                    ///< it was doing
  std::string why;
  bool operator==(const StopSweep&) const = default;
};
struct Finished {  ///< every worker has been told to shut down and nothing is running
  bool operator==(const Finished&) const = default;
};
using Action = std::variant<Send, Commit, RecordAttempt, RecordFailure, RecordBlocked, KeepEvidence, ShowEpoch,
                            ShowCheckpoint, WorkerGone, Quarantine, StopSweep, Finished>;

struct Budgets {
  int job_retries = 1;             ///< tries beyond the first for a task's own failures
  int infrastructure_retries = 5;  ///< tries beyond the first for lost workers
  int same_error_stop =
      3;  ///< the first so many finished-or-failed jobs all failing with one error stop the sweep; 0: never
  int quarantine_after = 3;        ///< tasks in a row that a worker fails before a first epoch; 0: never
  double heartbeat_deadline = 30;  ///< seconds
  double hello_deadline = 120;     ///< seconds, for workers that are expected
  /// Seconds; trainings that are expected to take longer make way with a checkpoint, and may start where too little is
  /// left for all of them. 0: none does.
  double checkpoint_every = 0;
};

/// waiting: not running and not at an end. failed: out of budget, or blocked by a task that is.
struct Counts {
  std::int64_t waiting = 0, running = 0, done = 0, failed = 0;
  bool operator==(const Counts&) const = default;
};

/// Tasks that wait because too little time is left for them (TimeLeft).
struct Postponed {
  std::int64_t trainings = 0, others = 0;
  double shortest_seconds = 0;  ///< what the shortest of them is expected to take
  bool operator==(const Postponed&) const = default;
};

class Coordinator {
 public:
  /// `known`: times of tasks that were done before. More are learnt from those that end.
  explicit Coordinator(Budgets budgets, RunTimes known = {});
  Coordinator(Coordinator&&) noexcept;
  Coordinator& operator=(Coordinator&&) noexcept;
  ~Coordinator();

  /// `now`: seconds, monotonic; a step back is treated as no time passed. The last action ever is Finished or
  /// StopSweep; a worker that greets after it is told to shut down, and nothing else is answered. Throws
  /// std::logic_error for tasks that break the plan: an id used twice, a need that was not added before, a cost that is
  /// no number, tasks after NoMoreTasks.
  std::vector<Action> on(const Event& event, double now);

  Counts counts_of_jobs() const;             ///< TrainTasks only
  Counts counts_of_features() const;         ///< all others
  const PlannedTask& task(TaskId id) const;  ///< std::out_of_range where there is none
  std::size_t live_workers() const;          ///< greeted, neither gone nor quarantined
  bool finished() const;                     ///< Finished or StopSweep was returned
  /// From the start of an attempt to its end, without what of it is done; absent while no task of its kind has been
  /// timed. Throws as task().
  std::optional<double> expected_seconds(TaskId id) const;
  Postponed postponed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runner
