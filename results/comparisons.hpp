// Whether one row of a table is better than another, over its classes. Private to this folder.
#pragma once

#include <vector>

#include "results/row_runs.hpp"

namespace results {

/// The comparisons that `table.compare` asks for, in the modes best and last as far as the table has them. `runs` are
/// those of the planned rows, empty for rows that are only printed.
std::vector<Comparison> compare_rows(const sweeps::PlannedTable& table, const std::vector<RowRuns>& runs);

}  // namespace results
