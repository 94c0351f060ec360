// The supervisor's state machine: which trainer runs, which task it has, which deadline holds, what its end means.
// Sockets and processes are child_process.cpp's.
#include "workers/supervisor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "storage/error.hpp"
#include "storage/machine.hpp"
#include "workers/end_of_trainer.hpp"
#include "workers/fault_on_request.hpp"
#include "workers/one_line.hpp"
#include "workers/oom_counter.hpp"
#include "workers/supervisor_state.hpp"

namespace workers {
namespace {

// A trainer whose stream has ended is about to end itself: so long it may take before it is killed.
constexpr Seconds kEndingDeadline{5};

}  // namespace

Seconds steady_seconds() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

Supervisor::State::State(SupervisorOptions given_options, Clock given_clock)
    : options(std::move(given_options)), clock(std::move(given_clock)) {
  if (options.oom_counter.empty()) {
    options.oom_counter = own_oom_counter();
  }
  if (!options.log_folder.empty()) {
    log = options.log_folder / (options.name + ".stderr");
  }
}

void Supervisor::State::greet_and_beat() {
  if (!greeted) {
    greeted = true;
    last_heartbeat = now;
    Hello hello;
    hello.host = storage::host_name();
    hello.pid = getpid();
    hello.threads = options.threads;
    hello.faults = requested_faults();
    hello.processor = storage::processor_kind();
    hello.visible = options.gpus;
    outgoing.push_back(hello);
  } else if (now - last_heartbeat >= options.heartbeat) {
    last_heartbeat = now;
    Heartbeat beat;
    if (task && task->watch) beat.still = task->watch->stillness(now);
    outgoing.push_back(beat);
  }
}

// ---- what the trainer says
// -----------------------------------------------------------------------------------------------------

void Supervisor::State::listen() {
  if (!trainer || trainer->stage == Stage::killed) {
    return;
  }
  trainer->process->pump();
  try {
    while (trainer->stage != Stage::killed) {
      const std::optional<std::string> text = trainer->process->next_message();
      if (!text) {
        break;
      }
      take(decode_from_trainer(*text));
    }
  } catch (const storage::Error& error) {
    if (concerns_task()) {
      fail_task(trainer->was_ready ? Cause::exception : Cause::start_failed,
                fmt::format("the trainer process broke the protocol and was killed: {}", error.what()));
    }
    kill_trainer();
  }
  if (trainer->process->descriptor() < 0 && (trainer->stage == Stage::starting || trainer->stage == Stage::ready)) {
    enter(Stage::ending);
  }
}

void Supervisor::State::take(const FromTrainer& message) {
  std::visit([this](const auto& said) { take(said); }, message);
}

void Supervisor::State::take(const Ready& ready) {
  if (ready.protocol != kProtocolVersion || trainer->was_ready) {
    throw storage::Error(
        fmt::format("it greeted with protocol {} where {} was expected, once", ready.protocol, kProtocolVersion));
  }
  if (ready.threads != options.threads) {
    fail_task(
        Cause::start_failed,
        fmt::format("the trainer computes with {} thread(s) where {} were asked for: its results would not be those of "
                    "the others; look at OMP_* and MKL_* in its environment",
                    ready.threads, options.threads));
    return kill_trainer();
  }
  if (ready.gpu != trainer->gpu) {
    throw storage::Error(fmt::format("it was given {} and reports {}", trainer->gpu.empty() ? "no GPU" : trainer->gpu,
                                     ready.gpu.empty() ? "none" : ready.gpu));
  }
  trainer->was_ready = true;
  enter(Stage::ready);
}

void Supervisor::State::take(const Progress& progress) {
  RunningTask& its_task = task_of(progress.task, progress.attempt);
  its_task.watch->moved(now);
  // Only a training has epochs; whatever moves in another task is an output.
  its_task.reached = its_task.reached || !std::holds_alternative<TrainTask>(its_task.assign.what);
}

void Supervisor::State::take(const EpochDone& epoch) {
  RunningTask& its_task = task_of(epoch.task, epoch.attempt);
  its_task.watch->moved(now);
  its_task.reached = true;
  outgoing.push_back(epoch);
}

void Supervisor::State::take(const TaskDone& done) {
  task_of(done.task, done.attempt);
  outgoing.push_back(done);
  task.reset();
}

void Supervisor::State::take(const TaskFailed& failed) {
  RunningTask& its_task = task_of(failed.task, failed.attempt);
  its_task.reached = its_task.reached || failed.reached_epoch;
  fail_task(failed.cause, failed.message);
  if (takes_the_trainer_along(failed.cause)) {
    kill_trainer();  // its heap or its GPU context may be damaged; a fresh one costs seconds
  }
}

Supervisor::State::RunningTask& Supervisor::State::task_of(TaskId id, Attempt attempt) {
  if (!task || !task->watch || task->assign.task != id || task->assign.attempt != attempt) {
    throw storage::Error(
        fmt::format("it spoke of task {} (attempt {}), which it was not given", id.value, attempt.value));
  }
  return *task;
}

// ---- its end
// -------------------------------------------------------------------------------------------------------------------

// Whether a fault of the trainer is the waiting task's: not when an idle trainer died before it was given the task.
bool Supervisor::State::concerns_task() const {
  return !trainer->was_ready || (task && task->watch);
}

void Supervisor::State::check_end() {
  const std::optional<ProcessEnd> end = trainer ? trainer->process->reap() : std::nullopt;
  if (!end) {
    return;
  }
  listen();  // what it said last may be the result
  if (trainer->stage != Stage::killed && concerns_task()) {
    const std::optional<std::int64_t> oom_kills = read_oom_kills(options.oom_counter);
    const Diagnosis diagnosis =
        diagnose({*end, trainer->was_ready, oom_kills > trainer->oom_kills_before, trainer->process->last_words()});
    fail_task(diagnosis.cause, diagnosis.message);
  }
  trainer.reset();  // a task that it was not given yet waits for the next trainer
}

void Supervisor::State::check_deadlines() {
  if (trainer && trainer->stage == Stage::starting && now - trainer->since > options.start_deadline) {
    fail_task(Cause::start_failed,
              fmt::format("the trainer did not greet within {:.0f} s and was killed; its last words: {}",
                          options.start_deadline.count(), trainer->process->last_words()));
    kill_trainer();
  } else if (trainer && trainer->stage == Stage::ending && now - trainer->since > kEndingDeadline) {
    fail_task(Cause::exited, "the trainer closed its connection without ending and was killed");
    kill_trainer();
  } else if (trainer && trainer->stage == Stage::killed && task && now - task->since > options.start_deadline) {
    fail_task(
        Cause::start_failed,
        fmt::format("the former trainer (process {}) was killed {:.0f} s ago and has not ended: the kernel holds it",
                    trainer->process->pid(), (now - trainer->since).count()));
  } else if (task && task->watch) {
    if (const auto why = task->watch->overdue(now)) {
      fail_task(Cause::hung, "trainer killed: " + *why);
      kill_trainer();
    }
  }
}

void Supervisor::State::enter(Stage stage) {
  trainer->stage = stage;
  trainer->since = now;
}

void Supervisor::State::kill_trainer() {
  trainer->process->kill();
  enter(Stage::killed);
}

void Supervisor::State::fail_task(Cause cause, const std::string& message) {
  if (!task) {
    return;
  }
  TaskFailed failed;
  failed.task = task->assign.task;
  failed.attempt = task->assign.attempt;
  failed.cause = shutdown_at ? Cause::drained : cause;
  failed.message = one_line(message);
  failed.reached_epoch = task->reached;
  if (trainer && (task->watch || !trainer->was_ready)) failed.standard_error = trainer->process->words_since_mark();
  outgoing.push_back(failed);
  task.reset();
}

// ---- what the coordinator says
// --------------------------------------------------------------------------------------------------

void Supervisor::State::assign(const Assign& assign) {
  if (task) {
    throw std::logic_error(
        fmt::format("task {} was assigned while task {} runs", assign.task.value, task->assign.task.value));
  }
  task = RunningTask{assign, now, std::nullopt, false};
}

// The trainer decides; what it was not given yet is given back at once.
void Supervisor::State::suspend(const Suspend& suspend) {
  if (!task || task->assign.task != suspend.task || task->assign.attempt != suspend.attempt) {
    return;
  }
  if (!task->watch) {
    fail_task(Cause::drained, "given back on request before it began");
  } else if (trainer && trainer->stage == Stage::ready) {
    trainer->process->send(encode(ToWorker(suspend)));
  }
}

void Supervisor::State::prepare(const Prepare& prepare) {
  if (task) task->next = prepare;
}

void Supervisor::State::begin_shutdown() {
  if (shutdown_at) {
    return;
  }
  shutdown_at = now;
  if (trainer && trainer->stage != Stage::killed) {
    trainer->process->send(encode(ToWorker(Shutdown{})));
  }
}

// Another worker has the task by now: the time of a trainer that goes on with it would be wasted.
void Supervisor::State::start_anew() {
  if (shutdown_at) {
    return;
  }
  if (task && task->watch && trainer) {
    kill_trainer();
  }
  task.reset();
  greeted = false;
}

// ---- what to do next
// -----------------------------------------------------------------------------------------------------------

void Supervisor::State::start_or_give() {
  if (!task || task->watch || shutdown_at) {
    return;
  }
  if (!trainer) {
    start_trainer();
  } else if (trainer->stage == Stage::ready) {
    trainer->process->mark();
    trainer->process->send(encode(ToWorker(task->assign)));
    task->watch.emplace(options, now);
  }
}

// Not before the task itself: a trainer that starts has enough to do.
void Supervisor::State::tell_what_is_next() {
  if (!task || !task->watch || !task->next || shutdown_at || !trainer || trainer->stage != Stage::ready) {
    return;
  }
  trainer->process->send(encode(ToWorker(*task->next)));
  task->next.reset();
}

void Supervisor::State::start_trainer() {
  try {
    Trainer fresh;
    fresh.oom_kills_before = read_oom_kills(options.oom_counter);
    fresh.since = now;
    fresh.gpu = gpu;
    std::vector<std::string> command = options.trainer_command;
    if (!gpu.empty()) command.insert(command.end(), {"--gpu", gpu});
    fresh.process = std::make_unique<ChildProcess>(command, ChildSettings{options.threads, gpu}, log);
    trainer = std::move(fresh);
  } catch (const storage::Error& error) {
    fail_task(Cause::start_failed, error.what());
  }
}

void Supervisor::State::shut_down() {
  if (!shutdown_at || said_goodbye) {
    return;
  }
  const Seconds since = now - *shutdown_at;
  if (trainer && trainer->stage != Stage::killed && since > options.shutdown_grace) {
    kill_trainer();
  }
  const bool given_up = since > 2 * options.shutdown_grace;  // killed and still there: the kernel holds it
  if (!trainer || trainer->stage == Stage::killed) {
    fail_task(Cause::drained, "given back: the worker was told to shut down");
  }
  if (!trainer || given_up) {
    outgoing.push_back(Goodbye{});
    said_goodbye = true;
  }
}

void Supervisor::State::use(const UseGpu& use) {
  if (task) {
    throw std::logic_error(fmt::format("another GPU was given while task {} runs", task->assign.task.value));
  }
  gpu = use.uuid;
  if (trainer && trainer->gpu != gpu && trainer->stage != Stage::killed) {
    kill_trainer();  // a CUDA context does not move
  }
}

// ---- the public face
// -----------------------------------------------------------------------------------------------------------

Supervisor::Supervisor(SupervisorOptions options, Clock clock)
    : state_(std::make_unique<State>(std::move(options), std::move(clock))) {}

Supervisor::~Supervisor() = default;

void Supervisor::handle(const ToWorker& message) {
  State& state = *state_;
  state.now = state.clock.now();
  if (const auto* assign = std::get_if<Assign>(&message)) {
    state.assign(*assign);
  } else if (std::holds_alternative<StartAnew>(message)) {
    state.start_anew();
  } else if (const auto* suspend = std::get_if<Suspend>(&message)) {
    state.suspend(*suspend);
  } else if (const auto* prepare = std::get_if<Prepare>(&message)) {
    state.prepare(*prepare);
  } else if (const auto* use = std::get_if<UseGpu>(&message)) {
    state.use(*use);
  } else {
    state.begin_shutdown();
  }
}

void Supervisor::poll() {
  State& state = *state_;
  if (state.said_goodbye) {
    return;
  }
  state.now = state.clock.now();
  state.greet_and_beat();
  state.listen();
  state.check_end();
  state.check_deadlines();
  state.start_or_give();
  state.tell_what_is_next();
  state.shut_down();
}

std::vector<ToCoordinator> Supervisor::take_outgoing() {
  state_->goodbye_taken = state_->said_goodbye;
  return std::exchange(state_->outgoing, {});
}

bool Supervisor::finished() const {
  return state_->goodbye_taken;
}

int Supervisor::descriptor() const {
  return state_->trainer ? state_->trainer->process->descriptor() : -1;
}

int Supervisor::trainer_pid() const {
  return state_->trainer ? state_->trainer->process->pid() : 0;
}

}  // namespace workers
