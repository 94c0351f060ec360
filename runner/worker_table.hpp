// The workers: who is there, who is idle, who has been silent for too long. Knows no tasks' rules.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runner/suspicion.hpp"

namespace runner {

enum class Presence {
  expected,  ///< started, has not greeted
  live,
  gone,         ///< lost or left; a new greeting makes it a fresh worker
  quarantined,  ///< for good
};

struct WorkerEntry {
  WorkerId id;
  Presence presence = Presence::expected;
  double last_heard = 0;
  std::string host;
  std::optional<double> asked_to_start_anew;  ///< when, since it is gone
  TaskEntry* task = nullptr;                  ///< that it holds
  std::deque<std::string> affinities;  ///< of features that it has loaded, those of its last task first, each once
  std::optional<TaskId> next;          ///< what it will probably be given after the task that it holds
  Streak streak;
  bool warm = false;  ///< a task of its has ended well: the next finds a trainer that runs

  /// What its trainer has in memory while it works on its task: of `affinities` and that of the task.
  std::deque<std::string> loaded() const;
  /// The next task gets another.
  void forget_trainer() {
    affinities.clear();
    warm = false;
  }
  std::string name() const;  ///< "worker 3 (node17)"
};

class WorkerTable {
 public:
  WorkerEntry* find(WorkerId id);
  void expect(WorkerId id, double now);
  /// A fresh, idle worker, whatever was known of it.
  WorkerEntry& greet(WorkerId id, const std::string& host, double now);
  void leave(WorkerEntry& worker, Presence presence);  ///< gone or quarantined

  void hold(WorkerEntry& worker, TaskEntry& task);
  void release(WorkerEntry& worker);                                         ///< idle again
  void remember(WorkerEntry& worker, const std::string& affinity);           ///< of features that it has loaded
  void foretell(WorkerEntry& worker, TaskId next);                           ///< while it holds a task
  bool is_foretold(TaskId task) const { return foretold_.count(task) > 0; }  ///< to a worker that holds another

  std::vector<WorkerId> live() const { return {live_.begin(), live_.end()}; }
  std::size_t live_count() const { return live_.size(); }
  bool is_live(WorkerId id) const { return live_.count(id) > 0; }
  const std::set<WorkerId>& idle() const { return idle_; }
  /// Workers were known once, and none is live or may still greet.
  bool all_lost() const { return !workers_.empty() && live_.empty() && expected_.empty(); }
  /// Live workers that were silent for longer than `heartbeat_deadline` and expected ones that have not greeted within
  /// `hello_deadline`, by WorkerId.
  std::vector<WorkerEntry*> overdue(double now, const Budgets& deadlines);

 private:
  void forget_next(WorkerEntry& worker);

  std::map<WorkerId, WorkerEntry> workers_;
  std::set<WorkerId> live_, idle_, expected_;
  std::set<TaskId> foretold_;
};

}  // namespace runner
