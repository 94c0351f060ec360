// What a plan needs of memory and disk, from shapes. Its constants were measured (runner/README.md says how far off
// they are). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runner/job_times.hpp"

namespace runner {

/// A feature set, or the images themselves.
struct SetSize {
  std::string name;  ///< two jobs that share a set name it alike
  double bytes = 0;
};

/// What one job asks of a trainer process.
struct JobSizes {
  SetSize train, test;
  double parameters = 0;          ///< of its networks
  bool searches = false;          ///< a range test goes before it
  std::string made_through = {};  ///< backbone whose features are still to be made, or ""
};

/// Bytes of the largest resident set of a trainer that may get any of these jobs, one after the other: feature sets of
/// two jobs stay loaded, weights with gradients and two moments, and what loading or a backbone needs for a while.
double trainer_bytes(const std::vector<JobSizes>& jobs);

struct JournalShape {
  std::size_t jobs = 0;  ///< all of the plan
  double epoch_records = 0;
  double class_shares = 0;  ///< numbers of the records that are one for each class
  std::size_t tables = 0;   ///< each with its figures
};
double journal_bytes(const JournalShape& shape);
/// Tables, figures, the page, and raw numbers of all epochs.
double report_bytes(const JournalShape& shape);
/// Of the process that coordinates, at its end, when it makes the report.
double coordinator_bytes(const JournalShape& shape, double largest_set_bytes);

}  // namespace runner
