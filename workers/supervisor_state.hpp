// What a supervisor knows: its trainer, its task, its deadlines. Private to supervisor.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workers/awake_clock.hpp"
#include "workers/child_process.hpp"
#include "workers/progress_watch.hpp"
#include "workers/supervisor.hpp"

namespace workers {

struct Supervisor::State {
  enum class Stage { starting, ready, ending, killed };

  struct Trainer {
    std::unique_ptr<ChildProcess> process;
    Stage stage = Stage::starting;
    Seconds since{0};  // when the stage began
    bool was_ready = false;
    std::optional<std::int64_t> oom_kills_before;
    std::string gpu;  // that it was given
  };

  struct RunningTask {
    Assign assign;
    Seconds since{0};                    // when it was assigned
    std::optional<ProgressWatch> watch;  // from when a trainer has it
    bool reached = false;                // an epoch or an output was made
    std::optional<Prepare> next = {};    // what the trainer is still to be told of the task after it
  };

  State(SupervisorOptions given_options, Clock given_clock);

  // In the order in which poll() calls them.
  void greet_and_beat();
  void listen();
  void check_end();
  void check_deadlines();
  void start_or_give();
  void tell_what_is_next();
  void shut_down();

  void assign(const Assign& assign);
  void suspend(const Suspend& suspend);
  void prepare(const Prepare& prepare);
  void begin_shutdown();
  void start_anew();
  void take(const FromTrainer& message);
  void take(const Ready& ready);
  void take(const Progress& progress);
  void take(const EpochDone& epoch);
  void take(const CheckpointWritten& written) { pass_on(written); }
  void take(const Resumed& resumed) { pass_on(resumed); }
  void take(const Remark& remark) { pass_on(remark); }
  void take(const TaskDone& done);
  void take(const TaskFailed& failed);
  RunningTask& task_of(TaskId id, Attempt attempt);
  template <typename Message>
  void pass_on(const Message& message) {
    task_of(message.task, message.attempt).watch->moved(now);
    outgoing.push_back(message);
  }

  void use(const UseGpu& use);
  bool concerns_task() const;
  void enter(Stage stage);
  void kill_trainer();
  void start_trainer();
  void fail_task(Cause cause, const std::string& message);

  SupervisorOptions options;
  AwakeClock clock;
  Seconds now{0};
  std::filesystem::path log;
  std::vector<ToCoordinator> outgoing;
  bool greeted = false;
  Seconds last_heartbeat{0};
  std::string gpu;  // of trainers that start from now on; "": none
  std::optional<Trainer> trainer;
  std::optional<RunningTask> task;
  std::optional<Seconds> shutdown_at;
  bool said_goodbye = false;
  bool goodbye_taken = false;
};

}  // namespace workers
