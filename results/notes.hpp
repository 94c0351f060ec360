// The words around a table: its caption and what stands under it.
#pragma once

#include <string>
#include <vector>

#include "results/statistics.hpp"

namespace results {

/// The table's title; its id where it has none.
std::string title_of(const Table& table);
/// The line of settings.
std::string caption_of(const Table& table);
/// What stands under the table, in this order: what the numbers are, best and last, the mean over classes, inverted
/// rows, baselines, trainings that are not comparable with the paper's, rows on weights that are not the paper's, and
/// what is in no mean, row by row. One sentence or two each; only those that apply.
std::vector<std::string> notes_of(const Table& table);

}  // namespace results
