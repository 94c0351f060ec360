// Rows of a table tested against each other, as a small table of their own.
#pragma once

#include <string>
#include <vector>

#include "results/grid.hpp"

namespace results {

inline constexpr const char* kBetweenVariants = "Between variants";

/// Some comparison of the table has enough classes for a test, and there are not too many to read; else a note takes
/// the place of the grid.
bool has_tests(const Table& table);
/// "Between variants: no test, ..." for such a table; "" for any other.
std::string why_no_tests(const Table& table);
/// One line a comparison; empty where the table has none.
Grid comparisons_grid(const Table& table);
/// What the numbers of that grid are.
std::vector<std::string> comparison_notes(const Table& table);

}  // namespace results
