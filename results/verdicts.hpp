// The paper's numbers beside ours, and what the two say of each other. Private to this folder.
#pragma once

#include "results/statistics.hpp"

namespace results {

/// Adds the published numbers to the cells and to the mean of a row; `row.published` and `table.published` are set, or
/// nothing happens.
void add_published(Row& row, const Table& table);

/// In words, what of the jobs is not as the paper's row has it: "lambda 10", "guidance none"; empty where all is, and
/// for a row without a method.
std::string mismatch(const sweeps::PublishedRow& published, const std::vector<const sweeps::Job*>& jobs);

/// Adds verdicts on every published number of the row in mode best; nothing where the table has no such mode.
void add_verdicts(Row& row, const Table& table);

/// Of all cells of the table.
VerdictCounts count_verdicts(const Table& table);

}  // namespace results
