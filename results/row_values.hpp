// The numbers of a row's cells and of its mean, in every mode. Private to this folder.
#pragma once

#include <vector>

#include "results/row_runs.hpp"

namespace results {

/// The runs that a number is made of: those of one choice.
const ChoiceRuns* chosen_runs(const CellRuns& cell, const sweeps::PlannedRow& row, sweeps::Mode mode);

/// One per mode.
std::vector<Value> cell_values(const CellRuns& cell, const sweeps::PlannedRow& row,
                               const std::vector<sweeps::Mode>& modes);
/// The mean over the classes of a row, one class a cell.
Value mean_value(const RowRuns& runs, const sweeps::PlannedRow& row, sweeps::Mode mode);

}  // namespace results
