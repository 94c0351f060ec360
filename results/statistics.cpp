// Means, standard deviations and the aggregation of a planned table: rows in, with what the paper printed beside them.
#include "results/statistics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/bold.hpp"
#include "results/comparisons.hpp"
#include "results/departures.hpp"
#include "results/row_values.hpp"
#include "results/settings.hpp"
#include "results/verdicts.hpp"

namespace results {
namespace {

using sweeps::Mode;

/// Mean over the last so many epochs in mode last_10, or over all where there are fewer.
constexpr std::size_t kLastEpochs = 10;

std::optional<double> mean_of_last(const std::vector<EpochRecord>& epochs) {
  const std::size_t count = std::min(kLastEpochs, epochs.size());
  double sum = 0;
  for (std::size_t i = epochs.size() - count; i < epochs.size(); ++i) {
    const auto auc = epochs[i].auc();
    if (!auc) return std::nullopt;
    sum += *auc * 100;
  }
  return sum / static_cast<double>(count);
}

/// A backbone or data set that was taken in place of the one that the sweep names.
bool stands_in(const std::string& name, const sweeps::Substitutes& substitutes) {
  return std::any_of(substitutes.begin(), substitutes.end(), [&](const auto& pair) { return pair.second == name; });
}

/// Why no number of the row may be held against the paper's; "" where it may.
std::string why_not_comparable(const Row& row, const Table& table, const sweeps::PlannedTable& planned,
                               const std::vector<const sweeps::Job*>& jobs) {
  std::vector<std::string> reasons;
  if (!row.in_paper) reasons.emplace_back("a baseline, not in the paper");
  const std::vector<std::string> departures = short_departures_of(jobs);
  reasons.insert(reasons.end(), departures.begin(), departures.end());
  if (!row.weights.mark().empty()) reasons.push_back(row.weights.mark());
  const auto is_substitute = [&](const std::string& dataset) { return stands_in(dataset, planned.substitutes); };
  if (row.substitute || std::any_of(planned.datasets.begin(), planned.datasets.end(), is_substitute)) {
    reasons.emplace_back("substituted");
  }
  if (!table.left_out.empty()) reasons.emplace_back("images left out");
  const auto is_mixed = [](const Cell& cell) { return !cell.mixed.empty(); };
  if (!row.mean_mixed.empty() || std::any_of(row.cells.begin(), row.cells.end(), is_mixed)) {
    reasons.emplace_back("mixed runs");
  }
  if (row.published != nullptr) {
    // What a substitute or another backbone explains is not said twice.
    const std::string other = mismatch(*row.published, jobs);
    if (!other.empty() && reasons.empty()) reasons.push_back("not the settings of the published row: " + other);
  }
  return fmt::format("{}", fmt::join(reasons, ", "));
}

void add_cells(Row& row, const RowRuns& runs, const sweeps::PlannedRow& planned, const std::vector<Mode>& modes) {
  for (const CellRuns& of_cell : runs.cells) {
    Cell cell;
    cell.counts = of_cell.counts;
    cell.by_mode = cell_values(of_cell, planned, modes);
    cell.weights = of_cell.weights;
    cell.mixed = of_cell.mixed;
    row.weights.add(of_cell.weights);
    row.total.planned += cell.counts.planned;
    row.total.finished += cell.counts.finished;
    row.total.diverged += cell.counts.diverged;
    row.total.failed += cell.counts.failed;
    row.total.undefined += cell.counts.undefined;
    row.cells.push_back(std::move(cell));
  }
}

Row described(const sweeps::PlannedRow& planned, const Table& table) {
  Row row;
  row.name = planned.name;
  row.reduced = planned.reduced;
  row.in_paper = planned.in_paper;
  row.seeded = planned.seeded;
  row.trains_on_images = planned.trains_on_images;
  row.group = planned.group;
  row.only_printed = planned.only_printed;
  row.best_of = planned.best_of;
  row.statistic = planned.statistic;
  if (table.published != nullptr && !planned.published.empty()) {
    row.published = table.published->find_row(planned.published);
  }
  return row;
}

/// A row of another paper's numbers: cells without runs.
Row printed_row(const sweeps::PlannedRow& planned, const Table& table) {
  Row row = described(planned, table);
  row.comparable = false;
  row.cells.resize(table.columns.size());
  add_published(row, table);
  return row;
}

Row row_of(const sweeps::PlannedRow& planned, const sweeps::PlannedTable& planned_table, const RowRuns& runs,
           const Table& table) {
  Row row = described(planned, table);
  add_cells(row, runs, planned, table.modes);
  row.uncounted = runs.uncounted;
  row.mean_mixed = runs.mixed;
  row.seeds_planned = runs.seeds.size();
  if (table.columns_are != sweeps::Columns::chosen) {
    for (const Mode mode : table.modes) row.mean_by_mode.push_back(mean_value(runs, planned, mode));
    row.last_mean = mean_value(runs, planned, Mode::last).summary.mean;
  }
  row.departs = !departures_of(runs.jobs).empty();
  row.substitute = std::any_of(runs.jobs.begin(), runs.jobs.end(), [&](const sweeps::Job* job) {
    return stands_in(job->backbone, planned_table.substitutes);
  });
  row.why_not_comparable = why_not_comparable(row, table, planned_table, runs.jobs);
  row.comparable = row.why_not_comparable.empty();
  add_published(row, table);
  add_verdicts(row, table);
  return row;
}

Table described(const sweeps::PlannedTable& planned) {
  Table table;
  table.id = planned.id;
  table.title = planned.title;
  table.datasets = planned.datasets;
  table.columns = planned.columns;
  table.modes = planned.modes;
  table.left_out = planned.left_out;
  table.columns_are = planned.columns_are;
  table.metric = planned.metric;
  table.decimals = planned.decimals;
  table.mean_decimals = planned.mean_decimals;
  table.bold = planned.bold;
  table.transposed = planned.transposed;
  table.scale = planned.scale;
  if (!planned.published.empty()) table.published = sweeps::find_published_table(planned.published);
  return table;
}

/// What is said of all jobs of the table, each once: rows may share them.
void add_facts(Table& table, const sweeps::Plan& plan, const sweeps::PlannedTable& planned, const Ledger& ledger) {
  std::vector<const sweeps::Job*> jobs;
  std::vector<const JobResult*> results;
  std::set<std::size_t> seen;
  std::set<int> engines;
  for (const sweeps::PlannedRow& row : planned.rows) {
    for (const sweeps::PlannedCell& cell : row.cells) {
      for (const std::size_t index : cell.jobs) {
        if (!seen.insert(index).second) continue;
        jobs.push_back(&plan.jobs.at(index));
        const auto done = ledger.done.find(plan.keys.at(index));
        if (done == ledger.done.end()) continue;
        results.push_back(&done->second.result);
        engines.insert(done->second.engine_version);
      }
    }
  }
  table.settings = settings_of(jobs, results, planned);
  engines.insert(sweeps::kEngineVersion);
  if (engines.size() > 1) {
    engines.erase(sweeps::kEngineVersion);
    table.settings.push_back(
        fmt::format("engine version {} (this build's is {})", fmt::join(engines, ", "), sweeps::kEngineVersion));
  }
  table.departures = departures_of(jobs);
}

void add_mixed(Table& table) {
  std::set<std::string> mixed;
  for (const Row& row : table.rows) {
    for (const Cell& cell : row.cells) mixed.insert(cell.mixed.begin(), cell.mixed.end());
    mixed.insert(row.mean_mixed.begin(), row.mean_mixed.end());
  }
  for (const Comparison& comparison : table.comparisons) {
    mixed.insert(comparison.mixed.begin(), comparison.mixed.end());
  }
  table.mixed.assign(mixed.begin(), mixed.end());
}

}  // namespace

Summary summarise(const std::vector<double>& values) {
  Summary summary;
  summary.n = values.size();
  if (values.empty()) return summary;
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  summary.mean = mean;
  if (values.size() < 2) return summary;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  summary.std_dev = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return summary;
}

std::optional<double> auc_percent(const JobResult& result, Mode mode) {
  if (result.outcome != Outcome::finished || result.epochs.empty()) return std::nullopt;
  if (mode == Mode::last_10) return mean_of_last(result.epochs);
  const auto percent = [&](std::size_t epoch) {
    const auto auc = result.epochs[epoch].auc();
    return auc ? std::optional(*auc * 100) : std::nullopt;
  };
  const auto last = percent(result.epochs.size() - 1);
  if (mode == Mode::last) return last;
  const auto best = percent(best_epoch(result.epochs).value_or(0));
  if (mode == Mode::best) return best;
  return best && last ? std::optional(*best - *last) : std::nullopt;
}

std::string Table::column_title(std::size_t column) const {
  const std::string& name = columns.at(column);
  const auto* printed = published == nullptr ? nullptr : published->find_column(name);
  return printed == nullptr ? name : printed->name;
}

Table aggregate(const sweeps::Plan& plan, const sweeps::PlannedTable& planned, const Ledger& ledger, Mixed mixed) {
  Table table = described(planned);
  std::vector<RowRuns> runs;
  for (const sweeps::PlannedRow& row : planned.rows) {
    runs.push_back(row.only_printed ? RowRuns{} : runs_of(plan, planned, row, ledger, mixed));
    table.rows.push_back(row.only_printed ? printed_row(row, table) : row_of(row, planned, runs.back(), table));
  }
  set_bold(table);
  table.verdicts = count_verdicts(table);
  table.comparisons = compare_rows(planned, runs);
  add_facts(table, plan, planned, ledger);
  add_mixed(table);
  return table;
}

}  // namespace results
