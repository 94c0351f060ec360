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

/// Walks two sorted ranges at once and calls `both` with what is in each.
template <typename One, typename Two, typename KeyOf, typename Both>
void for_each_in_both(const One& one, const Two& two, const KeyOf& key_of, const Both& both) {
  auto a = one.begin();
  auto b = two.begin();
  while (a != one.end() && b != two.end()) {
    if (key_of(*a) < key_of(*b)) {
      ++a;
    } else if (key_of(*b) < key_of(*a)) {
      ++b;
    } else {
      both(*a++, *b++);
    }
  }
}

std::vector<double> paired_differences(const std::map<std::uint64_t, double>& first,
                                       const std::map<std::uint64_t, double>& second) {
  std::vector<double> differences;
  for_each_in_both(
      first, second, [](const auto& run) { return run.first; },
      [&](const auto& one, const auto& two) { differences.push_back(one.second - two.second); });
  return differences;
}

std::size_t planned_pairs(const CellRuns& first, const CellRuns& second) {
  std::size_t count = 0;
  for_each_in_both(
      first.seeds, second.seeds, [](std::uint64_t seed) { return seed; }, [&](auto, auto) { ++count; });
  return count;
}

/// One row's plan and its runs.
struct Side {
  const PlannedRow* row = nullptr;
  const RowRuns* runs = nullptr;
  Computed computed = {};
  std::map<Mode, std::vector<std::map<std::uint64_t, double>>> by_mode = {};  ///< percent by seed of each cell
};

/// What every comparison of the row needs, once: a table of a hundred rows has 4,950 of them.
Side side_of(const PlannedRow& row, const RowRuns& runs, const std::vector<Mode>& modes) {
  Side side{&row, &runs, computed_by(runs)};
  for (const Mode mode : modes) {
    for (const CellRuns& cell : runs.cells) side.by_mode[mode].push_back(by_seed(cell, row, mode));
  }
  return side;
}

Comparison compare(const Side& first, const Side& second, Mode mode) {
  Comparison comparison;
  comparison.mode = mode;
  comparison.first = first.row->name;
  comparison.second = second.row->name;
  comparison.mixed = mixed_between(first.computed, second.computed);
  std::vector<double> classes;
  for (std::size_t i = 0; i < first.runs->cells.size(); ++i) {
    const CellRuns& one = first.runs->cells[i];
    const CellRuns& two = second.runs->cells.at(i);
    const auto pairs = paired_differences(first.by_mode.at(mode)[i], second.by_mode.at(mode).at(i));
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
  bool any = false;
  for_each_in_both(
      first.runs->planned, second.runs->planned, [](std::size_t job) { return job; }, [&](auto, auto) { any = true; });
  return any;
}

using Pair = std::pair<const Side*, const Side*>;

std::vector<Pair> pairs_of(const Compare& wanted, const std::vector<Side>& sides) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (std::size_t k = i + 1; k < sides.size() && wanted.with == Compare::With::pairs; ++k) {
      if (!share_runs(sides[i], sides[k])) pairs.emplace_back(&sides[i], &sides[k]);
    }
    if (wanted.with != Compare::With::one || sides[i].row->name != wanted.row) continue;
    for (const Side& other : sides) {
      if (other.row != sides[i].row && !share_runs(other, sides[i])) pairs.emplace_back(&other, &sides[i]);
    }
  }
  return pairs;
}

}  // namespace

std::vector<Comparison> compare_rows(const sweeps::PlannedTable& table, const std::vector<RowRuns>& runs) {
  std::vector<Comparison> all;
  if (table.columns_are == sweeps::Columns::chosen) return all;  // its columns are no classes
  std::vector<Mode> modes;
  for (const Mode mode : table.modes) {
    if (mode == Mode::best || mode == Mode::last) modes.push_back(mode);
  }
  std::vector<Side> sides;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (can_be_compared(table.rows[i])) sides.push_back(side_of(table.rows[i], runs.at(i), modes));
  }
  const auto pairs = pairs_of(table.compare, sides);
  for (const Mode mode : modes) {
    std::vector<Comparison> of_mode;
    for (const auto& [first, second] : pairs) of_mode.push_back(compare(*first, *second, mode));
    adjust(of_mode);
    all.insert(all.end(), of_mode.begin(), of_mode.end());
  }
  return all;
}

}  // namespace results
