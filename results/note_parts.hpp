// Parts of notes_of, each in its file. Private to this folder.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/statistics.hpp"

namespace results {

using Notes = std::vector<std::string>;
using RowTest = std::function<bool(const Row&)>;

bool any_row(const Table& table, const RowTest& holds);
/// "LinearMap; kNN".
std::string names_of(const Table& table, const RowTest& holds);
bool has_mode(const Table& table, sweeps::Mode mode);

/// What the lines `published` and `difference` are.
void add_published_legend(Notes& notes, const Table& table);
/// Counts of verdicts, rows of other papers, printed marks.
void add_published_notes(Notes& notes, const Table& table);
/// Rows that take the best or the highest.
void add_choice_notes(Notes& notes, const Table& table);

}  // namespace results
