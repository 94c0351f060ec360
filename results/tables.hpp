// Renders aggregated tables. Same journal, same bytes: no times, hosts or paths appear in them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/statistics.hpp"

namespace results {

/// Markdown: title, one line of settings, the table (best and last as separate labelled columns, `84.5 ± 1.2`, one
/// decimal; an incomplete cell ends in ` (3/5)`), then the notes in words: incomplete cells, diverged and failed jobs,
/// ddof, "best selects on the test split", baselines "not in the paper", trainings that are not at the paper's
/// settings, rows on weights that are not the paper's (marked in their names), and every row whose last-epoch mean is
/// below 40 ("scores are inverted: ...").
std::string to_markdown(const Table& table);
/// Tidy CSV, one line per row x column x mode (the mean over classes is column "mean"), full precision:
/// table,row,column,mode,mean_percent,std_percent,ddof,n,planned,diverged,failed,missing,undefined,reduced,method_in_paper,weights
/// where `weights` is WeightsUse::kinds of the runs that are counted.
std::string to_csv(const Table& table);
/// The Markdown for a terminal of `width` columns: the same words, columns aligned, folded into several blocks where
/// too wide.
std::string to_terminal(const Table& table, std::size_t width);

/// Writes tables/<id>.md and tables/<id>.csv under `report`, index.md with all of them, and, where `plans` are given,
/// epochs.csv and shares.csv of their runs; files are replaced atomically. `plans` are those of the tables' sweeps, in
/// order.
void write_report(const std::filesystem::path& report, const std::vector<Table>& tables,
                  const std::vector<sweeps::Plan>& plans = {}, const Ledger& ledger = {});

}  // namespace results
