// The workers, each in a map, with the sets by which they are looked for.
#include "runner/worker_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runner {
namespace {

/// What a trainer keeps loaded is limited; older features are as far away as any.
constexpr std::size_t kRememberedAffinities = 4;

}  // namespace

std::string WorkerEntry::name() const {
  return host.empty() ? fmt::format("worker {}", id.value) : fmt::format("worker {} ({})", id.value, host);
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
  worker.task = nullptr;
  idle_.insert(worker.id);
}

void WorkerTable::remember(WorkerEntry& worker, const std::string& affinity) {
  worker.warm = true;
  if (affinity.empty()) return;
  auto& known = worker.affinities;
  known.erase(std::remove(known.begin(), known.end(), affinity), known.end());
  known.push_front(affinity);
  if (known.size() > kRememberedAffinities) known.pop_back();
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
