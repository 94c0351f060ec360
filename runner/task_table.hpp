// Every planned task and where it stands; what a task's end means for those that need it. Knows no workers' rules,
// budgets or actions.
#pragma once

#include <functional>
#include <map>
#include <string>
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
  double started = 0;               ///< when the last attempt was given out
  bool resumed = false;             ///< the last attempt went on from a checkpoint
  int began_at = 0;                 ///< epoch in which the last attempt began or went on
  bool is_ending = false;           ///< the end of the last attempt is near, and its worker was told what is next
  bool postponed = false;           ///< ready, but not to be given out: too little time is left for it
  int job_failures = 0;             ///< charged to the job budget
  int infrastructure_failures = 0;  ///< charged to the infrastructure budget
  std::vector<WorkerId> failed_on;  ///< workers on which a try failed by the job's own cause

  bool open() const { return phase == Phase::waiting || phase == Phase::ready || phase == Phase::running; }
};

/// Baselines and feature tasks are short and make way for nothing.
bool can_make_way(const PlannedTask& task);
/// Whether the rest of a running training, after `epochs` of them, takes little enough time for its worker to prepare
/// what comes next. Judged by what it took so far; true as well in its last epoch, and for what has one epoch or none.
bool end_is_near(const TaskEntry& task, int epochs, double now);
/// Whether an output is of the task's kind.
bool fits(const workers::Task& task, const workers::TaskOutput& output);
/// Why an output of a task that is planned does not count; empty where it does.
std::string why_not_current(const TaskEntry& task, WorkerId worker, Attempt attempt);

class TaskTable {
 public:
  /// The new entry, waiting, ready or blocked. Throws std::logic_error for a plan that cannot be (see Coordinator::on).
  TaskEntry& add(PlannedTask task);
  TaskEntry* find(TaskId id);
  const TaskEntry* find(TaskId id) const;
  /// The first of its needs that failed or is blocked; null where there is none.
  const TaskEntry* broken_need(const TaskEntry& entry) const;

  void start(TaskEntry& entry, WorkerId worker, double now);  ///< ready -> running, with the next attempt
  void requeue(TaskEntry& entry);                             ///< running -> ready
  void finish(TaskEntry& entry);               ///< running -> done; those that waited for nothing else become ready
  std::vector<TaskId> fail(TaskEntry& entry);  ///< running -> failed; the tasks that are blocked by it, by TaskId
  /// A ready one is out of ready() until take_up_again() with the kind of its effort.
  void postpone(TaskEntry& entry);
  void take_up_again(const std::string& kind);

  const ReadyTasks& ready() const { return ready_; }  ///< those that are not postponed
  std::size_t postponed() const { return postponed_count_; }
  void for_each_postponed(const std::function<void(const TaskEntry&)>& look) const;
  Counts counts(bool trainings) const;
  std::int64_t running() const { return counts_[0].running + counts_[1].running; }
  std::int64_t open() const { return running() + counts_[0].waiting + counts_[1].waiting; }

 private:
  void move_to(TaskEntry& entry, Phase phase);
  std::int64_t& count(const TaskEntry& entry, Phase phase);

  std::map<TaskId, TaskEntry> tasks_;  // entries do not move
  ReadyTasks ready_;
  std::map<std::string, std::vector<TaskEntry*>> postponed_;  // by kind
  std::size_t postponed_count_ = 0;
  Counts counts_[2];  // feature tasks, trainings
};

}  // namespace runner
