// What stands in a cell: a number, how much of it is there, or why there is none.
#include "results/grid.hpp"

#include <fmt/format.h>

#include "results/text_layout.hpp"

namespace results {
namespace {

/// Why a cell has no number; the modes share it.
std::string absence_text(const CellCounts& counts) {
  if (counts.planned == 0) return "-";
  std::string text;
  const auto add = [&](const char* word, std::size_t n) {
    if (n > 0) text += fmt::format("{}{} {}/{}", text.empty() ? "" : ", ", word, n, counts.planned);
  };
  add("diverged", counts.diverged);
  add("failed", counts.failed);
  add("undefined", counts.undefined);
  return text.empty() ? "missing" : text;
}

std::string cell_text(const Cell& cell, std::size_t mode, bool with_spread) {
  const Summary& summary = cell.by_mode.at(mode).summary;
  if (!summary.mean) return absence_text(cell.counts);
  const std::string number = number_text(summary, with_spread);
  return cell.counts.complete() ? number : fmt::format("{} ({}/{})", number, summary.n, cell.counts.planned);
}

std::string mean_text(const Row& row, std::size_t mode) {
  const Summary& summary = row.mean_by_mode.at(mode).summary;
  if (!summary.mean) return "-";
  const std::string number = number_text(summary, row.seeded);
  return summary.n == row.seeds_planned ? number : fmt::format("{} ({}/{})", number, summary.n, row.seeds_planned);
}

}  // namespace

std::string number_text(const Summary& summary, bool with_spread) {
  const std::string mean = fmt::format("{:.1f}", *summary.mean);
  if (!with_spread) return mean;
  return summary.std_dev ? fmt::format("{} ± {:.1f}", mean, *summary.std_dev) : mean + " ± -";
}

std::string marked_name(const Row& row) {
  const std::string mark = row.weights.mark();
  return on_one_line(mark.empty() ? row.name : fmt::format("{} ({})", row.name, mark));
}

std::string_view name_of(sweeps::Mode mode) {
  return mode == sweeps::Mode::best ? "best" : "last";
}

Grid grid_of(const Table& table) {
  Grid grid;
  for (const std::string& column : table.columns) grid.groups.push_back({on_one_line(column), {}});
  grid.groups.push_back({"mean", {}});
  grid.groups.push_back({"runs", {{"", {}}}});
  const std::size_t classes = table.columns.size();
  for (std::size_t group = 0; group <= classes; ++group) {
    for (const sweeps::Mode mode : table.modes) grid.groups[group].columns.push_back({std::string(name_of(mode)), {}});
  }
  for (const Row& row : table.rows) {
    grid.row_names.push_back(marked_name(row));
    for (std::size_t mode = 0; mode < table.modes.size(); ++mode) {
      for (std::size_t i = 0; i < classes; ++i) {
        grid.groups[i].columns[mode].cells.push_back(cell_text(row.cells.at(i), mode, row.seeded));
      }
      grid.groups[classes].columns[mode].cells.push_back(mean_text(row, mode));
    }
    grid.groups.back().columns[0].cells.push_back(fmt::format("{}/{}", row.total.finished, row.total.planned));
  }
  return grid;
}

}  // namespace results
