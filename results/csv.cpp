// A table as tidy CSV at full precision: one line per row x column x mode.
#include "results/csv.hpp"

#include <fmt/format.h>

#include <cmath>

#include "results/grid.hpp"
#include "results/tables.hpp"

namespace results {
namespace {

constexpr const char* kHeader =
    "table,row,column,mode,mean_percent,std_percent,ddof,n,planned,diverged,failed,missing,undefined,reduced,"
    "method_in_paper,weights\n";

/// `counts` are runs; `planned` is of the same kind as summary.n: runs for a class, seeds for the mean over classes.
std::string line(const Table& table, const Row& row, const std::string& column, sweeps::Mode mode,
                 const Summary& summary, std::size_t planned, const CellCounts& counts, const WeightsUse& weights) {
  return fmt::format("{},{},{},{},{},{},1,{},{},{},{},{},{},{},{},{}\n", csv_field(table.id), csv_field(row.name),
                     csv_field(column), name_of(mode), csv_number(summary.mean), csv_number(summary.std_dev), summary.n,
                     planned, counts.diverged, counts.failed, counts.missing(), counts.undefined, row.reduced,
                     row.in_paper, weights.kinds());
}

}  // namespace

std::string csv_field(const std::string& text) {
  const bool plain =
      text.find_first_of(",\"\r\n") == std::string::npos && !text.starts_with(' ') && !text.ends_with(' ');
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_number(const std::optional<double>& value) {
  if (!value) return "";
  return std::isnan(*value) ? "nan" : storage::shortest(*value);
}

std::string to_csv(const Table& table) {
  std::string text = kHeader;
  for (const Row& row : table.rows) {
    for (std::size_t column = 0; column < row.cells.size(); ++column) {
      const Cell& cell = row.cells[column];
      for (std::size_t mode = 0; mode < table.modes.size(); ++mode) {
        text += line(table, row, table.columns.at(column), table.modes[mode], cell.by_mode.at(mode).summary,
                     cell.counts.planned, cell.counts, cell.weights);
      }
    }
    for (std::size_t mode = 0; mode < table.modes.size(); ++mode) {
      text += line(table, row, "mean", table.modes[mode], row.mean_by_mode.at(mode).summary, row.seeds_planned,
                   row.total, row.weights);
    }
  }
  return text;
}

}  // namespace results
