// Rows of a table tested against each other, as a small table of their own.
#pragma once

#include <string>
#include <vector>

#include "results/grid.hpp"

namespace results {

inline constexpr const char* kBetweenVariants = "Between variants";

/// One line a comparison; empty where the table has none.
Grid comparisons_grid(const Table& table);
/// What the numbers of that grid are.
std::vector<std::string> comparison_notes(const Table& table);

}  // namespace results
