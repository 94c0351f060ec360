// When a run must have ended: what --deadline says, else when its Slurm allocation ends. Asked once; from then on a
// clock counts that nobody sets.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "runner/ask_program.hpp"
#include "workers/supervisor.hpp"

namespace runner {

/// Where the answers come from; replaced in tests.
struct DeadlineSources {
  std::function<std::int64_t()> unix_seconds;
  std::function<const char*(const char*)> variable;  ///< getenv
  Ask ask;
  workers::Clock clock;  ///< monotonic, also while this process is stopped
};
DeadlineSources real_deadline_sources();

class Deadline {
 public:
  /// "the allocation" or "--deadline 2h"; `seconds` from now.
  Deadline(std::string who, double seconds, const DeadlineSources& sources);

  double seconds_left() const { return (ends_ - clock_()).count(); }
  const std::string& who() const { return who_; }
  double seconds_at_start() const { return seconds_at_start_; }
  /// How long before it no task should run any more, where nobody says: 60 s, a tenth of short ones.
  double usual_margin() const;
  std::int64_t unix_seconds() const { return unix_seconds_; }  ///< when it is, for people
  /// "14:05 UTC", with the date where it is another day than `now`'s.
  std::string utc(std::int64_t now) const;

 private:
  std::string who_;
  double seconds_at_start_;
  std::int64_t unix_seconds_;
  workers::Clock clock_;
  workers::Seconds ends_;
};

struct FoundDeadline {
  std::optional<Deadline> deadline;
  std::string trouble;  ///< why an allocation did not tell, one line; "": there is none, or it has no end
};

/// `flag`: what --deadline was given, seconds from now ("3600", "90m", "2h", "1d") or a time
/// ("2026-11-28T12:00:00Z"), or "". Then SLURM_JOB_END_TIME, then squeue, asked for the job SLURM_JOB_ID. Throws
/// UsageError for a flag that is neither, and for a time that has passed.
FoundDeadline find_deadline(const std::string& flag, const DeadlineSources& sources);

/// What squeue prints for "%e %L" with SLURM_TIME_FORMAT=%s: when the job ends and how much time it has left. The
/// sooner of what it knows, in seconds from `now`; absent for UNLIMITED, NOT_SET, INVALID and whatever else is no time.
std::optional<double> seconds_left_by_squeue(const std::string& output, std::int64_t now);

}  // namespace runner
