// How long a job should take: what its time depends on, and the times that journals hold. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/journal.hpp"
#include "runner/run_times.hpp"
#include "sweeps/cost.hpp"
#include "sweeps/job.hpp"

namespace runner {

/// Rows that a job trains and is tested on, and their length.
struct JobShape {
  std::int64_t rows = 0, test_rows = 0, length = 0;
  bool operator==(const JobShape&) const = default;
};

/// What a job's time depends on. Alike are jobs of one method, width, row length, batch size, perturbation and
/// guidance, or of one baseline; their work is what one CPU thread should need, in seconds, so that steps, epochs and
/// rows scale as they do there.
Effort effort_of(const sweeps::Job& job, const JobShape& shape);

/// L of a job's rows; absent where it is not known.
using RowLength = std::function<std::optional<std::int64_t>(const sweeps::Job&)>;

/// Times of the results of some directories.
struct MeasuredTimes {
  RunTimes times;
  std::string device;            ///< kind that they are of: the one of most results; "": there are none
  std::size_t count = 0;         ///< results that were timed on it
  std::optional<double> factor;  ///< median over trainings: seconds for each second of modelled work
};
MeasuredTimes measured_times(const std::vector<const results::Ledger*>& ledgers, const RowLength& length_of);

/// What its result took by its journal; absent where none was timed.
std::optional<double> seconds_taken(const results::Done& done);

}  // namespace runner
