// Which tasks will end in time: what each is expected to take against what is left. Reads no clock; part of the
// coordinator.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "runner/coordinator.hpp"
#include "runner/task_table.hpp"

namespace runner {

class Foresight {
 public:
  /// `checkpoint_every`: see Budgets.
  Foresight(RunTimes known, double checkpoint_every) : times_(std::move(known)), checkpoint_every_(checkpoint_every) {}

  /// Tasks should have ended at `when`; never said: there is time.
  void no_task_after(double when) { no_task_after_ = when; }
  bool ends_in_time(const PlannedTask& task, double now) const;
  std::optional<double> expected_seconds(const PlannedTask& task) const;

  /// It ended well: the next of its kind is expected to take as long, and where they seemed too long and are not, they
  /// are ready again. Not `warm`: a trainer had to be started for it, which says little about others,
  /// as does the rest of one that went on from a checkpoint.
  void learn(const TaskEntry& ended, bool warm, double now, TaskTable& tasks);
  /// It would not end in time. Only learning better, no time that passes, makes it ready again.
  void postpone(TaskEntry& task, TaskTable& tasks);
  Postponed postponed(const TaskTable& tasks) const;

 private:
  double rate_of(const std::string& kind) const { return times_.seconds_of({kind, 1}).value_or(0); }

  RunTimes times_;
  double checkpoint_every_;
  std::optional<double> no_task_after_;
  std::map<std::string, double> thought_;  // seconds per work when the last of a kind was postponed
};

}  // namespace runner
