// Classes are averaged within each seed, then seeds; the best of an axis is chosen for each class. Sums run in the
// order of the plan, so that the order of the journal changes no bit.
#include "results/row_values.hpp"

#include <algorithm>
#include <map>

namespace results {
namespace {

using sweeps::Mode;

/// A run that counts has a number in every mode of its table, but the last epoch is asked for in tables without it.
std::vector<double> percents(const std::vector<CountedRun>& runs, Mode mode) {
  std::vector<double> values;
  for (const CountedRun& run : runs) {
    if (const auto percent = auc_percent(*run.result, mode)) values.push_back(*percent);
  }
  return values;
}

/// One value a seed: the mean over the classes, of the seeds that are complete in every class.
std::vector<double> class_means(const std::vector<CountedRun>& runs, const std::set<std::uint64_t>& seeds,
                                std::size_t classes, Mode mode) {
  std::map<std::uint64_t, std::vector<CountedRun>> by_seed;
  for (const CountedRun& run : runs) by_seed[run.seed].push_back(run);
  std::vector<double> means;
  for (const std::uint64_t seed : seeds) {
    const std::vector<double> of_seed = percents(by_seed[seed], mode);
    if (of_seed.size() == classes) means.push_back(*summarise(of_seed).mean);
  }
  return means;
}

std::vector<double> values_of(const CellRuns& cell, const ChoiceRuns& choice, Mode mode) {
  if (cell.classes.size() < 2) return percents(choice.counted, mode);
  return class_means(choice.counted, cell.seeds, cell.classes.size(), mode);
}

std::optional<double> highest(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return *std::max_element(values.begin(), values.end());
}

/// The gap is that of the value which the best epoch chooses: it has no best of its own.
Mode choosing(Mode mode) {
  return mode == Mode::gap ? Mode::best : mode;
}

/// The choice with the highest mean among those of which no run is missing; of equal ones the smaller.
const ChoiceRuns* best_choice(const CellRuns& cell, Mode mode) {
  const ChoiceRuns* best = nullptr;
  double best_mean = 0;
  for (const ChoiceRuns& choice : cell.choices) {
    const auto mean = choice.complete() ? summarise(values_of(cell, choice, mode)).mean : std::nullopt;
    if (!mean || (best != nullptr && *mean <= best_mean)) continue;
    best = &choice;
    best_mean = *mean;
  }
  return best;
}

/// The choice that the highest of all runs belongs to; of equal ones the smaller.
const ChoiceRuns* highest_choice(const CellRuns& cell, Mode mode) {
  const ChoiceRuns* best = nullptr;
  double best_value = 0;
  for (const ChoiceRuns& choice : cell.choices) {
    const auto value = highest(values_of(cell, choice, mode));
    if (!value || (best != nullptr && *value <= best_value)) continue;
    best = &choice;
    best_value = *value;
  }
  return best;
}

/// Over all choices, whatever is chosen for the mean; the gap is that of the highest best and the highest last.
std::optional<double> highest_of_all(const CellRuns& cell, Mode mode) {
  if (mode == Mode::gap) {
    const auto best = highest_of_all(cell, Mode::best), last = highest_of_all(cell, Mode::last);
    return best && last ? std::optional(*best - *last) : std::nullopt;
  }
  std::optional<double> highest_value;
  for (const ChoiceRuns& choice : cell.choices) {
    const auto value = highest(values_of(cell, choice, mode));
    if (value && (!highest_value || *value > *highest_value)) highest_value = value;
  }
  return highest_value;
}

/// Seeds for classes that are averaged, runs otherwise.
std::size_t planned_values(const CellRuns& cell, const ChoiceRuns& choice) {
  return cell.classes.size() < 2 ? choice.planned : cell.seeds.size();
}

/// Means over the classes, within each seed, of the runs that each cell chooses.
Summary summary_over_cells(const RowRuns& runs, const sweeps::PlannedRow& row, Mode mode) {
  std::vector<CountedRun> chosen;
  for (const CellRuns& cell : runs.cells) {
    const ChoiceRuns* choice = chosen_runs(cell, row, mode);
    if (choice == nullptr) return {};
    chosen.insert(chosen.end(), choice->counted.begin(), choice->counted.end());
  }
  return summarise(class_means(chosen, runs.seeds, runs.cells.size(), mode));
}

}  // namespace

const ChoiceRuns* chosen_runs(const CellRuns& cell, const sweeps::PlannedRow& row, Mode mode) {
  if (row.best_of.empty()) return &cell.choices.front();
  return row.statistic == sweeps::Statistic::max ? highest_choice(cell, choosing(mode))
                                                 : best_choice(cell, choosing(mode));
}

std::vector<Value> cell_values(const CellRuns& cell, const sweeps::PlannedRow& row, const std::vector<Mode>& modes) {
  std::vector<Value> values;
  for (const Mode mode : modes) {
    Value value;
    if (const ChoiceRuns* choice = chosen_runs(cell, row, mode)) {
      value.summary = summarise(values_of(cell, *choice, mode));
      value.chosen = choice->value;
      value.planned = planned_values(cell, *choice);
    }
    value.max = highest_of_all(cell, mode);
    values.push_back(std::move(value));
  }
  return values;
}

Value mean_value(const RowRuns& runs, const sweeps::PlannedRow& row, Mode mode) {
  Value value;
  value.summary = summary_over_cells(runs, row, mode);
  value.planned = runs.seeds.size();
  std::vector<double> maxima;
  for (const CellRuns& cell : runs.cells) {
    if (const auto max = cell_values(cell, row, {mode}).front().max) maxima.push_back(*max);
  }
  if (!maxima.empty() && maxima.size() == runs.cells.size()) value.max = summarise(maxima).mean;
  return value;
}

}  // namespace results
