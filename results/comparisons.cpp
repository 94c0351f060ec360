// Pairs runs of two rows by class and seed, which share initial weights and the order of the data as far as the rows
// allow it. Wilcoxon's test is over the classes: runs of one class are no independent witnesses.
#include "results/comparisons.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "results/inference.hpp"
#include "results/row_values.hpp"

namespace results {
namespace {

using sweeps::Compare;
using sweeps::Mode;
using sweeps::PlannedRow;

constexpr std::size_t kLeastClasses = 6;  // with five the smallest two-sided p is 1/16

/// Baselines have no seeds to pair, and a maximum is no mean.
bool can_be_compared(const PlannedRow& row) {
  return !row.only_printed && row.in_paper && row.seeded && row.statistic != sweeps::Statistic::max;
}

/// Percent by seed.
std::map<std::uint64_t, double> by_seed(const CellRuns& cell, const PlannedRow& row, Mode mode) {
  std::map<std::uint64_t, double> values;
  const ChoiceRuns* choice = chosen_runs(cell, row, mode);
  if (choice == nullptr) return values;
  for (const CountedRun& run : choice->counted) values[run.seed] = *auc_percent(*run.result, mode);
  return values;
}

std::vector<double> paired_differences(const std::map<std::uint64_t, double>& first,
                                       const std::map<std::uint64_t, double>& second) {
  std::vector<double> differences;
  for (const auto& [seed, value] : first) {
    const auto other = second.find(seed);
    if (other != second.end()) differences.push_back(value - other->second);
  }
  return differences;
}

std::size_t planned_pairs(const CellRuns& first, const CellRuns& second) {
  std::size_t both = 0;
  for (const std::uint64_t seed : first.seeds) both += second.seeds.count(seed);
  return both;
}

/// One row's plan and its runs.
struct Side {
  const PlannedRow* row = nullptr;
  const RowRuns* runs = nullptr;
};

Comparison compare(const Side& first, const Side& second, Mode mode) {
  Comparison comparison;
  comparison.mode = mode;
  comparison.first = first.row->name;
  comparison.second = second.row->name;
  comparison.mixed = mixed_between(*first.runs, *second.runs);
  std::vector<double> classes;
  for (std::size_t i = 0; i < first.runs->cells.size(); ++i) {
    const CellRuns& one = first.runs->cells[i];
    const CellRuns& two = second.runs->cells.at(i);
    const auto pairs = paired_differences(by_seed(one, *first.row, mode), by_seed(two, *second.row, mode));
    comparison.pairs += pairs.size();
    comparison.pairs_planned += planned_pairs(one, two);
    if (pairs.empty()) continue;
    classes.push_back(*summarise(pairs).mean);
    comparison.higher += classes.back() > 0 ? 1 : 0;
    comparison.lower += classes.back() < 0 ? 1 : 0;
  }
  comparison.classes = classes.size();
  comparison.mean_difference = summarise(classes).mean;
  comparison.too_few = classes.size() < kLeastClasses;
  if (comparison.too_few) return comparison;
  const SignedRankTest test = wilcoxon(classes);
  comparison.p = test.p;
  comparison.exact = test.exact;
  return comparison;
}

void adjust(std::vector<Comparison>& comparisons) {
  std::vector<double> p_values;
  for (const Comparison& comparison : comparisons) {
    if (comparison.p) p_values.push_back(*comparison.p);
  }
  const std::vector<double> adjusted = holm(p_values);
  std::size_t next = 0;
  for (Comparison& comparison : comparisons) {
    comparison.family = p_values.size();
    if (comparison.p) comparison.p_adjusted = adjusted.at(next++);
  }
}

/// A row that takes the best of another's runs cannot lose against it.
bool share_runs(const Side& first, const Side& second) {
  return std::any_of(first.runs->planned.begin(), first.runs->planned.end(),
                     [&](std::size_t job) { return second.runs->planned.count(job) > 0; });
}

std::vector<std::pair<Side, Side>> sides_of(const sweeps::PlannedTable& table, const std::vector<RowRuns>& runs) {
  std::vector<Side> sides;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (can_be_compared(table.rows[i])) sides.push_back({&table.rows[i], &runs.at(i)});
  }
  std::vector<std::pair<Side, Side>> pairs;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (std::size_t k = i + 1; k < sides.size() && table.compare.with == Compare::With::pairs; ++k) {
      if (!share_runs(sides[i], sides[k])) pairs.emplace_back(sides[i], sides[k]);
    }
    if (table.compare.with != Compare::With::one || sides[i].row->name != table.compare.row) continue;
    for (const Side& other : sides) {
      if (other.row != sides[i].row && !share_runs(other, sides[i])) pairs.emplace_back(other, sides[i]);
    }
  }
  return pairs;
}

}  // namespace

std::vector<Comparison> compare_rows(const sweeps::PlannedTable& table, const std::vector<RowRuns>& runs) {
  std::vector<Comparison> all;
  if (table.columns_are == sweeps::Columns::chosen) return all;  // its columns are no classes
  const auto pairs = sides_of(table, runs);
  for (const Mode mode : table.modes) {
    if (mode != Mode::best && mode != Mode::last) continue;
    std::vector<Comparison> of_mode;
    for (const auto& [first, second] : pairs) of_mode.push_back(compare(first, second, mode));
    adjust(of_mode);
    all.insert(all.end(), of_mode.begin(), of_mode.end());
  }
  return all;
}

}  // namespace results
