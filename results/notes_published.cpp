// How the numbers stand to the paper's, and how a row chooses among its runs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <set>

#include "results/grid_cells.hpp"
#include "results/grid_labels.hpp"
#include "results/note_parts.hpp"

namespace results {
namespace {

using sweeps::Statistic;

constexpr std::ptrdiff_t kMostNamed = 6;  ///< rows of other papers before a note only counts them

bool is_ours_and_published(const Row& row) {
  return !row.only_printed &&
         (row.published_mean ||
          std::any_of(row.cells.begin(), row.cells.end(), [](const Cell& cell) { return cell.published.has_value(); }));
}

/// The verdicts that a note counts: those of classes, or of means where the paper prints nothing else.
std::vector<const Verdict*> counted_verdicts(const Table& table, bool means) {
  std::vector<const Verdict*> verdicts;
  for (const Row& row : table.rows) {
    if (means && row.mean_verdict) verdicts.push_back(&*row.mean_verdict);
    for (const Cell& cell : row.cells) {
      if (!means && cell.verdict) verdicts.push_back(&*cell.verdict);
    }
  }
  return verdicts;
}

/// "2 without an interval (no spread published)"; nothing where there is none of the kind.
void add_count(std::vector<std::string>& parts, const std::vector<const Verdict*>& verdicts, Verdict::Kind kind,
               const char* words) {
  std::size_t count = 0;
  std::vector<std::string> reasons;
  for (const Verdict* verdict : verdicts) {
    if (verdict->kind != kind) continue;
    ++count;
    const bool is_new = std::find(reasons.begin(), reasons.end(), verdict->why) == reasons.end();
    if (is_new && !verdict->why.empty()) reasons.push_back(verdict->why);
  }
  if (count == 0) return;
  const bool has_reasons = (kind == Verdict::Kind::no_spread || kind == Verdict::Kind::withheld) && !reasons.empty();
  parts.push_back(fmt::format("{} {}", count, words));
  if (has_reasons) parts.back() += fmt::format(" ({})", fmt::join(reasons, "; "));
}

void add_verdict_counts(Notes& notes, const Table& table) {
  const bool means = counted_verdicts(table, false).empty();
  const auto verdicts = counted_verdicts(table, means);
  if (verdicts.empty()) return;
  std::vector<std::string> parts;
  add_count(parts, verdicts, Verdict::Kind::inside, "inside");
  add_count(parts, verdicts, Verdict::Kind::outside, "outside the 95 % interval of the difference (Welch)");
  if (parts.size() == 1 && parts.front().ends_with("inside")) {
    parts.front() += " the 95 % interval of the difference (Welch)";
  }
  add_count(parts, verdicts, Verdict::Kind::no_spread, "without an interval");
  add_count(parts, verdicts, Verdict::Kind::withheld, "withheld");
  add_count(parts, verdicts, Verdict::Kind::no_number, "not there yet");
  notes.push_back(fmt::format("Against the paper, of {} {}: {}.", verdicts.size(),
                              means ? "means over classes" : "numbers", fmt::join(parts, ", ")));
}

void add_literature(Notes& notes, const Table& table) {
  const auto printed = [](const Row& row) { return row.only_printed; };
  const auto count = std::count_if(table.rows.begin(), table.rows.end(), printed);
  if (count == 0) return;
  notes.push_back(fmt::format("{}: another paper's numbers, as printed in the paper; nothing was run here.",
                              count > kMostNamed ? fmt::format("{} rows", count) : names_of(table, printed)));
}

void add_printed_marks(Notes& notes, const Table& table) {
  std::set<std::string> marks;
  for (const Row& row : table.rows) {
    if (row.published != nullptr) marks.insert(row.published->marks.begin(), row.published->marks.end());
  }
  std::string text;
  if (marks.contains("dagger")) text += "† as in the paper: its authors ran the method themselves. ";
  if (marks.contains("*")) text += "* as in the paper: it took the values from CSI. ";
  if (!text.empty()) notes.push_back(text.substr(0, text.size() - 1));
}

/// "λ"; several axes are joined.
std::string axes_of(const Table& table, const RowTest& holds) {
  std::vector<std::string> signs;
  for (const Row& row : table.rows) {
    const std::string sign = axis_sign(row.best_of);
    if (holds(row) && std::find(signs.begin(), signs.end(), sign) == signs.end()) signs.push_back(sign);
  }
  return fmt::format("{}", fmt::join(signs, ", "));
}

void add_best_of(Notes& notes, const Table& table) {
  const auto chooses = [](const Row& row) { return !row.best_of.empty() && row.statistic != Statistic::max; };
  if (!any_row(table, chooses)) return;
  std::string text = fmt::format(
      "{}: of each class the {} with the highest mean in the mode, among those with all their runs; of equal ones the "
      "smaller: chosen on the test split, in every mode, `last` too. It is in brackets, beside `published` the paper's "
      "choice.",
      names_of(table, chooses), axes_of(table, chooses));
  if (has_mode(table, sweeps::Mode::gap)) text += " `gap` is that of the choice of `best`.";
  notes.push_back(std::move(text));
}

void add_maxima(Notes& notes, const Table& table) {
  const auto highest = [](const Row& row) { return row.statistic == Statistic::max; };
  const auto over_axis = [&](const Row& row) { return highest(row) && !row.best_of.empty(); };
  if (any_row(table, highest)) {
    const std::string axes = axes_of(table, over_axis);
    notes.push_back(fmt::format("{}: the highest AUROC of a single run, over seeds{}{}: no mean, so no spread.{}",
                                names_of(table, highest), axes.empty() ? "" : " and ", axes,
                                prints_mean(table) ? " Over classes: the mean of these." : ""));
  }
  const auto both = [](const Row& row) { return row.statistic == Statistic::mean_and_max; };
  if (!any_row(table, both)) return;
  std::string text = "`max` is the highest of the seeds.";
  const auto is_unclear = [&](const Row& row) {
    return both(row) && row.published != nullptr && row.published->statistic == "best";
  };
  if (any_row(table, is_unclear)) {
    text += " The paper prints one number and does not say whether it is a mean or a maximum.";
  }
  notes.push_back(std::move(text));
}

}  // namespace

void add_published_legend(Notes& notes, const Table& table) {
  if (!any_row(table, is_ours_and_published)) return;
  std::string text = "`published` is what the paper prints: of its best epoch, on the test split.";
  const auto verdicts = counted_verdicts(table, false);
  const auto means = counted_verdicts(table, true);
  const auto differs = [](const Verdict* verdict) { return verdict->difference.has_value(); };
  const bool any =
      std::any_of(verdicts.begin(), verdicts.end(), differs) || std::any_of(means.begin(), means.end(), differs);
  if (any) text += " `difference` is `best` less `published`";
  if (any && table.metric == sweeps::Metric::percent) text += ", in points of percent";
  if (any) text += fmt::format("; `{}`: 0 is outside its 95 % interval.", kOutsideSign);
  notes.push_back(std::move(text));
}

void add_published_notes(Notes& notes, const Table& table) {
  add_verdict_counts(notes, table);
  add_literature(notes, table);
  add_printed_marks(notes, table);
}

void add_choice_notes(Notes& notes, const Table& table) {
  add_best_of(notes, table);
  add_maxima(notes, table);
}

}  // namespace results
