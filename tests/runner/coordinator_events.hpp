// Short words for the coordinator's events and actions, and a way to print an action when a list is not the expected
// one.
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "runner/coordinator.hpp"

namespace runner {

using Actions = std::vector<Action>;
using workers::Cause;

inline PlannedTask training(std::int64_t id, std::vector<TaskId> needs = {}, double cost = 1,
                            std::string affinity = "") {
  PlannedTask task;
  task.id = {id};
  workers::TrainTask what;
  what.train_file = "train-" + std::to_string(id);
  task.what = what;
  task.needs = std::move(needs);
  task.cost = cost;
  task.affinity = std::move(affinity);
  task.name = "training " + std::to_string(id);
  return task;
}

inline PlannedTask extraction(std::int64_t id, std::vector<TaskId> needs = {}, double cost = 1) {
  PlannedTask task = training(id, std::move(needs), cost);
  workers::ExtractTask what;
  what.part = id;
  task.what = what;
  task.name = "extraction " + std::to_string(id);
  return task;
}

inline workers::TaskOutput output_for(const PlannedTask& task) {
  if (std::holds_alternative<workers::TrainTask>(task.what)) return workers::Trained{};
  return workers::Extracted{7};
}

// ---- events
// ------------------------------------------------------------------------------------------------------------------

inline Event hello(int worker, const std::string& host = "node") {
  return FromWorker{{worker}, workers::Hello{workers::kProtocolVersion, host, 100 + worker, 1, {}}};
}
inline Event heartbeat(int worker) {
  return FromWorker{{worker}, workers::Heartbeat{}};
}
inline Event goodbye(int worker) {
  return FromWorker{{worker}, workers::Goodbye{}};
}
inline Event done(int worker, const PlannedTask& task, int attempt = 1) {
  return FromWorker{{worker}, workers::TaskDone{task.id, {attempt}, output_for(task), 2.5, "then"}};
}
inline Event failed(int worker, const PlannedTask& task, int attempt, Cause cause, const std::string& message,
                    bool reached_epoch = false) {
  return FromWorker{{worker}, workers::TaskFailed{task.id, {attempt}, cause, message, reached_epoch}};
}
inline Event epoch(int worker, const PlannedTask& task, int attempt, int number) {
  workers::EpochDone message{task.id, {attempt}, {}};
  message.epoch.epoch = number;
  return FromWorker{{worker}, message};
}
inline Event lost(int worker) {
  return LinkLost{{worker}, "connection reset"};
}

// ---- actions
// -----------------------------------------------------------------------------------------------------------------

inline Action send(int worker, const PlannedTask& task, int attempt = 1, int anew_through = 0) {
  return Send{{worker}, workers::Assign{task.id, {attempt}, task.what, anew_through}};
}
inline Action suspend(int worker, const PlannedTask& task, int attempt = 1, std::optional<double> seconds_left = {}) {
  return Send{{worker}, workers::Suspend{task.id, {attempt}, seconds_left}};
}
inline Action prepare(int worker, const PlannedTask& next) {
  return Send{{worker}, workers::Prepare{std::get<workers::TrainTask>(next.what)}};
}
inline Action shutdown(int worker) {
  return Send{{worker}, workers::Shutdown{}};
}
inline Action start_anew(int worker) {
  return Send{{worker}, workers::StartAnew{}};
}
inline Action commit(int worker, const PlannedTask& task, int attempt = 1) {
  return Commit{task.id, {attempt}, {worker}, output_for(task), 2.5, "then"};
}
inline Action again(int worker, const PlannedTask& task, int attempt, Cause cause, const std::string& message) {
  return RecordAttempt{task.id, {attempt}, {worker}, cause, message};
}
inline Action failure(int worker, const PlannedTask& task, int attempt, Cause cause, const std::string& message,
                      std::vector<TaskId> blocked = {}) {
  return RecordFailure{task.id, {attempt}, {worker}, cause, message, std::move(blocked)};
}
inline Action evidence(int worker, const PlannedTask& task, int attempt, const std::string& why) {
  return KeepEvidence{task.id, {attempt}, {worker}, output_for(task), why};
}
inline Action gone(int worker, const std::string& why) {
  return WorkerGone{{worker}, why};
}

// ---- printing
// ----------------------------------------------------------------------------------------------------------------

struct ActionPrinter {
  std::ostream& out;
  void operator()(const Send& a) const {
    const auto* assign = std::get_if<workers::Assign>(&a.message);
    if (const auto* suspend = std::get_if<workers::Suspend>(&a.message)) {
      out << "suspend task " << suspend->task.value << "." << suspend->attempt.value << " on worker " << a.worker.value;
    } else if (const auto* prepare = std::get_if<workers::Prepare>(&a.message)) {
      out << "tell worker " << a.worker.value << " that " << prepare->next.train_file << " is next";
    } else if (assign == nullptr) {
      out << (std::holds_alternative<workers::StartAnew>(a.message) ? "call back" : "shutdown") << " worker "
          << a.worker.value;
    } else {
      out << "send task " << assign->task.value << "." << assign->attempt.value << " to worker " << a.worker.value
          << ", anew through " << assign->anew_through;
    }
  }
  void operator()(const Commit& a) const { of("commit", a); }
  void operator()(const RecordAttempt& a) const {
    of("again", a) << ": " << workers::name_of(a.cause) << ": " << a.message;
  }
  void operator()(const RecordFailure& a) const {
    of("failure", a) << ": " << workers::name_of(a.cause) << ": " << a.message << "; blocks";
    for (const TaskId id : a.blocked) out << " " << id.value;
  }
  void operator()(const RecordBlocked& a) const { out << "task " << a.task.value << " blocked by " << a.need.value; }
  void operator()(const KeepEvidence& a) const { of("evidence", a) << ": " << a.why; }
  void operator()(const ShowEpoch& a) const { of("epoch", a) << ": " << a.epoch.epoch; }
  void operator()(const ShowCheckpoint& a) const { out << "checkpoint of worker " << a.worker.value; }
  void operator()(const WorkerGone& a) const { out << "worker " << a.worker.value << " gone: " << a.why; }
  void operator()(const Quarantine& a) const { out << "worker " << a.worker.value << " quarantined: " << a.why; }
  void operator()(const StopSweep& a) const { out << "stop: " << a.why; }
  void operator()(const Finished&) const { out << "finished"; }

  template <typename A>
  std::ostream& of(const char* what, const A& a) const {
    return out << what << " task " << a.task.value << "." << a.attempt.value << " of worker " << a.worker.value;
  }
};
/// GoogleTest finds it for lists of actions; one alone is printed as bytes.
inline void PrintTo(const Actions& actions, std::ostream* out) {
  for (const Action& action : actions) {
    *out << "\n    ";
    std::visit(ActionPrinter{*out}, action);
  }
}

}  // namespace runner
