// Captions, and what the numbers of a table are.
#include "results/notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "results/between_variants.hpp"
#include "results/grid_labels.hpp"
#include "results/note_parts.hpp"
#include "results/text_layout.hpp"

namespace results {
namespace {

using sweeps::Mode;

/// A number of the row is made of fewer runs than are planned.
bool is_partial(const Row& row) {
  return std::any_of(row.cells.begin(), row.cells.end(),
                     [](const Cell& cell) { return cell.counts.finished > 0 && !cell.counts.complete(); });
}

/// A number of the row has no standard deviation, though it is one of a training.
bool has_single_run(const Row& row) {
  const auto single = [](const Value& value) { return value.summary.n == 1; };
  const auto has_single = [&](const std::vector<Value>& modes) {
    return std::any_of(modes.begin(), modes.end(), single);
  };
  return row.seeded && row.statistic != sweeps::Statistic::max &&
         (has_single(row.mean_by_mode) ||
          std::any_of(row.cells.begin(), row.cells.end(), [&](const Cell& cell) { return has_single(cell.by_mode); }));
}

void add_numbers(Notes& notes, const Table& table) {
  if (!any_row(table, [](const Row& row) { return !row.only_printed; })) return;
  std::string numbers =
      fmt::format("AUROC {}, normal class positive: mean ± standard deviation over seeds (sample, ddof = 1).",
                  table.metric == sweeps::Metric::fraction ? "as a fraction" : "in percent");
  if (any_row(table, has_single_run)) numbers += " `± -`: one run has no standard deviation.";
  if (any_row(table, is_partial)) numbers += " `(3/5)`: of 3 runs only, where 5 are planned (seeds, for the mean).";
  if (table.bold) {
    numbers += fmt::format(" Bold: the highest of its {}{}.", table.transposed ? "row" : "column",
                           table.published == nullptr ? "" : ", as the paper marks it");
  }
  notes.push_back(numbers);
}

void add_modes(Notes& notes, const Table& table) {
  if (!any_row(table, [](const Row& row) { return !row.only_printed; })) return;
  std::vector<std::string> modes;
  if (has_mode(table, Mode::best)) modes.push_back("`best` selects the epoch on the test split, as the paper does.");
  if (has_mode(table, Mode::last)) modes.push_back("`last` is the last epoch, with nothing selected.");
  if (has_mode(table, Mode::best) && has_mode(table, Mode::last)) {
    modes.push_back("The two differ by tens of points in this method: read both.");
  }
  if (has_mode(table, Mode::last_10)) {
    modes.push_back("`last 10` is the mean of the last 10 epochs (of all, where there are fewer).");
  }
  if (has_mode(table, Mode::gap))
    modes.push_back("`gap` is `best` less `last`: what selecting on the test split gains.");
  notes.push_back(fmt::format("{}", fmt::join(modes, " ")));
}

void add_mean(Notes& notes, const Table& table) {
  if (!any_row(table, [](const Row& row) { return !row.only_printed; })) return;
  std::string text;
  if (prints_mean(table)) {
    text = fmt::format("`{}` averages the classes within each seed, over the seeds that are complete in every class. ",
                       mean_title(table));
  }
  if (table.datasets.size() > 1) {
    text =
        "Columns are of different data sets: there is no mean over them, and rows are not tested against each other. ";
  }
  notes.push_back(text + "`runs`: counted / planned.");
}

}  // namespace

bool any_row(const Table& table, const RowTest& holds) {
  return std::any_of(table.rows.begin(), table.rows.end(), holds);
}

std::string names_of(const Table& table, const RowTest& holds) {
  std::vector<std::string> names;
  for (const Row& row : table.rows) {
    if (holds(row)) names.push_back(on_one_line(row.name));
  }
  return fmt::format("{}", fmt::join(names, "; "));
}

bool has_mode(const Table& table, Mode mode) {
  return std::find(table.modes.begin(), table.modes.end(), mode) != table.modes.end();
}

std::string title_of(const Table& table) {
  return on_one_line(table.title.empty() ? table.id : table.title);
}

std::string caption_of(const Table& table) {
  return on_one_line(fmt::format("{}.", fmt::join(table.settings, "; ")));
}

std::vector<std::string> notes_of(const Table& table) {
  Notes notes;
  add_numbers(notes, table);
  add_modes(notes, table);
  add_mean(notes, table);
  add_published_legend(notes, table);
  add_published_notes(notes, table);
  add_choice_notes(notes, table);
  if (std::string none = why_no_tests(table); !none.empty()) notes.push_back(std::move(none));
  const Notes warnings = warnings_of(table);
  notes.insert(notes.end(), warnings.begin(), warnings.end());
  return notes;
}

}  // namespace results
