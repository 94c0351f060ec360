// Figures of a report: their numbers and what gnuplot makes of them. Pure: no files, and no gnuplot is needed. Same
// journal, same bytes.
#pragma once

#include <string>
#include <vector>

#include "results/journal.hpp"
#include "results/statistics.hpp"
#include "sweeps/sweep.hpp"

namespace results {

struct Figure {
  std::string name;  ///< stem of its files, unique in a report: its table's file name and its kind, "cifar10-main-bars"
  std::string table;    ///< file name of the table that it belongs to, see file_names_of
  std::string title;    ///< plain text
  std::string caption;  ///< plain text: what is shown, what is missing, and what the reader should know
  std::string data;     ///< CSV with a header line, full precision: what the script reads; texts stand last in a line
  std::string script;   ///< gnuplot: reads "<name>.csv" of the current folder, writes "<name>.svg"
};

/// At most so many figures of a report; the caption of the last one says how many there would be.
inline constexpr std::size_t kMostFigures = 90;

/// Of each table the kinds that it has data for, in this order: `-bars` (means over classes beside printed numbers),
/// `-boxes` (runs by class), `-epochs` (AUROC over epochs), `-scatter` (best against last), `-lambda` (AUROC by lambda)
/// and `-shares` (which classes lie on the right side of the threshold). `names`: of the tables' files, one each.
/// `plans` are those of the tables' sweeps, in order; without them there are only bars.
std::vector<Figure> figures_of(const std::vector<Table>& tables, const std::vector<std::string>& names,
                               const std::vector<sweeps::Plan>& plans, const Ledger& ledger);

}  // namespace results
