// What the jobs and the tables of an expansion share. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "sweeps/sweep.hpp"

namespace sweeps {

/// A job as a block wrote it: tables select among these, so that a row may name an axis that has no effect on a job.
struct Written {
  Job job;
  std::size_t planned;  ///< index into Plan::jobs of what it comes to
};

/// Throws storage::Error where they are not known.
const NormalClasses& normal_classes_of(const ClassNames& classes, const std::string& dataset);
/// The names of sets, then those of classes: the order of columns.
std::vector<std::string> all_names(const NormalClasses& normal);

/// The cells of one table, for jobs that are planned already. Throws UsageError as `expand` does.
PlannedTable plan_table(const Sweep& sweep, const TableSpec& spec, const std::vector<Written>& written,
                        const Plan& plan, const ClassNames& classes);

}  // namespace sweeps
