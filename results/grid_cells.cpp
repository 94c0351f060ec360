// What stands in a cell: a number, how much of it is there, or why there is none.
#include "results/grid_cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "results/grid_labels.hpp"
#include "results/text_layout.hpp"

namespace results {
namespace {

using sweeps::Statistic;

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
  if (text.empty()) add("incomplete", counts.finished);  // best_of: no value has all its seeds
  return text.empty() ? "missing" : text;
}

bool has_number(const Row& row, const Value& value) {
  return row.statistic == Statistic::max ? value.max.has_value() : value.summary.mean.has_value();
}

/// The number in the statistic of its row. There is one.
GridCell number_cell(const Row& row, const Value& value, const Digits& digits) {
  if (row.statistic == Statistic::max) return {digits.number(*value.max), "", "", "", false};
  GridCell cell{digits.number(*value.summary.mean), "", "", "", false};
  if (row.seeded) cell.spread = value.summary.std_dev ? digits.number(*value.summary.std_dev) : "-";
  if (row.statistic == Statistic::mean_and_max && value.max) cell.after = ", max " + digits.number(*value.max);
  return cell;
}

/// "λ 10".
std::string choice_text(const Row& row, const std::string& chosen) {
  if (row.best_of.empty() || chosen.empty()) return "";
  return fmt::format("{} {}", axis_sign(row.best_of), on_one_line(chosen));
}

/// " (3/5)" where some of `planned` are not there: values of the number, but runs where it is chosen from all of them.
std::string part_text(const Row& row, const Value& value, std::size_t planned, const CellCounts& counts) {
  const bool of_all_runs = row.statistic == Statistic::max || !row.best_of.empty();
  if (of_all_runs) return counts.complete() ? "" : fmt::format(" ({}/{})", counts.finished, counts.planned);
  return value.summary.n == planned ? "" : fmt::format(" ({}/{})", value.summary.n, planned);
}

std::string mixed_text(bool is_mixed) {
  return is_mixed ? std::string(" ") + kMixedSign : "";
}

}  // namespace

std::string Digits::number(double percent) const {
  return fmt::format("{:.{}f}", percent / divisor, decimals);
}

std::string Digits::difference(double points) const {
  std::string text = fmt::format("{:+.{}f}", points / divisor, decimals);
  if (text.find_first_of("123456789") == std::string::npos) text.erase(0, 1);  // no sign of a rounded nought
  return text;
}

Digits cell_digits(const Table& table) {
  return {table.metric == sweeps::Metric::fraction ? 100.0 : 1.0, table.decimals};
}

Digits mean_digits(const Table& table) {
  return {table.metric == sweeps::Metric::fraction ? 100.0 : 1.0, table.mean_decimals};
}

GridCell mode_cell(const Table& table, const Row& row, std::size_t column, std::size_t mode) {
  if (column >= row.cells.size()) return {"-", "", "", "", false};
  const Cell& cell = row.cells[column];
  if (mode >= cell.by_mode.size() || !has_number(row, cell.by_mode[mode])) {
    return {absence_text(cell.counts), "", "", "", false};
  }
  const Value& value = cell.by_mode[mode];
  GridCell text = number_cell(row, value, cell_digits(table));
  if (table.modes[mode] != sweeps::Mode::gap) text.choice = choice_text(row, value.chosen);
  text.after += part_text(row, value, value.planned > 0 ? value.planned : cell.counts.planned, cell.counts);
  text.after += mixed_text(!cell.mixed.empty());
  text.bold = cell.bold && table.modes[mode] == sweeps::Mode::best;
  return text;
}

GridCell mode_mean(const Table& table, const Row& row, std::size_t mode) {
  if (mode >= row.mean_by_mode.size() || !has_number(row, row.mean_by_mode[mode])) return {"-", "", "", "", false};
  const Value& value = row.mean_by_mode[mode];
  GridCell text = number_cell(row, value, mean_digits(table));
  text.after += part_text(row, value, value.planned > 0 ? value.planned : row.seeds_planned, row.total);
  text.after += mixed_text(!row.mean_mixed.empty());
  text.bold = row.mean_bold && table.modes[mode] == sweeps::Mode::best;
  return text;
}

GridCell published_cell(const std::optional<Published>& published, const Row& row, const Digits& digits) {
  if (!published) return {};
  GridCell cell{digits.number(published->mean), "", "", "", published->bold};
  if (published->std_dev) cell.spread = digits.number(*published->std_dev);
  std::vector<std::string> choices;
  for (const double choice : published->chosen) choices.push_back(storage::shortest(choice));
  cell.choice = choice_text(row, fmt::format("{}", fmt::join(choices, " or ")));
  return cell;
}

GridCell difference_cell(const std::optional<Verdict>& verdict, const Digits& digits) {
  if (!verdict) return {};
  if (!verdict->difference) return {"-", "", "", "", false};
  GridCell cell{digits.difference(*verdict->difference), "", "", "", false};
  if (verdict->kind == Verdict::Kind::outside) cell.after = std::string(" ") + kOutsideSign;
  if (verdict->max_difference) cell.after += ", max " + digits.difference(*verdict->max_difference);
  return cell;
}

}  // namespace results
