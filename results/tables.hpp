// Renders aggregated tables. Same journal, same bytes: no times, hosts or paths appear in them, but in index.html.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/page.hpp"
#include "results/statistics.hpp"

namespace results {

/// Markdown: title, one line of settings, the table and its notes in words, and, where rows are compared, a second
/// table "Between variants". Label columns stand left, then a column a class (as the paper prints it), the mean, the
/// count of runs. Under each row a line a mode, the paper's numbers below `best` and the difference to them, with "!"
/// outside Welch's 95 % interval; an incomplete number ends in ` (3/5)`.
std::string to_markdown(const Table& table);
/// The Markdown for a terminal of `width` columns: the same words, columns aligned, folded into several blocks where
/// too wide.
std::string to_terminal(const Table& table, std::size_t width);
/// Tidy CSV, one line per row x column x mode (the mean over classes is column "mean"), full precision. Its columns are
/// described in results/README.md.
std::string to_csv(const Table& table);
/// The comparisons between rows, one a line; only the header where there are none.
std::string comparisons_csv(const Table& table);
/// Everything in the table as one JSON object in one line, see results/README.md.
std::string to_json(const Table& table);
/// A float for a paper: booktabs, the paper's own rows, columns and order, ours above the published numbers; below it
/// the last epoch's. ASCII. `label` is what \label{tab:...} calls it.
std::string to_latex(const Table& table, const std::string& label);
/// A document that shows the floats of files `<name>.tex` beside it.
std::string latex_document(const std::vector<std::string>& names);

/// Writes tables/<id>.{md,tex,csv,json} under `report`, tables/<id>-comparisons.csv where there are comparisons,
/// tables/all.tex, index.md with all of them, index.html (page_of), and, where `plans` are given, epochs.csv and
/// shares.csv of their runs; files are replaced atomically. `plans` are those of the tables' sweeps, in order.
/// `worker_uses`: CSV for workers.csv, which a report without it leaves out. No other file but index.html speaks of
/// times, hosts and paths: those depend on results alone. `figures`: what index.md says of the figures,
/// Markdown. `facts`: of the page; its files are filled in here.
void write_report(const std::filesystem::path& report, const std::vector<Table>& tables,
                  const std::vector<sweeps::Plan>& plans = {}, const Ledger& ledger = {},
                  const std::string& worker_uses = "", const std::string& figures = "", PageFacts facts = {});

}  // namespace results
