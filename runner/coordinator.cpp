// The state machine's events: what each does to tasks and workers, and the actions that follow. See runner/README.md
// for the rules. Reads no clock, sends nothing, opens no file.
#include "runner/coordinator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "runner/foresight.hpp"
#include "runner/forward_time.hpp"
#include "runner/suspicion.hpp"
#include "runner/task_table.hpp"
#include "runner/worker_table.hpp"

namespace runner {

using workers::Cause;

struct Coordinator::State {
  State(const Budgets& b, RunTimes known)
      : budgets(b), foresight(std::move(known), b.checkpoint_every), first_errors(b.same_error_stop) {}

  Budgets budgets;
  Foresight foresight;
  TaskTable tasks;
  WorkerTable workers;
  ErrorOrigins errors;
  FirstErrors first_errors;
  ForwardTime time;
  double now = 0;
  bool no_more = false;
  bool draining = false;  // asked, or a disk is full
  bool asked_to_drain = false;
  double drain_ends = 0;  // the sooner of what was asked
  bool ended = false;
  std::string stop_why;   // the first reason to stop; empty: none
  std::string last_loss;  // who was lost last, and why
  std::vector<Action> actions;

  // events
  void handle(const WorkersExpected& event);
  void handle(const TasksAdded& event);
  void handle(const NoMoreTasks&) { no_more = true; }
  void handle(const FromWorker& event);
  void handle(const LinkLost& event);
  void handle(const Tick&);
  void handle(const DrainAsked& event);
  void handle(const TimeLeft& left) { foresight.no_task_after(now + left.seconds); }

  // messages
  void greet(WorkerId id, const workers::Hello& hello);
  void call_back(WorkerEntry& worker);
  void hear(WorkerEntry&, const workers::Hello&) {}  // greet() has seen to it
  void hear(WorkerEntry&, const workers::Heartbeat&) {}
  void hear(WorkerEntry& worker, const workers::EpochDone& message);
  void hear(WorkerEntry& worker, const workers::CheckpointWritten& message) { show(worker, message); }
  void hear(WorkerEntry& worker, const workers::Resumed& message) {
    show(worker, message);
    if (TaskEntry* task = held(worker, message.task, message.attempt)) {
      task->resumed = true;
      task->began_at = message.epoch;
      foretell(worker, message.epoch);
    }
  }
  void hear(WorkerEntry& worker, const workers::Remark& message) { show(worker, message); }
  void hear(WorkerEntry& worker, const workers::TaskDone& message);
  void hear(WorkerEntry& worker, const workers::TaskFailed& message);
  void hear(WorkerEntry& worker, const workers::Goodbye&) { lose(worker, "it said goodbye"); }

  // what they have in common
  TaskEntry* held(const WorkerEntry& worker, TaskId task, Attempt attempt);
  template <typename News>
  void show(const WorkerEntry& worker, const News& news) {
    if (held(worker, news.task, news.attempt) != nullptr) actions.push_back(ShowCheckpoint{worker.id, news});
  }
  void keep_evidence(WorkerId worker, const workers::TaskDone& message);
  void fail(WorkerEntry& worker, TaskEntry& task, const workers::TaskFailed& failure);
  bool is_suspect(WorkerEntry& worker, TaskEntry& task, const workers::TaskFailed& failure);
  void quarantine(WorkerEntry& worker, const workers::TaskFailed& last);
  void lose(WorkerEntry& worker, const std::string& why);
  void give_up_attempt(TaskEntry& task, WorkerId worker, Cause cause, const std::string& message, bool again,
                       const std::string& standard_error = "");

  // after each event
  void settle();
  void end(Action last);
  void assign();
  std::optional<TaskId> choose(const WorkerEntry& worker);
  void foretell(WorkerEntry& worker, int epochs);
  bool may_try(const TaskEntry& task, WorkerId worker) const;
};

// ---- events
// --------------------------------------------------------------------------------------------------------------

void Coordinator::State::handle(const WorkersExpected& event) {
  for (const WorkerId id : event.workers) workers.expect(id, now);
}

void Coordinator::State::handle(const TasksAdded& event) {
  if (no_more) throw std::logic_error("tasks were added after NoMoreTasks");
  for (const PlannedTask& planned : event.tasks) {
    const TaskEntry& task = tasks.add(planned);
    const TaskEntry* broken = tasks.broken_need(task);
    if (broken != nullptr) actions.push_back(RecordBlocked{planned.id, broken->planned.id});
  }
}

void Coordinator::State::handle(const FromWorker& event) {
  if (const auto* hello = std::get_if<workers::Hello>(&event.message)) greet(event.worker, *hello);
  WorkerEntry* worker = workers.find(event.worker);
  if (worker != nullptr && worker->presence == Presence::live) {
    worker->last_heard = now;
    std::visit([&](const auto& message) { hear(*worker, message); }, event.message);
    return;
  }
  if (const auto* done = std::get_if<workers::TaskDone>(&event.message)) keep_evidence(event.worker, *done);
  const bool leaves = std::holds_alternative<workers::Goodbye>(event.message);
  if (worker != nullptr && worker->presence == Presence::gone && !leaves) call_back(*worker);
}

void Coordinator::State::handle(const LinkLost& event) {
  WorkerEntry* worker = workers.find(event.worker);
  if (worker == nullptr) return;
  if (worker->presence == Presence::live || worker->presence == Presence::expected) lose(*worker, event.why);
}

void Coordinator::State::handle(const Tick&) {
  for (WorkerEntry* worker : workers.overdue(now, budgets)) {
    const char* what = worker->presence == Presence::live ? "sign of life" : "greeting";
    lose(*worker, fmt::format("no {} for {:.0f} s", what, now - worker->last_heard));
  }
}

void Coordinator::State::handle(const DrainAsked& event) {
  draining = true;
  const auto ends = event.seconds_left ? now + *event.seconds_left : std::numeric_limits<double>::infinity();
  if (asked_to_drain && ends >= drain_ends) return;
  asked_to_drain = true;
  drain_ends = ends;
  for (const WorkerId id : workers.live()) {
    const TaskEntry* task = workers.find(id)->task;
    if (task == nullptr || !can_make_way(task->planned)) continue;
    actions.push_back(Send{id, workers::Suspend{task->planned.id, task->attempt, event.seconds_left}});
  }
}

// ---- messages
// ------------------------------------------------------------------------------------------------------------

void Coordinator::State::greet(WorkerId id, const workers::Hello& hello) {
  WorkerEntry* known = workers.find(id);
  if (known != nullptr && known->presence == Presence::quarantined) return;
  TaskEntry* lost = known != nullptr ? known->task : nullptr;
  workers.greet(id, hello.host, now);
  errors.greeted(hello.host);
  if (lost == nullptr) return;
  const bool again = ++lost->infrastructure_failures <= budgets.infrastructure_retries;
  give_up_attempt(*lost, id, Cause::worker_lost, "the worker was started anew", again);
}

/// It was only slow, or its link was mended: it can work again once it has forgotten what it held. Asked again should
/// the answer take as long as a loss does.
void Coordinator::State::call_back(WorkerEntry& worker) {
  if (draining) return;
  if (worker.asked_to_start_anew && now - *worker.asked_to_start_anew < budgets.heartbeat_deadline) return;
  worker.asked_to_start_anew = now;
  actions.push_back(Send{worker.id, workers::StartAnew{}});
}

void Coordinator::State::hear(WorkerEntry& worker, const workers::EpochDone& message) {
  if (held(worker, message.task, message.attempt) == nullptr) return;
  worker.streak.clear();
  actions.push_back(ShowEpoch{message.task, message.attempt, worker.id, message.epoch});
  foretell(worker, message.epoch.epoch + 1);
}

void Coordinator::State::hear(WorkerEntry& worker, const workers::TaskDone& message) {
  TaskEntry* task = held(worker, message.task, message.attempt);
  if (task == nullptr) return keep_evidence(worker.id, message);
  if (!fits(task->planned.what, message.output)) {
    const std::string why = "the worker returned the output of another kind of task";
    return fail(worker, *task, {message.task, message.attempt, Cause::exception, why, false});
  }
  actions.push_back(
      Commit{message.task, message.attempt, worker.id, message.output, message.wall_seconds, message.started});
  foresight.learn(*task, worker.warm, now, tasks);
  tasks.finish(*task);
  worker.streak.clear();
  worker.warm = true;
  workers.remember(worker, task->planned.affinity);
  workers.release(worker);
  if (is_training(task->planned)) first_errors.one_done();
}

void Coordinator::State::hear(WorkerEntry& worker, const workers::TaskFailed& message) {
  TaskEntry* task = held(worker, message.task, message.attempt);
  if (task != nullptr) fail(worker, *task, message);
}

// ---- what they have in common
// ------------------------------------------------------------------------------------------------

/// The task that a message speaks of, if this worker holds this attempt of it: the fence that late messages do not
/// pass.
TaskEntry* Coordinator::State::held(const WorkerEntry& worker, TaskId task, Attempt attempt) {
  TaskEntry* entry = worker.task;
  return entry != nullptr && entry->planned.id == task && entry->attempt == attempt ? entry : nullptr;
}

void Coordinator::State::keep_evidence(WorkerId worker, const workers::TaskDone& message) {
  const TaskEntry* task = tasks.find(message.task);
  if (task == nullptr) return;
  actions.push_back(KeepEvidence{message.task, message.attempt, worker, message.output,
                                 why_not_current(*task, worker, message.attempt)});
}

void Coordinator::State::fail(WorkerEntry& worker, TaskEntry& task, const workers::TaskFailed& failure) {
  workers.release(worker);
  if (workers::takes_the_trainer_along(failure.cause)) worker.forget_trainer();
  if (workers::is_of_the_training(failure.cause)) task.anew_through = task.attempt.value;
  const auto give_up = [&](bool again) {
    give_up_attempt(task, worker.id, failure.cause, failure.message, again, failure.standard_error);
  };
  if (failure.cause == Cause::drained) return give_up(true);
  if (workers::is_infrastructure(failure.cause)) {
    if (failure.cause == Cause::disk_full) draining = true;  // whatever is started next would run into it as well
    return give_up(!workers::is_final(failure.cause) &&
                   ++task.infrastructure_failures <= budgets.infrastructure_retries);
  }
  if (is_suspect(worker, task, failure)) {
    give_up(true);
    return quarantine(worker, failure);
  }
  ++task.job_failures;
  task.failed_on.push_back(worker.id);
  give_up(!workers::is_final(failure.cause) && task.job_failures <= budgets.job_retries);
}

/// Takes the failure into the worker's streak; true when it is long enough, and another worker is there to go on.
bool Coordinator::State::is_suspect(WorkerEntry& worker, TaskEntry& task, const workers::TaskFailed& failure) {
  const std::string signature = error_signature(failure.cause, failure.message);
  errors.report(signature, worker.id, worker.host);
  if (failure.reached_epoch) worker.streak.clear();
  if (failure.reached_epoch || workers::is_final(failure.cause) || budgets.quarantine_after <= 0) return false;
  const auto limit = static_cast<std::size_t>(budgets.quarantine_after);
  const bool counts = worker.streak.add({&task, signature}, errors, worker.id, worker.host, limit);
  return counts && worker.streak.failures().size() >= limit && workers.live_count() > 1;
}

void Coordinator::State::quarantine(WorkerEntry& worker, const workers::TaskFailed& last) {
  const auto& failures = worker.streak.failures();
  for (std::size_t i = 0; i + 1 < failures.size(); ++i) {  // the last one was not charged
    TaskEntry& task = *failures[i].task;
    if (task.open() && task.job_failures > 0) --task.job_failures;
  }
  workers.leave(worker, Presence::quarantined);
  actions.push_back(
      Quarantine{worker.id, fmt::format("{} failed {} tasks in a row before a first epoch; the last: {}: {}",
                                        worker.name(), failures.size(), workers::name_of(last.cause), last.message)});
  actions.push_back(Send{worker.id, workers::Shutdown{}});
}

void Coordinator::State::lose(WorkerEntry& worker, const std::string& why) {
  TaskEntry* task = worker.task;
  workers.leave(worker, Presence::gone);
  last_loss = fmt::format("{}: {}", worker.name(), why);
  actions.push_back(WorkerGone{worker.id, why});
  if (task == nullptr) return;
  const bool again = ++task->infrastructure_failures <= budgets.infrastructure_retries;
  give_up_attempt(*task, worker.id, Cause::worker_lost, why, again);
}

/// The running attempt of a task is over without an output: queues it again or fails it with all that need it.
void Coordinator::State::give_up_attempt(TaskEntry& task, WorkerId worker, Cause cause, const std::string& message,
                                         bool again, const std::string& standard_error) {
  const TaskId id = task.planned.id;
  if (again) {
    tasks.requeue(task);
    actions.push_back(RecordAttempt{id, task.attempt, worker, cause, message, standard_error});
    return;
  }
  actions.push_back(RecordFailure{id, task.attempt, worker, cause, message, tasks.fail(task), standard_error});
  if (is_training(task.planned) && first_errors.one_failed(error_signature(cause, message)) && stop_why.empty()) {
    stop_why = fmt::format("the first {} trainings that ended all failed with the same error: {}: {}{}",
                           budgets.same_error_stop, workers::name_of(cause), message, kMendAndRetry);
  }
}

// ---- after each event
// --------------------------------------------------------------------------------------------------------

void Coordinator::State::settle() {
  if (!stop_why.empty()) return end(StopSweep{stop_why});
  const bool all_ended = no_more && tasks.open() == 0;
  if (all_ended || (draining && tasks.running() == 0)) return end(Finished{});
  if (draining) return;
  if (workers.all_lost() && tasks.open() > 0) {
    return end(
        StopSweep{fmt::format("no worker is left: the last was {}; open tasks: {}; the same command goes on with them",
                              last_loss, tasks.open())});
  }
  assign();
  // Where all that could be given out would take too long, it does not help to wait.
  if (tasks.postponed() > 0 && tasks.ready().empty() && tasks.running() == 0) end(Finished{});
}

void Coordinator::State::end(Action last) {
  for (const WorkerId id : workers.live()) actions.push_back(Send{id, workers::Shutdown{}});
  actions.push_back(std::move(last));
  ended = true;
}

void Coordinator::State::assign() {
  if (tasks.ready().empty() || workers.idle().empty()) return;
  const std::vector<WorkerId> idle(workers.idle().begin(), workers.idle().end());
  for (const WorkerId id : idle) {
    if (tasks.ready().empty()) return;
    WorkerEntry& worker = *workers.find(id);
    const auto chosen = choose(worker);
    if (!chosen) continue;
    TaskEntry& task = *tasks.find(*chosen);
    tasks.start(task, id, now);
    workers.hold(worker, task);
    actions.push_back(Send{id, workers::Assign{*chosen, task.attempt, task.planned.what, task.anew_through}});
  }
  for (const WorkerId id : idle) {
    if (WorkerEntry& worker = *workers.find(id); worker.task != nullptr) foretell(worker, 0);
  }
}

/// Once an attempt: what its worker will probably be given next, where it needs features that are not loaded. Each
/// worker gets a guess of its own; what it has prepared counts as loaded when it is idle.
void Coordinator::State::foretell(WorkerEntry& worker, int epochs) {
  TaskEntry& task = *worker.task;
  if (draining || !stop_why.empty() || task.is_ending || !end_is_near(task, epochs, now)) return;
  task.is_ending = true;
  const auto loaded = worker.loaded();
  if (!tasks.ready().has_trainings_beyond(loaded)) return;
  const auto may = [&](TaskId id) { return !workers.is_foretold(id) && may_try(*tasks.find(id), worker.id); };
  const auto next = tasks.ready().choose(loaded, may);
  if (!next || !foresight.ends_in_time(tasks.find(*next)->planned, now)) return;
  workers.foretell(worker, *next);
  const PlannedTask& planned = tasks.find(*next)->planned;
  if (std::find(loaded.begin(), loaded.end(), planned.affinity) != loaded.end() || planned.affinity.empty()) return;
  workers.remember(worker, planned.affinity);
  actions.push_back(Send{worker.id, workers::Prepare{std::get<workers::TrainTask>(planned.what)}});
}

/// The first that ends in time; those before it are out of the way from now on.
std::optional<TaskId> Coordinator::State::choose(const WorkerEntry& worker) {
  const auto may = [&](TaskId task) { return may_try(*tasks.find(task), worker.id); };
  for (;;) {
    const auto chosen = tasks.ready().choose(worker.affinities, may);
    if (!chosen || foresight.ends_in_time(tasks.find(*chosen)->planned, now)) return chosen;
    foresight.postpone(*tasks.find(*chosen), tasks);
  }
}

/// Not twice on one worker while another could try it: a broken worker must not use up a job's budget alone.
bool Coordinator::State::may_try(const TaskEntry& task, WorkerId worker) const {
  const auto& failed_on = task.failed_on;
  if (std::find(failed_on.begin(), failed_on.end(), worker) == failed_on.end()) return true;
  std::set<WorkerId> live_failed;
  std::copy_if(failed_on.begin(), failed_on.end(), std::inserter(live_failed, live_failed.end()),
               [this](WorkerId id) { return workers.is_live(id); });
  return live_failed.size() == workers.live_count();
}

// ---- the public face
// ---------------------------------------------------------------------------------------------------------

Coordinator::Coordinator(Budgets budgets, RunTimes known)
    : state_(std::make_unique<State>(budgets, std::move(known))) {}
Coordinator::Coordinator(Coordinator&&) noexcept = default;
Coordinator& Coordinator::operator=(Coordinator&&) noexcept = default;
Coordinator::~Coordinator() = default;

std::vector<Action> Coordinator::on(const Event& event, double now) {
  State& state = *state_;
  state.now = state.time.advance(now);
  if (state.ended) {
    const auto* from = std::get_if<FromWorker>(&event);
    const bool greets = from != nullptr && std::holds_alternative<workers::Hello>(from->message);
    return greets ? std::vector<Action>{Send{from->worker, workers::Shutdown{}}} : std::vector<Action>{};
  }
  std::visit([&state](const auto& one) { state.handle(one); }, event);
  state.settle();
  return std::exchange(state.actions, {});
}

Counts Coordinator::counts_of_jobs() const {
  return state_->tasks.counts(true);
}
Counts Coordinator::counts_of_features() const {
  return state_->tasks.counts(false);
}

const PlannedTask& Coordinator::task(TaskId id) const {
  const TaskEntry* task = state_->tasks.find(id);
  if (task == nullptr) throw std::out_of_range(fmt::format("task {} is not in the plan", id.value));
  return task->planned;
}

std::size_t Coordinator::live_workers() const {
  return state_->workers.live_count();
}
bool Coordinator::finished() const {
  return state_->ended;
}
std::optional<double> Coordinator::expected_seconds(TaskId id) const {
  return state_->foresight.expected_seconds(task(id));
}
Postponed Coordinator::postponed() const {
  return state_->foresight.postponed(state_->tasks);
}

}  // namespace runner
