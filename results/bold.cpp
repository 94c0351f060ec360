// Compares numbers as printed: what looks equal on paper is equally bold.
#include "results/bold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace results {
namespace {

using sweeps::Mode;
using sweeps::Statistic;

/// The number of a row in a column; nothing where it has none.
using NumberOf = std::function<std::optional<double>(const Row&)>;

/// As text, because 89.45 and 89.5 may look the same; through a number again, because "100.0" < "89.5".
double as_printed(double percent, const Table& table, int decimals) {
  const double shown = table.metric == sweeps::Metric::fraction ? percent / 100 : percent;
  return std::stod(fmt::format("{:.{}f}", shown, decimals));
}

std::optional<double> ours_or_printed(const Row& row, const std::vector<Value>& by_mode,
                                      const std::optional<Published>& published, std::size_t best) {
  if (row.only_printed) return published ? std::optional(published->mean) : std::nullopt;
  if (by_mode.size() <= best) return std::nullopt;
  return row.statistic == Statistic::max ? by_mode[best].max : by_mode[best].summary.mean;
}

bool competes(const Row& row, bool only_maxima) {
  return only_maxima ? row.best_of.empty() : row.statistic != Statistic::max;
}

void mark_highest(Table& table, int decimals, const NumberOf& number_of, const std::function<void(Row&)>& mark) {
  const bool only_maxima =
      std::all_of(table.rows.begin(), table.rows.end(), [](const Row& row) { return row.statistic == Statistic::max; });
  std::optional<double> highest;
  const auto printed = [&](const Row& row) -> std::optional<double> {
    const auto number = competes(row, only_maxima) ? number_of(row) : std::nullopt;
    return number ? std::optional(as_printed(*number, table, decimals)) : std::nullopt;
  };
  for (const Row& row : table.rows) {
    const auto number = printed(row);
    if (number && (!highest || *number > *highest)) highest = number;
  }
  for (Row& row : table.rows) {
    if (highest && printed(row) == highest) mark(row);
  }
}

bool means_may_be_bold(const Table& table) {
  if (table.published == nullptr) return true;
  return std::any_of(table.published->rows.begin(), table.published->rows.end(),
                     [](const sweeps::PublishedRow& row) { return row.row_mean && row.row_mean->bold; });
}

}  // namespace

void set_bold(Table& table) {
  const auto mode = std::find(table.modes.begin(), table.modes.end(), Mode::best);
  if (!table.bold || mode == table.modes.end()) return;
  const auto best = static_cast<std::size_t>(mode - table.modes.begin());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    mark_highest(
        table, table.decimals,
        [&](const Row& row) { return ours_or_printed(row, row.cells.at(i).by_mode, row.cells[i].published, best); },
        [&](Row& row) { row.cells.at(i).bold = true; });
  }
  if (!means_may_be_bold(table)) return;
  mark_highest(
      table, table.mean_decimals,
      [&](const Row& row) { return ours_or_printed(row, row.mean_by_mode, row.published_mean, best); },
      [](Row& row) { row.mean_bold = true; });
}

}  // namespace results
