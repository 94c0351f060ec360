// The workers, each in a map, with the sets by which they are looked for.
#include "runner/worker_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runner {
namespace {

/// As a trainer keeps them: what was used longest ago goes.
void put_first(const std::string& affinity, std::deque<std::string>& affinities) {
  if (affinity.empty()) return;
  affinities.erase(std::remove(affinities.begin(), affinities.end(), affinity), affinities.end());
  affinities.push_front(affinity);
  if (affinities.size() > workers::kFeaturesKept) affinities.pop_back();
}

}  // namespace

std::string WorkerEntry::name() const {
  return host.empty() ? fmt::format("worker {}", id.value) : fmt::format("worker {} ({})", id.value, host);
}

std::deque<std::string> WorkerEntry::loaded() const {
  std::deque<std::string> all = affinities;
  put_first(task->planned.affinity, all);
  return all;
}

WorkerEntry* WorkerTable::find(WorkerId id) {
  const auto found = workers_.find(id);
  return found == workers_.end() ? nullptr : &found->second;
}

void WorkerTable::expect(WorkerId id, double now) {
  if (find(id) != nullptr) return;
  WorkerEntry& worker = workers_[id];
  worker.id = id;
  worker.last_heard = now;
  expected_.insert(id);
}

WorkerEntry& WorkerTable::greet(WorkerId id, const std::string& host, double now) {
  if (WorkerEntry* former = find(id)) forget_next(*former);
  WorkerEntry fresh;
  fresh.id = id;
  fresh.presence = Presence::live;
  fresh.last_heard = now;
  fresh.host = host;
  expected_.erase(id);
  live_.insert(id);
  idle_.insert(id);
  return workers_[id] = std::move(fresh);
}

void WorkerTable::leave(WorkerEntry& worker, Presence presence) {
  forget_next(worker);
  worker.presence = presence;
  worker.task = nullptr;
  expected_.erase(worker.id);
  live_.erase(worker.id);
  idle_.erase(worker.id);
}

void WorkerTable::hold(WorkerEntry& worker, TaskEntry& task) {
  worker.task = &task;
  idle_.erase(worker.id);
}

void WorkerTable::release(WorkerEntry& worker) {
  forget_next(worker);
  worker.task = nullptr;
  idle_.insert(worker.id);
}

void WorkerTable::remember(WorkerEntry& worker, const std::string& affinity) {
  put_first(affinity, worker.affinities);
}

void WorkerTable::foretell(WorkerEntry& worker, TaskId next) {
  worker.next = next;
  foretold_.insert(next);
}

void WorkerTable::forget_next(WorkerEntry& worker) {
  if (worker.next) foretold_.erase(*worker.next);
  worker.next.reset();
}

std::vector<WorkerEntry*> WorkerTable::overdue(double now, const Budgets& deadlines) {
  std::vector<WorkerEntry*> late;
  for (auto& [id, worker] : workers_) {
    const double silence = now - worker.last_heard;
    const bool silent = worker.presence == Presence::live && silence > deadlines.heartbeat_deadline;
    const bool absent = worker.presence == Presence::expected && silence > deadlines.hello_deadline;
    if (silent || absent) late.push_back(&worker);
  }
  return late;
}

}  // namespace runner
