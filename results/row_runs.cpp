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

/// What must be the same of all runs of one mean.
struct Sameness {
  const char* what;    ///< "device"
  const char* plural;  ///< "devices", for a mark
  bool of_features;    ///< of what was trained on, which the values of an axis may change
  std::string (*value)(const Done&);
};
constexpr Sameness kSameness[] = {
    {"engine version", "engine versions", false, [](const Done& done) { return std::to_string(done.engine_version); }},
    {"device", "devices", false, [](const Done& done) { return done.result.device; }},
    {"threads", "threads", false, [](const Done& done) { return std::to_string(done.result.threads); }},
    {"training feature set", "training feature sets", true, [](const Done& done) { return done.result.train.id; }},
    {"training feature set's checksum", "checksums of training feature sets", true,
     [](const Done& done) { return done.result.train.checksum; }},
    {"test feature set", "test feature sets", true, [](const Done& done) { return done.result.test.id; }},
    {"test feature set's checksum", "checksums of test feature sets", true,
     [](const Done& done) { return done.result.test.checksum; }},
};

/// A committed run and the value of best_of that it is of.
struct Committed {
  const Done* done = nullptr;
  std::string choice;
};

/// Runs of one group rest on the same features.
std::string features_group(const Committed& run) {
  const bool by_class = run.done->job.normalisation == sweeps::Normalisation::normal_class;
  return run.choice + "\n" + (by_class ? run.done->job.normal_class : "");
}

/// Two runs that do not belong in one mean.
struct Difference {
  const Sameness* same;
  const Done *one, *other;
};

/// At most one for each Sameness, with every value that there is.
std::vector<std::pair<Difference, std::set<std::string>>> differences_among(const std::vector<Committed>& runs) {
  std::vector<std::pair<Difference, std::set<std::string>>> found;
  for (const Sameness& same : kSameness) {
    std::map<std::string, const Done*> first_of_group;
    std::set<std::string> values;
    Difference difference{&same, nullptr, nullptr};
    for (const Committed& run : runs) {
      const std::string group = same.of_features ? features_group(run) : "";
      const Done* first = first_of_group.try_emplace(group, run.done).first->second;
      if (same.value(*first) == same.value(*run.done)) continue;
      if (difference.one == nullptr) difference = {&same, first, run.done};
      values.insert({same.value(*first), same.value(*run.done)});
    }
    if (difference.one != nullptr) found.emplace_back(difference, values);
  }
  return found;
}

class RunFinder {
 public:
  RunFinder(const sweeps::Plan& plan, const sweeps::PlannedTable& table, const sweeps::PlannedRow& row,
            const Ledger& ledger, Mixed mixed)
      : plan_(plan), table_(table), row_(row), ledger_(ledger), mixed_(mixed) {}

  RowRuns find() {
    for (std::size_t column = 0; column < row_.cells.size(); ++column) add_cell(column);
    if (table_.columns_are != sweeps::Columns::chosen) runs_.mixed = check_alike(of_row_, "the mean over classes");
    for (const Committed& run : of_row_) runs_.committed.push_back(run.done);
    return std::move(runs_);
  }

 private:
  void add_cell(std::size_t column);
  void add_run(std::size_t job, CellRuns& cell, ChoiceRuns& choice);
  void leave_out(const sweeps::Job& job, const ChoiceRuns& choice, Why why, std::string detail);
  std::vector<std::string> check_alike(const std::vector<Committed>& runs, const std::string& column) const;
  std::optional<std::string> undefined_reason(const JobResult& result) const;

  const sweeps::Plan& plan_;
  const sweeps::PlannedTable& table_;
  const sweeps::PlannedRow& row_;
  const Ledger& ledger_;
  const Mixed mixed_;
  RowRuns runs_;
  std::size_t column_ = 0;
  std::vector<Committed> of_cell_, of_row_;
};

void RunFinder::add_cell(std::size_t column) {
  const sweeps::PlannedCell& planned = row_.cells[column];
  column_ = column;
  of_cell_.clear();
  CellRuns cell;
  const auto add_choice = [&](const std::string& value, const std::vector<std::size_t>& jobs) {
    ChoiceRuns choice{value, 0, {}};
    for (const std::size_t job : jobs) add_run(job, cell, choice);
    cell.choices.push_back(std::move(choice));
  };
  for (const auto& choice : planned.choices) add_choice(choice.value, choice.jobs);
  if (planned.choices.empty()) add_choice("", planned.jobs);
  cell.mixed = check_alike(of_cell_, "column " + table_.columns.at(column));
  of_row_.insert(of_row_.end(), of_cell_.begin(), of_cell_.end());
  runs_.seeds.insert(cell.seeds.begin(), cell.seeds.end());
  runs_.cells.push_back(std::move(cell));
}

void RunFinder::add_run(std::size_t index, CellRuns& cell, ChoiceRuns& choice) {
  const sweeps::Job& job = plan_.jobs.at(index);
  const sweeps::JobKey& key = plan_.keys.at(index);
  ++cell.counts.planned;
  ++choice.planned;
  runs_.jobs.push_back(&job);
  runs_.planned.insert(index);
  cell.classes.insert(job.normal_class);
  cell.seeds.insert(job.seed);
  const auto done = ledger_.done.find(key);
  if (done == ledger_.done.end()) {
    const auto failed = ledger_.failed.find(key);
    if (failed == ledger_.failed.end()) return leave_out(job, choice, Why::missing, "");
    ++cell.counts.failed;
    return leave_out(job, choice, Why::failed, failed->second.cause);
  }
  of_cell_.push_back({&done->second, choice.value});
  const JobResult& result = done->second.result;
  if (result.outcome == Outcome::diverged) {
    ++cell.counts.diverged;
    return leave_out(job, choice, Why::diverged, fmt::format("{}", result.diverged_epoch.value_or(0)));
  }
  if (const auto reason = undefined_reason(result)) {
    ++cell.counts.undefined;
    return leave_out(job, choice, Why::undefined, *reason);
  }
  ++cell.counts.finished;
  cell.weights.add(job.backbone, result.weights);
  choice.counted.push_back({job.normal_class, job.seed, &result});
}

void RunFinder::leave_out(const sweeps::Job& job, const ChoiceRuns& choice, Why why, std::string detail) {
  Uncounted run{why, table_.columns.at(column_), std::nullopt, std::move(detail)};
  if (row_.seeded) run.seed = job.seed;
  if (!choice.value.empty()) run.choice = row_.best_of + " " + choice.value;
  runs_.uncounted.push_back(std::move(run));
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

/// What the runs differ in, where that is allowed.
std::vector<std::string> RunFinder::check_alike(const std::vector<Committed>& runs, const std::string& column) const {
  std::vector<std::string> mixed;
  for (const auto& [difference, values] : differences_among(runs)) {
    const auto& [same, one, other] = difference;
    if (mixed_ == Mixed::refused) {
      throw storage::Error(fmt::format(
          "table {}, row {}, {}: its runs do not belong in one mean: {} {} ({} seed {}) and {} ({} seed {}); run them "
          "alike, into one --out, or give `report` --allow-mixed, which marks them",
          table_.id, row_.name, column, same->what, same->value(*one), one->job.normal_class, one->job.seed,
          same->value(*other), other->job.normal_class, other->job.seed));
    }
    mixed.push_back(fmt::format("{} {}", same->plural, fmt::join(values, ", ")));
  }
  return mixed;
}

}  // namespace

RowRuns runs_of(const sweeps::Plan& plan, const sweeps::PlannedTable& table, const sweeps::PlannedRow& row,
                const Ledger& ledger, Mixed mixed) {
  return RunFinder(plan, table, row, ledger, mixed).find();
}

Computed computed_by(const RowRuns& runs) {
  Computed computed;
  for (const Sameness& same : kSameness) {
    if (same.of_features) continue;  // variants may read other features
    for (const Done* done : runs.committed) computed[same.plural].insert(same.value(*done));
  }
  return computed;
}

std::vector<std::string> mixed_between(const Computed& first, const Computed& second) {
  std::vector<std::string> mixed;
  for (const Sameness& same : kSameness) {
    std::set<std::string> values;
    for (const Computed* computed : {&first, &second}) {
      const auto found = computed->find(same.plural);
      if (found != computed->end()) values.insert(found->second.begin(), found->second.end());
    }
    if (values.size() > 1) mixed.push_back(fmt::format("{} {}", same.plural, fmt::join(values, ", ")));
  }
  return mixed;
}

}  // namespace results
