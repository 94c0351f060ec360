// How long the jobs of a plan should take, in words: from measured times where there are any, else a guess that says
// so. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/job_times.hpp"

namespace runner {

/// A job of a plan.
struct PlannedJob {
  sweeps::Job job;
  std::optional<JobShape> shape;  ///< absent: its data set was not looked at, and nobody knows
  bool left = true;               ///< it would run
  std::optional<double> took;     ///< seconds, where it is done and was timed
};

struct Estimate {
  double left_seconds = 0;      ///< of one worker
  double all_seconds = 0;       ///< with what is done
  double longest_seconds = 0;   ///< of the jobs left
  double together_seconds = 0;  ///< until the last ends, with `workers`
  std::size_t left = 0;
  std::size_t guessed = 0;      ///< of those left: no job like it was timed
  bool all_is_guessed = false;  ///< some of all_seconds is a guess
  std::size_t not_known = 0;    ///< of those left: nobody knows their rows; they are in no sum
};

/// With times of other kinds of trainings the guess is corrected by what those took (their median factor).
Estimate estimate(const std::vector<PlannedJob>& jobs, const MeasuredTimes& measured, const sweeps::Machine& guess,
                  int workers);

/// Seconds that one job should take, and whether that is a guess.
struct Expected {
  double seconds = 0;
  bool guessed = false;
};
Expected expected_of(const sweeps::Job& job, const JobShape& shape, const MeasuredTimes& measured,
                     const sweeps::Machine& guess);

/// What an unmeasured job is guessed for: what was measured on, else a GPU or a CPU thread as is said.
sweeps::Machine machine_of(const MeasuredTimes& measured, bool gpus);

/// "3.1* worker-hours", "12 GPU-minutes", "40 worker-seconds"; the star marks a guess.
std::string work_in_words(double seconds, const std::string& whose, bool guessed);

/// Lines for `plan`, e.g. "  estimated: 3.1 of 12.4 worker-hours are left, from 57 trainings that were timed; longest
/// job 12 min; with 4 workers about 50 min". A "*" marks what is guessed. `workers`: 0 where nobody says.
std::vector<std::string> estimate_lines(const std::vector<PlannedJob>& jobs, const MeasuredTimes& measured,
                                        int workers);

}  // namespace runner
