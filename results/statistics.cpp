// Means, standard deviations and the aggregation of a planned table. Sums run in the order of the plan, so that the
// order of the journal changes no bit.
#include "results/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/departures.hpp"
#include "results/settings.hpp"
#include "storage/error.hpp"

namespace results {
namespace {

using sweeps::Mode;
using Why = Uncounted::Why;

/// A run that is in the means of its row.
struct CountedRun {
  std::size_t column = 0;
  std::uint64_t seed = 0;
  const JobResult* result = nullptr;
};

/// What one row is aggregated from; refers to its arguments.
class RowBuilder {
 public:
  RowBuilder(const sweeps::Plan& plan, const sweeps::PlannedTable& table, const sweeps::PlannedRow& planned,
             const Ledger& ledger)
      : plan_(plan), table_(table), planned_(planned), ledger_(ledger) {
    row_.name = planned.name;
    row_.reduced = planned.reduced;
    row_.in_paper = planned.in_paper;
    row_.seeded = planned.seeded;
  }

  Row build() {
    for (std::size_t column = 0; column < planned_.cells.size(); ++column) add_cell(column);
    row_.seeds_planned = seeds_.size();
    for (const Mode mode : table_.modes) row_.mean_by_mode.push_back({summarise(class_means(mode)), {}, {}});
    row_.last_mean = summarise(class_means(Mode::last)).mean;
    row_.departs = !departures_of(jobs_).empty();
    // A row of ResNet-50 that ran on another backbone of the paper would have the right settings and the wrong name.
    const bool as_written = table_.substitutes.empty() && table_.left_out.empty();
    row_.comparable = row_.in_paper && !row_.departs && row_.weights.mark().empty() && as_written;
    return std::move(row_);
  }

 private:
  void add_cell(std::size_t column);
  void add_run(std::size_t column, std::size_t job, Cell& cell);
  void leave_out(std::size_t column, const sweeps::Job& job, Why why, std::string detail, std::size_t& count);
  void check_alike(std::size_t column, const Done& first, const Done& other) const;
  std::vector<double> class_means(Mode mode) const;
  std::optional<std::string> undefined_reason(const JobResult& result) const;

  const sweeps::Plan& plan_;
  const sweeps::PlannedTable& table_;
  const sweeps::PlannedRow& planned_;
  const Ledger& ledger_;
  Row row_;
  std::set<std::uint64_t> seeds_;
  std::vector<const sweeps::Job*> jobs_;
  std::vector<CountedRun> counted_;
  const Done* first_of_cell_ = nullptr;
};

void RowBuilder::add_cell(std::size_t column) {
  Cell cell;
  first_of_cell_ = nullptr;
  const std::size_t counted_before = counted_.size();
  for (const std::size_t job : planned_.cells[column].jobs) add_run(column, job, cell);
  for (const Mode mode : table_.modes) {
    std::vector<double> values;
    for (std::size_t i = counted_before; i < counted_.size(); ++i) {
      values.push_back(*auc_percent(*counted_[i].result, mode));
    }
    cell.by_mode.push_back({summarise(values), {}, {}});
  }
  row_.total.planned += cell.counts.planned;
  row_.total.finished += cell.counts.finished;
  row_.total.diverged += cell.counts.diverged;
  row_.total.failed += cell.counts.failed;
  row_.total.undefined += cell.counts.undefined;
  row_.cells.push_back(std::move(cell));
}

void RowBuilder::add_run(std::size_t column, std::size_t index, Cell& cell) {
  const sweeps::Job& job = plan_.jobs.at(index);
  const sweeps::JobKey& key = plan_.keys.at(index);
  ++cell.counts.planned;
  jobs_.push_back(&job);
  seeds_.insert(job.seed);
  const auto done = ledger_.done.find(key);
  if (done == ledger_.done.end()) {
    std::size_t missing = 0;  // CellCounts works it out
    const auto failed = ledger_.failed.find(key);
    if (failed == ledger_.failed.end()) return leave_out(column, job, Why::missing, "", missing);
    return leave_out(column, job, Why::failed, failed->second.cause, cell.counts.failed);
  }
  if (first_of_cell_ != nullptr) check_alike(column, *first_of_cell_, done->second);
  if (first_of_cell_ == nullptr) first_of_cell_ = &done->second;
  const JobResult& result = done->second.result;
  if (result.outcome == Outcome::diverged) {
    const std::string epoch = fmt::format("{}", result.diverged_epoch.value_or(0));
    return leave_out(column, job, Why::diverged, epoch, cell.counts.diverged);
  }
  if (const auto reason = undefined_reason(result)) {
    return leave_out(column, job, Why::undefined, *reason, cell.counts.undefined);
  }
  ++cell.counts.finished;
  cell.weights.add(job.backbone, result.weights);
  row_.weights.add(job.backbone, result.weights);
  counted_.push_back({column, job.seed, &result});
}

void RowBuilder::leave_out(std::size_t column, const sweeps::Job& job, Why why, std::string detail,
                           std::size_t& count) {
  ++count;
  row_.uncounted.push_back(
      {why, table_.columns.at(column), planned_.seeded ? std::optional(job.seed) : std::nullopt, std::move(detail)});
}

/// A run counts in all modes of the table or in none, so that best and last are always over the same runs.
std::optional<std::string> RowBuilder::undefined_reason(const JobResult& result) const {
  const bool defined = std::all_of(table_.modes.begin(), table_.modes.end(),
                                   [&](Mode mode) { return auc_percent(result, mode).has_value(); });
  if (defined) return std::nullopt;
  for (auto record = result.epochs.rbegin(); record != result.epochs.rend(); ++record) {
    if (!record->ranking) return record->undefined;
  }
  return "no epoch was recorded";
}

void RowBuilder::check_alike(std::size_t column, const Done& first, const Done& other) const {
  const auto check = [&](const char* what, const std::string& one, const std::string& two) {
    if (one == two) return;
    throw storage::Error(fmt::format(
        "table {}, row {}, column {}: its runs do not belong in one mean: {} {} (seed {}) and {} (seed "
        "{}); run them alike, "
        "into one --out",
        table_.id, planned_.name, table_.columns.at(column), what, one, first.job.seed, two, other.job.seed));
  };
  check("device", first.result.device, other.result.device);
  check("threads", std::to_string(first.result.threads), std::to_string(other.result.threads));
  check("training feature set", first.result.train.id, other.result.train.id);
  check("training feature set's checksum", first.result.train.checksum, other.result.train.checksum);
  check("test feature set", first.result.test.id, other.result.test.id);
  check("test feature set's checksum", first.result.test.checksum, other.result.test.checksum);
}

/// For each seed that is complete in every class, in the order of the seeds: the mean over its classes.
std::vector<double> RowBuilder::class_means(Mode mode) const {
  std::vector<double> means;
  for (const std::uint64_t seed : seeds_) {
    std::vector<double> classes;
    for (const CountedRun& run : counted_) {
      const auto percent = run.seed == seed ? auc_percent(*run.result, mode) : std::nullopt;
      if (percent) classes.push_back(*percent);
    }
    if (classes.size() == planned_.cells.size()) means.push_back(*summarise(classes).mean);
  }
  return means;
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

std::optional<double> auc_percent(const JobResult& result, sweeps::Mode mode) {
  if (result.outcome != Outcome::finished || result.epochs.empty()) return std::nullopt;
  const auto best = best_epoch(result.epochs);
  const std::size_t epoch = mode == Mode::last ? result.epochs.size() - 1 : best.value_or(0);
  const auto auc = result.epochs[epoch].auc();
  return auc ? std::optional(*auc * 100) : std::nullopt;
}

Table aggregate(const sweeps::Plan& plan, const sweeps::PlannedTable& table, const Ledger& ledger, Mixed) {
  Table aggregated{table.id, table.title, table.dataset, table.columns, table.modes, {}, {}, {}};
  std::vector<const sweeps::Job*> jobs;
  std::vector<const JobResult*> results;
  std::set<std::size_t> seen;  // rows may share jobs
  for (const sweeps::PlannedRow& row : table.rows) {
    aggregated.rows.push_back(RowBuilder(plan, table, row, ledger).build());
    for (const sweeps::PlannedCell& cell : row.cells) {
      for (const std::size_t index : cell.jobs) {
        if (!seen.insert(index).second) continue;
        jobs.push_back(&plan.jobs.at(index));
        const auto done = ledger.done.find(plan.keys.at(index));
        if (done != ledger.done.end()) results.push_back(&done->second.result);
      }
    }
  }
  aggregated.settings = settings_of(jobs, results, table);
  aggregated.left_out = table.left_out;
  aggregated.departures = departures_of(jobs);
  return aggregated;
}

}  // namespace results
