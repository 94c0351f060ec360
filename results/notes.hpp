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
/// What stands under the table: what its numbers are (AUROC, modes, the mean over classes), how they stand to the
/// paper's, what rows take the best or the highest of, and then warnings_of. One sentence or two each; only those that
/// apply.
std::vector<std::string> notes_of(const Table& table);
/// What no copy of the table may lose: its scale, inverted rows, baselines, trainings that are not comparable with the
/// paper's, rows on weights that are not the paper's, images left out, mixed cells, and what is in no mean, row by row.
std::vector<std::string> warnings_of(const Table& table);

/// Its scores end inverted: the last-epoch mean, unrounded, is below 40.
bool is_inverted(const Row& row);

}  // namespace results
