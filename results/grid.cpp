// Lines under rows, or under columns where a table is printed the other way round.
#include "results/grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/grid_cells.hpp"
#include "results/grid_labels.hpp"
#include "results/text_layout.hpp"

namespace results {
namespace {

using Kind = GridLine::Kind;
using sweeps::Mode;

/// A kind of line that a table may have under each of its rows.
struct LineSpec {
  Kind kind = Kind::mode;
  std::size_t mode = 0;  ///< index into the table's modes
};
/// A column of numbers: a class, or the mean.
struct NumberColumn {
  std::string title;
  std::optional<std::size_t> column;  ///< absent: the mean
};

/// What the paper prints is its best epoch's: it stands below that line.
std::vector<LineSpec> line_specs(const Table& table) {
  std::vector<LineSpec> specs;
  for (std::size_t mode = 0; mode < table.modes.size(); ++mode) {
    specs.push_back({Kind::mode, mode});
    if (table.modes[mode] != Mode::best) continue;
    specs.push_back({Kind::published, 0});
    specs.push_back({Kind::difference, 0});
  }
  const bool has_best = std::find(table.modes.begin(), table.modes.end(), Mode::best) != table.modes.end();
  if (!has_best) specs.push_back({Kind::published, 0});
  return specs;
}

bool has_published(const Row& row) {
  return row.published_mean ||
         std::any_of(row.cells.begin(), row.cells.end(), [](const Cell& cell) { return cell.published.has_value(); });
}

bool has_difference(const Row& row) {
  const auto differs = [](const std::optional<Verdict>& verdict) { return verdict && verdict->difference; };
  return differs(row.mean_verdict) ||
         std::any_of(row.cells.begin(), row.cells.end(), [&](const Cell& cell) { return differs(cell.verdict); });
}

/// All modes of a baseline are one number, and its gap is none.
std::size_t mode_of_baseline(const Table& table) {
  for (std::size_t mode = 0; mode < table.modes.size(); ++mode) {
    if (table.modes[mode] != Mode::gap) return mode;
  }
  return 0;
}

/// Whether the row has the line; `once`: a baseline has but one for all modes.
bool has_line(const Table& table, const Row& row, const LineSpec& spec, bool once) {
  if (spec.kind == Kind::published) return row.only_printed || has_published(row);
  if (row.only_printed) return false;
  if (spec.kind == Kind::difference) return has_difference(row);
  return row.in_paper || !once || spec.mode == mode_of_baseline(table);
}

std::string line_name(const Table& table, const LineSpec& spec, const Row* row) {
  if (spec.kind == Kind::difference) return "difference";
  if (spec.kind == Kind::published) return row != nullptr && row->only_printed ? "another paper's" : "published";
  if (row != nullptr && !row->in_paper && table.modes.size() > 1) return "all modes";
  const Mode mode = table.modes[spec.mode];
  const bool selects = mode == Mode::best && (row == nullptr || row->in_paper);  // a baseline has one epoch
  return std::string(mode_title(mode)) + (selects ? " (selects on test)" : "");
}

GridCell cell_of(const Table& table, const Row& row, const NumberColumn& at, const LineSpec& spec) {
  if (spec.kind == Kind::mode) {
    return at.column ? mode_cell(table, row, *at.column, spec.mode) : mode_mean(table, row, spec.mode);
  }
  if (at.column && *at.column >= row.cells.size()) return {};
  const Digits digits = at.column ? cell_digits(table) : mean_digits(table);
  if (spec.kind == Kind::published) {
    GridCell cell = published_cell(at.column ? row.cells[*at.column].published : row.published_mean, row, digits);
    // Other papers' numbers compete with ours, whatever they competed with in print.
    if (row.only_printed) cell.bold = at.column ? row.cells[*at.column].bold : row.mean_bold;
    return cell;
  }
  return difference_cell(at.column ? row.cells[*at.column].verdict : row.mean_verdict, digits);
}

std::vector<NumberColumn> number_columns(const Table& table) {
  std::vector<NumberColumn> columns;
  if (prints_classes(table)) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) columns.push_back({on_one_line(table.column_title(i)), i});
  }
  if (prints_mean(table)) columns.push_back({mean_title(table), std::nullopt});
  return columns;
}

std::string runs_text(const Row& row) {
  return row.only_printed ? "" : fmt::format("{}/{}", row.total.finished, row.total.planned);
}

GridLine line_of(const Table& table, const LineSpec& spec, const Row* row) {
  const auto mode = spec.kind == Kind::mode ? std::optional(table.modes[spec.mode]) : std::nullopt;
  return {spec.kind, mode, line_name(table, spec, row), {}};
}

Grid stacked(const Table& table, bool with_runs) {
  Grid grid{label_titles(table), {}, {}};
  const std::vector<NumberColumn> columns = number_columns(table);
  for (const NumberColumn& column : columns) grid.columns.push_back(column.title);
  if (with_runs) grid.columns.push_back("runs");
  for (const Row& row : table.rows) {
    GridBlock block{group_title(table, row), labels_of(table, row), {}, &row};
    for (const LineSpec& spec : line_specs(table)) {
      if (!has_line(table, row, spec, true)) continue;
      GridLine line = line_of(table, spec, &row);
      for (const NumberColumn& column : columns) line.cells.push_back(cell_of(table, row, column, spec));
      if (with_runs) line.cells.push_back({block.lines.empty() ? runs_text(row) : "", "", "", "", false});
      block.lines.push_back(std::move(line));
    }
    grid.blocks.push_back(std::move(block));
  }
  return grid;
}

/// A block of one line that says of each row what `text_of(row)` is.
template <typename TextOf>
GridBlock label_block(const Table& table, const std::string& label, const TextOf& text_of) {
  GridLine line{Kind::label, std::nullopt, "", {}};
  for (const Row& row : table.rows) line.cells.push_back({text_of(row), "", "", "", false});
  return {"", {label}, {std::move(line)}, nullptr};
}

GridBlock transposed_block(const Table& table, const NumberColumn& column) {
  GridBlock block{"", {column.title}, {}, nullptr};
  for (const LineSpec& spec : line_specs(table)) {
    const auto has = [&](const Row& row) { return has_line(table, row, spec, false); };
    if (std::none_of(table.rows.begin(), table.rows.end(), has)) continue;
    GridLine line = line_of(table, spec, nullptr);
    for (const Row& row : table.rows) line.cells.push_back(has(row) ? cell_of(table, row, column, spec) : GridCell{});
    block.lines.push_back(std::move(line));
  }
  return block;
}

Grid transposed(const Table& table, bool with_runs) {
  Grid grid{{prints_classes(table) && table.columns.size() != 1 ? "Class" : ""}, {}, {}};
  for (const Row& row : table.rows) grid.columns.push_back(labels_of(table, row).front());
  if (std::any_of(table.rows.begin(), table.rows.end(), [](const Row& row) { return !row.group.empty(); })) {
    grid.blocks.push_back(label_block(table, "", [&](const Row& row) { return group_title(table, row); }));
  }
  const std::vector<std::string> titles = label_titles(table);
  for (std::size_t i = 1; i < titles.size(); ++i) {
    grid.blocks.push_back(label_block(table, titles[i], [&](const Row& row) { return labels_of(table, row).at(i); }));
  }
  for (const NumberColumn& column : number_columns(table)) grid.blocks.push_back(transposed_block(table, column));
  if (with_runs) grid.blocks.push_back(label_block(table, "runs", runs_text));
  return grid;
}

}  // namespace

std::string plain_text(const GridCell& cell) {
  const std::string spread = cell.spread.empty() ? "" : fmt::format(" ± {}", cell.spread);
  const std::string choice = cell.choice.empty() ? "" : fmt::format(" ({})", cell.choice);
  return fmt::format("{}{}{}{}", cell.text, spread, choice, cell.after);
}

Grid grid_of(const Table& table, bool with_runs) {
  return table.transposed ? transposed(table, with_runs) : stacked(table, with_runs);
}

std::string_view mode_name(Mode mode) {
  switch (mode) {
    case Mode::best:
      return "best";
    case Mode::last:
      return "last";
    case Mode::last_10:
      return "last-10";
    case Mode::gap:
      return "gap";
  }
  return "";
}

std::string_view mode_title(Mode mode) {
  return mode == Mode::last_10 ? "last 10" : mode_name(mode);
}

}  // namespace results
