// Words and rounding of Comparison; its numbers are made in statistics.
#include "results/between_variants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/grid_cells.hpp"
#include "results/text_layout.hpp"

namespace results {
namespace {

constexpr std::size_t kLeastClasses = 6;
constexpr std::size_t kMostShownComparisons = 200;
constexpr double kLeastShown = 0.0001;  ///< of a p-value with four decimals

std::string p_text(double p) {
  return p < kLeastShown ? fmt::format("<{}", kLeastShown) : fmt::format("{:.4f}", p);
}

std::string test_text(const Comparison& comparison) {
  if (comparison.too_few) {
    return fmt::format("too few classes ({}, a test needs {})", comparison.classes, kLeastClasses);
  }
  if (!comparison.p) return "-";
  return (comparison.exact ? "" : "≈") + p_text(*comparison.p);
}

std::string difference_text(const Table& table, const Comparison& comparison) {
  if (!comparison.mean_difference) return "-";
  std::string text = cell_digits(table).difference(*comparison.mean_difference);
  if (!comparison.mixed.empty()) text += std::string(" ") + kMixedSign;
  if (comparison.pairs == comparison.pairs_planned) return text;
  return fmt::format("{} ({}/{})", text, comparison.pairs, comparison.pairs_planned);
}

GridBlock block_of(const Table& table, const Comparison& comparison) {
  GridLine line{GridLine::Kind::label, std::nullopt, "", {}};
  for (const std::string& text :
       {std::string(mode_title(comparison.mode)), fmt::format("{}", comparison.classes),
        difference_text(table, comparison), fmt::format("{}/{}", comparison.higher, comparison.lower),
        test_text(comparison), comparison.p_adjusted ? p_text(*comparison.p_adjusted) : std::string("-")}) {
    line.cells.push_back({text, "", "", "", false});
  }
  return {"", {on_one_line(comparison.first), on_one_line(comparison.second)}, {std::move(line)}, nullptr};
}

}  // namespace

bool has_tests(const Table& table) {
  if (table.comparisons.size() > kMostShownComparisons) return false;
  return std::any_of(table.comparisons.begin(), table.comparisons.end(),
                     [](const Comparison& comparison) { return !comparison.too_few; });
}

std::string why_no_tests(const Table& table) {
  if (table.comparisons.empty() || has_tests(table)) return "";
  if (table.comparisons.size() > kMostShownComparisons) {
    return fmt::format("{}: {} comparisons, which the CSV and JSON files have; \"compare\" chooses fewer.",
                       kBetweenVariants, table.comparisons.size());
  }
  std::size_t most = 0;
  for (const Comparison& comparison : table.comparisons) most = std::max(most, comparison.classes);
  return fmt::format("{}: no test, too few classes ({}, a test over the classes needs {}).", kBetweenVariants, most,
                     kLeastClasses);
}

Grid comparisons_grid(const Table& table) {
  Grid grid{{"first", "second"}, {"mode", "classes", "difference", "higher/lower", "p", "p (Holm)"}, {}};
  for (const Comparison& comparison : table.comparisons) grid.blocks.push_back(block_of(table, comparison));
  return grid;
}

std::vector<std::string> comparison_notes(const Table& table) {
  std::vector<std::string> notes;
  if (table.comparisons.empty()) return notes;
  std::string difference =
      "`difference`: first less second, runs of one class and seed paired, their mean over seeds, then over the "
      "classes.";
  const auto any = [&](const auto& holds) {
    return std::any_of(table.comparisons.begin(), table.comparisons.end(), holds);
  };
  if (any([](const Comparison& one) { return one.mean_difference && one.pairs != one.pairs_planned; })) {
    difference += " `(48/50)`: of 48 pairs only, where 50 are planned.";
  }
  notes.push_back(difference + " `higher/lower`: in so many classes the first is higher, lower.");
  if (!any([](const Comparison& one) { return one.p.has_value(); })) return notes;
  std::size_t family = 0;
  for (const Comparison& one : table.comparisons) family = std::max(family, one.family);
  std::string test = "`p`: Wilcoxon's signed-rank test over the classes, two-sided";
  const bool approximate = any([](const Comparison& one) { return one.p && !one.exact; });
  test += approximate ? "; ≈ by the normal approximation, else exact." : ", exact.";
  if (family > 1) test += fmt::format(" `p (Holm)`: adjusted for the {} comparisons of a mode.", family);
  notes.push_back(std::move(test));
  return notes;
}

}  // namespace results
