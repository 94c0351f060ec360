// Expectations from tasks of the same kind, corrected by each that ends.
#include "runner/foresight.hpp"

#include <algorithm>

#include "runner/ready_tasks.hpp"

namespace runner {
namespace {

/// By so much a kind must turn out faster than was thought for its postponed tasks to be looked at again: a median
/// wavers, and there may be many.
constexpr double kFaster = 0.95;
/// A training that makes way with a checkpoint loses nothing but its start: so much time makes that worth while.
constexpr double kWorthAStart = 60;

}  // namespace

std::optional<double> Foresight::expected_seconds(const PlannedTask& task) const {
  const auto whole = times_.seconds_of(task.effort);
  return whole ? std::optional(*whole * (1 - task.part_done)) : std::nullopt;
}

/// Of a kind that nobody has timed one must run, for us to learn.
bool Foresight::ends_in_time(const PlannedTask& task, double now) const {
  if (!no_task_after_) return true;
  const double left = *no_task_after_ - now;
  const auto expected = expected_seconds(task);
  if (left <= 0 || !expected || *expected <= left) return left > 0;
  const bool makes_way = can_make_way(task) && checkpoint_every_ > 0 && *expected > checkpoint_every_;
  return makes_way && left >= std::min(checkpoint_every_, kWorthAStart);
}

/// By our clock, from the message that gave it out to the one that ended it: what the next such task will cost us.
void Foresight::learn(const TaskEntry& ended, bool warm, double now, TaskTable& tasks) {
  const auto& [kind, work] = ended.planned.effort;
  if (ended.resumed || (!warm && times_.seconds_of(ended.planned.effort))) return;
  times_.add({kind, work}, now - ended.started);
  const auto thought = thought_.find(kind);
  if (thought == thought_.end() || rate_of(kind) > kFaster * thought->second) return;
  thought_.erase(thought);
  tasks.take_up_again(kind);
}

void Foresight::postpone(TaskEntry& task, TaskTable& tasks) {
  const auto& kind = task.planned.effort.kind;
  thought_[kind] = rate_of(kind);
  tasks.postpone(task);
}

Postponed Foresight::postponed(const TaskTable& tasks) const {
  Postponed all;
  tasks.for_each_postponed([&](const TaskEntry& task) {
    const double expected = expected_seconds(task.planned).value_or(0);
    const bool first = all.trainings + all.others == 0;
    all.shortest_seconds = first ? expected : std::min(all.shortest_seconds, expected);
    ++(is_training(task.planned) ? all.trainings : all.others);
  });
  return all;
}

}  // namespace runner
