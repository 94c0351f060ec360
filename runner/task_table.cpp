// Every planned task and where it stands. Each need is counted once and has an edge back, so an end costs only what it
// sets free.
#include "runner/task_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>

namespace runner {

bool can_make_way(const PlannedTask& task) {
  const auto* train = std::get_if<workers::TrainTask>(&task.what);
  return train != nullptr && sweeps::is_trained(train->job.method);
}

bool end_is_near(const TaskEntry& task, int epochs, double now) {
  constexpr double kSecondsToPrepare = 20;  // reading some GB from a slow disk
  const auto* train = std::get_if<workers::TrainTask>(&task.planned.what);
  if (train == nullptr) return false;
  const int left = sweeps::is_trained(train->job.method) ? train->job.training.epochs - epochs : 0;
  const int made = epochs - task.began_at;
  return left <= 1 || (made > 0 && (now - task.started) / made * left <= kSecondsToPrepare);
}

bool fits(const workers::Task& task, const workers::TaskOutput& output) {
  return task.index() == output.index();  // both variants list scan, extract, assemble, train
}
static_assert(std::is_same_v<std::variant_alternative_t<3, workers::Task>, workers::TrainTask>);
static_assert(std::is_same_v<std::variant_alternative_t<3, workers::TaskOutput>, workers::Trained>);

std::string why_not_current(const TaskEntry& task, WorkerId worker, Attempt attempt) {
  if (task.phase == Phase::done) return "the task is committed already";
  if (!task.open()) return "the task was given up";
  if (task.phase != Phase::running) return fmt::format("attempt {} is over; the task waits", attempt.value);
  if (attempt != task.attempt) {
    return fmt::format("attempt {} is over; attempt {} runs", attempt.value, task.attempt.value);
  }
  if (worker != task.worker) return fmt::format("worker {} holds the task", task.worker.value);
  return "";
}

TaskEntry& TaskTable::add(PlannedTask task) {
  const TaskId id = task.id;
  if (!std::isfinite(task.cost)) throw std::logic_error(fmt::format("task {}: its cost is no number", id.value));
  if (find(id) != nullptr) throw std::logic_error(fmt::format("task {} was added before", id.value));
  std::sort(task.needs.begin(), task.needs.end());
  task.needs.erase(std::unique(task.needs.begin(), task.needs.end()), task.needs.end());
  for (const TaskId need : task.needs) {
    if (find(need) == nullptr) {
      throw std::logic_error(fmt::format("task {} needs task {}, which was not added before it", id.value, need.value));
    }
  }
  TaskEntry& entry = tasks_[id];
  entry.planned = std::move(task);
  entry.attempt.value = entry.planned.attempts_before;
  entry.anew_through = entry.planned.anew_through;
  ++count(entry, Phase::waiting);
  for (const TaskId id_of_need : entry.planned.needs) {
    TaskEntry& need = *find(id_of_need);
    if (need.phase == Phase::done) continue;
    need.dependents.push_back(&entry);
    ++entry.open_needs;
  }
  if (broken_need(entry) != nullptr) {
    move_to(entry, Phase::blocked);
  } else if (entry.open_needs == 0) {
    move_to(entry, Phase::ready);
  }
  return entry;
}

TaskEntry* TaskTable::find(TaskId id) {
  const auto found = tasks_.find(id);
  return found == tasks_.end() ? nullptr : &found->second;
}

const TaskEntry* TaskTable::find(TaskId id) const {
  const auto found = tasks_.find(id);
  return found == tasks_.end() ? nullptr : &found->second;
}

const TaskEntry* TaskTable::broken_need(const TaskEntry& entry) const {
  for (const TaskId id : entry.planned.needs) {
    const TaskEntry* need = find(id);
    if (need->phase == Phase::failed || need->phase == Phase::blocked) return need;
  }
  return nullptr;
}

void TaskTable::start(TaskEntry& entry, WorkerId worker, double now) {
  move_to(entry, Phase::running);
  ++entry.attempt.value;
  entry.worker = worker;
  entry.started = now;
  entry.resumed = false;
  entry.began_at = 0;
  entry.is_ending = false;
}

void TaskTable::requeue(TaskEntry& entry) {
  move_to(entry, Phase::ready);
}

void TaskTable::finish(TaskEntry& entry) {
  move_to(entry, Phase::done);
  for (TaskEntry* dependent : entry.dependents) {
    if (--dependent->open_needs == 0 && dependent->phase == Phase::waiting) move_to(*dependent, Phase::ready);
  }
}

std::vector<TaskId> TaskTable::fail(TaskEntry& entry) {
  move_to(entry, Phase::failed);
  std::vector<TaskId> blocked;
  std::vector<TaskEntry*> broken{&entry};
  while (!broken.empty()) {
    const TaskEntry* one = broken.back();
    broken.pop_back();
    for (TaskEntry* dependent : one->dependents) {
      if (dependent->phase == Phase::blocked) continue;
      move_to(*dependent, Phase::blocked);
      blocked.push_back(dependent->planned.id);
      broken.push_back(dependent);
    }
  }
  std::sort(blocked.begin(), blocked.end());
  return blocked;
}

/// Its phase stays: it waits, whatever for.
void TaskTable::postpone(TaskEntry& entry) {
  ready_.erase(entry.planned);
  postponed_[entry.planned.effort.kind].push_back(&entry);
  entry.postponed = true;
  ++postponed_count_;
}

void TaskTable::take_up_again(const std::string& kind) {
  const auto found = postponed_.find(kind);
  if (found == postponed_.end()) return;
  for (TaskEntry* entry : found->second) {
    entry->postponed = false;
    ready_.insert(entry->planned);
  }
  postponed_count_ -= found->second.size();
  postponed_.erase(found);
}

void TaskTable::for_each_postponed(const std::function<void(const TaskEntry&)>& look) const {
  for (const auto& [kind, entries] : postponed_) {
    for (const TaskEntry* entry : entries) look(*entry);
  }
}

Counts TaskTable::counts(bool trainings) const {
  return counts_[trainings];
}

void TaskTable::move_to(TaskEntry& entry, Phase phase) {
  --count(entry, entry.phase);
  ++count(entry, phase);
  if (entry.phase == Phase::ready) ready_.erase(entry.planned);
  if (phase == Phase::ready) ready_.insert(entry.planned);
  entry.phase = phase;
}

std::int64_t& TaskTable::count(const TaskEntry& entry, Phase phase) {
  Counts& counts = counts_[is_training(entry.planned)];
  switch (phase) {
    case Phase::running:
      return counts.running;
    case Phase::done:
      return counts.done;
    case Phase::failed:
    case Phase::blocked:
      return counts.failed;
    default:
      return counts.waiting;
  }
}

}  // namespace runner
