// The columns of jobs.csv and the arrays jobs/* of results.h5, which are the same: for each its name, its unit, what it
// says in words, and its value for a run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "results/planned_runs.hpp"

namespace results {

/// Absent: nothing in the CSV; in an array NaN, or an empty text.
using JobField = std::variant<std::monostate, std::string, double, std::int64_t>;

struct JobColumn {
  enum class Kind {
    text,
    number,  ///< an array of float64: whole numbers too, where they may be absent
    whole,   ///< never absent: an array of int64
  };
  std::string name;
  Kind kind;
  std::string unit;  ///< "" for a text or a count
  std::string description;
  std::function<JobField(const PlannedRun&)> field;
};

const std::vector<JobColumn>& job_columns();

/// One line a job, finished or not: the columns above, at full precision.
void write_jobs(const std::vector<PlannedRun>& runs, const std::function<void(std::string_view)>& take);

}  // namespace results
