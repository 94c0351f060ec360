// What the files of a report are called.
#pragma once

#include <string>
#include <vector>

#include "results/statistics.hpp"

namespace results {

/// tables/all.tex shows every table.
inline constexpr const char* kAllTables = "all";
/// What stands behind a table's name in that of its comparisons.
inline constexpr const char* kComparisons = "-comparisons";

/// A name for the files of each table: its id, with a number from the second table of that id on (two sweeps in one
/// folder). Throws storage::Error for an id that cannot name a file.
std::vector<std::string> file_names_of(const std::vector<Table>& tables);

}  // namespace results
