// Time as seen by a process that looks at the clock often: hours in which it was itself stopped (a suspended Slurm job,
// SIGSTOP) are not charged to those that it watches.
#pragma once

#include <algorithm>

#include "workers/supervisor.hpp"

namespace workers {

/// A gap between two readings counts as at most `longest_gap`. E.g. readings at 0, 1, 2, 3602, 3603 s with 10 s: 0, 1,
/// 2, 12, 13 s. A clock that steps back stands still.
class AwakeClock {
 public:
  explicit AwakeClock(Clock clock, Seconds longest_gap = Seconds(10))
      : clock_(std::move(clock)), longest_gap_(longest_gap), last_(clock_()) {}

  Seconds now() {
    const Seconds reading = clock_();
    awake_ += std::clamp(reading - last_, Seconds(0), longest_gap_);
    last_ = reading;
    return awake_;
  }

 private:
  Clock clock_;
  Seconds longest_gap_;
  Seconds last_;
  Seconds awake_{0};
};

}  // namespace workers
