// Looks every planned job of a row up in the ledger. A run counts in all modes of the table or in none, so that best
// and last are always over the same runs.
#include "results/row_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "storage/error.hpp"

namespace results {
namespace {

using Why = Uncounted::Why;

/// What must be the same of all runs of a cell.
struct Sameness {
  const char* what;    ///< "device"
  const char* plural;  ///< "devices", for a mark
  std::string (*value)(const Done&);
};
constexpr Sameness kSameness[] = {
    {"engine version", "engine versions", [](const Done& done) { return std::to_string(done.engine_version); }},
    {"device", "devices", [](const Done& done) { return done.result.device; }},
    {"threads", "threads", [](const Done& done) { return std::to_string(done.result.threads); }},
    {"training feature set", "training feature sets", [](const Done& done) { return done.result.train.id; }},
    {"training feature set's checksum", "checksums of training feature sets",
     [](const Done& done) { return done.result.train.checksum; }},
    {"test feature set", "test feature sets", [](const Done& done) { return done.result.test.id; }},
    {"test feature set's checksum", "checksums of test feature sets",
     [](const Done& done) { return done.result.test.checksum; }},
};

class RunFinder {
 public:
  RunFinder(const sweeps::Plan& plan, const sweeps::PlannedTable& table, const sweeps::PlannedRow& row,
            const Ledger& ledger, Mixed mixed)
      : plan_(plan), table_(table), row_(row), ledger_(ledger), mixed_(mixed) {}

  RowRuns find() {
    for (std::size_t column = 0; column < row_.cells.size(); ++column) add_cell(column);
    return std::move(runs_);
  }

 private:
  void add_cell(std::size_t column);
  void add_run(std::size_t job, CellRuns& cell, ChoiceRuns& choice);
  void leave_out(const sweeps::Job& job, Why why, std::string detail);
  void check_alike(CellRuns& cell) const;
  std::optional<std::string> undefined_reason(const JobResult& result) const;

  const sweeps::Plan& plan_;
  const sweeps::PlannedTable& table_;
  const sweeps::PlannedRow& row_;
  const Ledger& ledger_;
  const Mixed mixed_;
  RowRuns runs_;
  std::size_t column_ = 0;
  std::vector<const Done*> committed_;  ///< committed runs of the cell
};

void RunFinder::add_cell(std::size_t column) {
  const sweeps::PlannedCell& planned = row_.cells[column];
  column_ = column;
  committed_.clear();
  CellRuns cell;
  const auto add_choice = [&](const std::string& value, const std::vector<std::size_t>& jobs) {
    ChoiceRuns choice{value, 0, {}};
    for (const std::size_t job : jobs) add_run(job, cell, choice);
    cell.choices.push_back(std::move(choice));
  };
  for (const auto& choice : planned.choices) add_choice(choice.value, choice.jobs);
  if (planned.choices.empty()) add_choice("", planned.jobs);
  check_alike(cell);
  runs_.seeds.insert(cell.seeds.begin(), cell.seeds.end());
  runs_.cells.push_back(std::move(cell));
}

void RunFinder::add_run(std::size_t index, CellRuns& cell, ChoiceRuns& choice) {
  const sweeps::Job& job = plan_.jobs.at(index);
  const sweeps::JobKey& key = plan_.keys.at(index);
  ++cell.counts.planned;
  ++choice.planned;
  runs_.jobs.push_back(&job);
  cell.classes.insert(job.normal_class);
  cell.seeds.insert(job.seed);
  const auto done = ledger_.done.find(key);
  if (done == ledger_.done.end()) {
    const auto failed = ledger_.failed.find(key);
    if (failed == ledger_.failed.end()) return leave_out(job, Why::missing, "");
    ++cell.counts.failed;
    return leave_out(job, Why::failed, failed->second.cause);
  }
  committed_.push_back(&done->second);
  const JobResult& result = done->second.result;
  if (result.outcome == Outcome::diverged) {
    ++cell.counts.diverged;
    return leave_out(job, Why::diverged, fmt::format("{}", result.diverged_epoch.value_or(0)));
  }
  if (const auto reason = undefined_reason(result)) {
    ++cell.counts.undefined;
    return leave_out(job, Why::undefined, *reason);
  }
  ++cell.counts.finished;
  cell.weights.add(job.backbone, result.weights);
  choice.counted.push_back({job.normal_class, job.seed, &result});
}

void RunFinder::leave_out(const sweeps::Job& job, Why why, std::string detail) {
  runs_.uncounted.push_back(
      {why, table_.columns.at(column_), row_.seeded ? std::optional(job.seed) : std::nullopt, std::move(detail)});
}

std::optional<std::string> RunFinder::undefined_reason(const JobResult& result) const {
  const bool defined = std::all_of(table_.modes.begin(), table_.modes.end(),
                                   [&](sweeps::Mode mode) { return auc_percent(result, mode).has_value(); });
  if (defined) return std::nullopt;
  for (auto record = result.epochs.rbegin(); record != result.epochs.rend(); ++record) {
    if (!record->ranking) return record->undefined;
  }
  return "no epoch was recorded";
}

/// Runs are compared within a class: another class has other training rows by nature.
void RunFinder::check_alike(CellRuns& cell) const {
  for (const Sameness& same : kSameness) {
    std::map<std::string, const Done*> first_of_class;
    std::set<std::string> values;
    for (const Done* done : committed_) {
      const Done* first = first_of_class.try_emplace(done->job.normal_class, done).first->second;
      const std::string one = same.value(*first), two = same.value(*done);
      if (one == two) continue;
      if (mixed_ == Mixed::refused) {
        throw storage::Error(fmt::format(
            "table {}, row {}, column {}: its runs do not belong in one mean: {} {} (seed {}) and {} (seed {}); run "
            "them alike, into one --out, or give `report` --allow-mixed, which marks them",
            table_.id, row_.name, table_.columns.at(column_), same.what, one, first->job.seed, two, done->job.seed));
      }
      values.insert({one, two});
    }
    if (!values.empty()) cell.mixed.push_back(fmt::format("{} {}", same.plural, fmt::join(values, ", ")));
  }
}

}  // namespace

RowRuns runs_of(const sweeps::Plan& plan, const sweeps::PlannedTable& table, const sweeps::PlannedRow& row,
                const Ledger& ledger, Mixed mixed) {
  return RunFinder(plan, table, row, ledger, mixed).find();
}

}  // namespace results
