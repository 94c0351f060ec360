// Whether a task still moves: the deadlines of loading and of hanging. Pure: told the time, knows no process.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "workers/supervisor.hpp"

namespace workers {

class ProgressWatch {
 public:
  /// The task was handed over at `now`.
  ProgressWatch(const SupervisorOptions& options, Seconds now);
  /// A Progress or an EpochDone came.
  void moved(Seconds now);
  bool has_moved() const { return has_moved_; }
  /// For how long it has not, and how long it may.
  Stillness stillness(Seconds now) const;
  /// Why the task counts as hung, in one line; absent while it does not. Before the first movement the load deadline
  /// holds, afterwards max(hang_floor, hang_factor x median gap between the latest movements). E.g. a step each 4 s,
  /// factor 50: 200 s. Between the first and the second there is no gap to go by: a step may then take five times as
  /// long as everything until the first took, if that is more than the floor, and the load deadline at most.
  std::optional<std::string> overdue(Seconds now) const;

 private:
  Seconds allowed() const;

  Seconds load_deadline_, hang_floor_;
  double hang_factor_;
  Seconds last_;
  bool has_moved_ = false;
  Seconds until_first_{0};
  std::deque<Seconds> gaps_;  // the latest kGapsKept
  Seconds median_gap_{0};
};

}  // namespace workers
