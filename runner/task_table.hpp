// Every planned task and where it stands; what a task's end means for those that need it. Knows no workers' rules,
// budgets or actions.
#pragma once

#include <map>
#include <vector>

#include "runner/coordinator.hpp"
#include "runner/ready_tasks.hpp"

namespace runner {

enum class Phase {
  waiting,  ///< for tasks that it needs
  ready,
  running,
  done,     ///< end
  failed,   ///< end
  blocked,  ///< end: something that it needs failed
};

struct TaskEntry {
  PlannedTask planned;
  Phase phase = Phase::waiting;
  std::size_t open_needs = 0;
  std::vector<TaskEntry*> dependents;
  Attempt attempt{0};               ///< the last that was given out
  WorkerId worker;                  ///< that holds or held it
  int anew_through = 0;             ///< the last attempt that the job's own failure ended
  int job_failures = 0;             ///< charged to the job budget
  int infrastructure_failures = 0;  ///< charged to the infrastructure budget
  std::vector<WorkerId> failed_on;  ///< workers on which a try failed by the job's own cause

  bool open() const { return phase == Phase::waiting || phase == Phase::ready || phase == Phase::running; }
};

class TaskTable {
 public:
  /// The new entry, waiting, ready or blocked. Throws std::logic_error for a plan that cannot be (see Coordinator::on).
  TaskEntry& add(PlannedTask task);
  TaskEntry* find(TaskId id);
  const TaskEntry* find(TaskId id) const;
  /// The first of its needs that failed or is blocked; null where there is none.
  const TaskEntry* broken_need(const TaskEntry& entry) const;

  void start(TaskEntry& entry, WorkerId worker);  ///< ready -> running, with the next attempt
  void requeue(TaskEntry& entry);                 ///< running -> ready
  void finish(TaskEntry& entry);                  ///< running -> done; those that waited for nothing else become ready
  std::vector<TaskId> fail(TaskEntry& entry);     ///< running -> failed; the tasks that are blocked by it, by TaskId

  const ReadyTasks& ready() const { return ready_; }
  Counts counts(bool trainings) const;
  std::int64_t running() const { return counts_[0].running + counts_[1].running; }
  std::int64_t open() const { return running() + counts_[0].waiting + counts_[1].waiting; }

 private:
  void move_to(TaskEntry& entry, Phase phase);
  std::int64_t& count(const TaskEntry& entry, Phase phase);

  std::map<TaskId, TaskEntry> tasks_;  // entries do not move
  ReadyTasks ready_;
  Counts counts_[2];  // feature tasks, trainings
};

}  // namespace runner
