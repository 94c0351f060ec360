// Says in words what a column of numbers would let pass.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "results/grid_cells.hpp"
#include "results/grid_labels.hpp"
#include "results/note_parts.hpp"
#include "results/notes.hpp"
#include "results/text_layout.hpp"

namespace results {
namespace {

using Why = Uncounted::Why;

/// Below this last-epoch mean, in percent, a table says that the scores of a row are inverted.
constexpr double kInvertedBelow = 40;
/// Runs that a note names one by one before it only counts them.
constexpr std::size_t kMostNamed = 6;

void add_scale(Notes& notes, const Table& table) {
  if (table.scale.empty()) return;
  notes.push_back(fmt::format(
      "Run at --scale {}: few rows, epochs and seeds of a small network: the numbers say nothing about the paper.",
      on_one_line(table.scale)));
}

/// "36.4"; more digits where rounding would hide that it is below the limit.
std::string below_limit_text(double mean) {
  for (int digits = 1; digits < 12; ++digits) {
    const std::string text = fmt::format("{:.{}f}", mean, digits);
    if (std::stod(text) < kInvertedBelow) return text;
  }
  return storage::shortest(mean);
}

void add_inverted(Notes& notes, const Table& table) {
  for (const Row& row : table.rows) {
    if (!is_inverted(row)) continue;
    notes.push_back(fmt::format(
        "{}: the last-epoch mean is {}, below {}: the scores end inverted (they rank anomalies above normals).",
        on_one_line(row.name), below_limit_text(*row.last_mean), kInvertedBelow));
  }
}

void add_baselines(Notes& notes, const Table& table) {
  const auto add = [&](const char* what, const char* runs, const RowTest& holds) {
    const auto is_baseline = [&](const Row& row) { return !row.in_paper && !row.only_printed && holds(row); };
    if (!any_row(table, is_baseline)) return;
    notes.push_back(fmt::format("{}: not in the paper. A baseline {}: {}, whose best epoch is its last.",
                                names_of(table, is_baseline), what, runs));
  };
  const char* untrained = "on the same features without training";
  add(untrained, "one run", [](const Row& row) { return !row.seeded; });
  add(untrained, "one run a seed", [](const Row& row) { return row.seeded && !row.trains_on_images; });
  add("that trains a small network on the images themselves to tell by how much they were turned", "one run a seed",
      [](const Row& row) { return row.trains_on_images; });
}

void add_departures(Notes& notes, const Table& table) {
  if (table.departures.empty()) return;
  const auto departs = [](const Row& row) { return row.departs; };
  const bool all = !any_row(table, [](const Row& row) { return row.in_paper && !row.departs && !row.only_printed; });
  notes.push_back(fmt::format("{}: not the paper's settings: {}: not comparable with its numbers.",
                              all ? "All trainings" : names_of(table, departs), fmt::join(table.departures, ", ")));
}

/// "LinearMap; kNN: untrained (resnet50 random:0)": a clause for each kind of weights that rows are marked with.
std::vector<std::string> weights_clauses(const Table& table) {
  std::vector<std::string> clauses;
  for (const Row& row : table.rows) {
    const auto alike = [&](const Row& other) { return other.weights == row.weights; };
    const bool is_first = &row == &*std::find_if(table.rows.begin(), table.rows.end(), alike);
    if (row.weights.mark().empty() || !is_first) continue;
    clauses.push_back(
        fmt::format("{}: {} ({})", names_of(table, alike), row.weights.mark(), fmt::join(row.weights.listed(), "; ")));
  }
  return clauses;
}

void add_weights(Notes& notes, const Table& table) {
  const std::vector<std::string> clauses = weights_clauses(table);
  if (clauses.empty()) return;
  std::string note = fmt::format("Weights: {}: not comparable with the paper's numbers.", fmt::join(clauses, ". "));
  if (any_row(table, [](const Row& row) { return row.weights.has(sweeps::WeightsKind::untrained); })) {
    note += " Nobody trained an untrained backbone: numbers from its features say nothing about the method.";
  }
  notes.push_back(std::move(note));
}

/// "bird seed 1 at epoch 3", "cat seed 0: oom", "dog".
std::string run_text(const Uncounted& run) {
  std::string text = on_one_line(run.column);
  if (!run.choice.empty()) text += " " + on_one_line(run.choice);
  if (run.seed) text += fmt::format(" seed {}", *run.seed);
  if (run.detail.empty()) return text;
  return text + (run.why == Why::diverged ? " at epoch " : ": ") + on_one_line(run.detail);
}

std::string listed_runs(const Row& row, Why why, const char* word) {
  std::vector<std::string> names;
  std::size_t count = 0;
  for (const Uncounted& run : row.uncounted) {
    if (run.why == why && ++count <= kMostNamed) names.push_back(run_text(run));
  }
  if (count == 0) return "";
  if (count > kMostNamed) names.push_back(fmt::format("and {} more", count - kMostNamed));
  return fmt::format("{} {} ({})", count, word, fmt::join(names, "; "));
}

std::string uncounted_text(const Row& row) {
  std::vector<std::string> parts;
  const auto add = [&](Why why, const char* word) {
    if (std::string text = listed_runs(row, why, word); !text.empty()) parts.push_back(std::move(text));
  };
  add(Why::diverged, "diverged");
  add(Why::failed, "failed");
  add(Why::undefined, "with an undefined AUROC");
  add(Why::missing, "missing");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string why_no_mean(const Row& row) {
  const bool chooses = !row.best_of.empty() && row.statistic != sweeps::Statistic::max;
  const auto has_none = [](const Cell& cell) { return cell.by_mode.empty() || !cell.by_mode.front().summary.mean; };
  if (chooses && std::any_of(row.cells.begin(), row.cells.end(), has_none)) {
    return fmt::format("In some class no {} has all its runs", row.best_of);
  }
  return row.seeded ? "No seed is complete in every class" : "Not every class is there";
}

void add_mixed(Notes& notes, const Table& table) {
  if (table.mixed.empty()) return;
  notes.push_back(fmt::format("{}: numbers of runs that do not belong in one mean, by --allow-mixed: {}.", kMixedSign,
                              on_one_line(fmt::format("{}", fmt::join(table.mixed, "; ")))));
}

/// Columns in which the row has no run planned.
std::vector<std::string> unplanned_columns(const Row& row, const Table& table) {
  std::vector<std::string> columns;
  for (std::size_t c = 0; c < row.cells.size(); ++c) {
    if (row.cells[c].counts.planned == 0) columns.push_back(on_one_line(table.columns.at(c)));
  }
  return columns;
}

void add_incomplete(Notes& notes, const Table& table) {
  for (const Row& row : table.rows) {
    const auto unplanned = unplanned_columns(row, table);
    if (row.total.complete() && prints_mean(table) && !unplanned.empty() && !row.only_printed) {
      notes.push_back(
          fmt::format("{}: all {} planned runs counted. None is planned in {}, so there is no mean over "
                      "classes.",
                      on_one_line(row.name), row.total.planned, fmt::join(unplanned, ", ")));
      continue;
    }
    const bool no_mean = prints_mean(table) && !row.mean_by_mode.empty() && !row.mean_by_mode.front().summary.mean;
    if (row.total.complete() && !no_mean) continue;
    std::string text = fmt::format("{}: incomplete, {} of {} runs counted", on_one_line(row.name), row.total.finished,
                                   row.total.planned);
    if (!row.uncounted.empty()) text += ": " + uncounted_text(row);
    text += ".";
    if (no_mean) text += fmt::format(" {}, so there is no mean over classes.", why_no_mean(row));
    notes.push_back(std::move(text));
  }
  if (any_row(table, [](const Row& row) { return row.total.diverged > 0; })) {
    notes.push_back("diverged: a loss stopped being finite; such a run is in no mean. Epochs count from 0.");
  }
}

}  // namespace

bool is_inverted(const Row& row) {
  return row.last_mean && *row.last_mean < kInvertedBelow;
}

std::vector<std::string> warnings_of(const Table& table) {
  Notes notes;
  add_scale(notes, table);
  add_inverted(notes, table);
  add_baselines(notes, table);
  add_departures(notes, table);
  add_weights(notes, table);
  if (!table.left_out.empty()) {
    notes.push_back(fmt::format("Left out, because they cannot be read: {}.", fmt::join(table.left_out, ", ")));
  }
  add_mixed(notes, table);
  add_incomplete(notes, table);
  return notes;
}

}  // namespace results
