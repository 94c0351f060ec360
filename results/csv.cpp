// A table as tidy CSV at full precision: one line per row x column x mode. The paper's number and what it says of ours
// stand on the lines of the best epoch, which is what it prints.
#include "results/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "results/grid.hpp"
#include "results/table_words.hpp"
#include "results/tables.hpp"

namespace results {
namespace {

constexpr const char* kHeader =
    "table,row,column,mode,mean_percent,std_percent,ddof,n,planned,diverged,failed,missing,undefined,reduced,"
    "method_in_paper,weights,metric,group,statistic,chosen,max_percent,published_mean,published_std,published_n,"
    "paper_choice,difference,low,high,max_difference,verdict,why,mixed\n";
constexpr const char* kComparisonsHeader =
    "table,mode,first,second,classes,mean_difference,higher,lower,pairs,pairs_planned,too_few,exact,p,p_holm,family,"
    "mixed\n";

/// A class of a row, or its mean: what a line is made from; refers to its arguments.
struct Place {
  const Table& table;
  const Row& row;
  std::string column;
  const std::vector<Value>& values;
  std::size_t planned;  ///< where a value does not say
  const CellCounts& counts;
  const WeightsUse& weights;
  const std::optional<Published>& published;
  const std::optional<Verdict>& verdict;
  std::vector<std::string> mixed;
};

std::string joined(const std::vector<double>& numbers) {
  std::vector<std::string> texts;
  for (const double number : numbers) texts.push_back(storage::shortest(number));
  return fmt::format("{}", fmt::join(texts, "+"));
}

std::string published_fields(const std::optional<Published>& published) {
  if (!published) return ",,,";
  return fmt::format("{},{},{},{}", csv_number(published->mean), csv_number(published->std_dev),
                     published->n == 0 ? "" : fmt::format("{}", published->n), joined(published->chosen));
}

std::string verdict_fields(const std::optional<Verdict>& verdict) {
  if (!verdict) return ",,,,,";
  return fmt::format("{},{},{},{},{},{}", csv_number(verdict->difference), csv_number(verdict->low),
                     csv_number(verdict->high), csv_number(verdict->max_difference), name_of(verdict->kind),
                     csv_field(verdict->why));
}

/// `planned` is of the same kind as n: runs for a class, seeds for the mean over classes.
std::string line(const Place& at, std::string_view mode, const Value& value, bool with_published) {
  const std::string start =
      fmt::format("{},{},{},{},{},{},1,{},{},{},{},{},{},{},{},{}", csv_field(at.table.id), csv_field(at.row.name),
                  csv_field(at.column), mode, csv_number(value.summary.mean), csv_number(value.summary.std_dev),
                  value.summary.n, value.planned > 0 ? value.planned : at.planned, at.counts.diverged, at.counts.failed,
                  at.counts.missing(), at.counts.undefined, at.row.reduced, at.row.in_paper, at.weights.kinds());
  return fmt::format("{},{},{},{},{},{},{},{},{}\n", start, name_of(at.table.metric), csv_field(at.row.group),
                     at.row.only_printed ? "" : name_of(at.row.statistic), csv_field(value.chosen),
                     csv_number(value.max), published_fields(with_published ? at.published : std::nullopt),
                     verdict_fields(with_published ? at.verdict : std::nullopt),
                     csv_field(fmt::format("{}", fmt::join(at.mixed, "; "))));
}

std::string lines(const Place& at) {
  std::string text;
  bool has_best = false;
  for (std::size_t mode = 0; mode < std::min(at.values.size(), at.table.modes.size()); ++mode) {
    const bool is_best = at.table.modes[mode] == sweeps::Mode::best;
    has_best = has_best || is_best;
    text += line(at, mode_name(at.table.modes[mode]), at.values[mode], is_best);
  }
  if (at.published && !has_best) text += line(at, "", {}, true);
  return text;
}

std::string comparison_line(const Table& table, const Comparison& one) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(table.id), mode_name(one.mode),
                     csv_field(one.first), csv_field(one.second), one.classes, csv_number(one.mean_difference),
                     one.higher, one.lower, one.pairs, one.pairs_planned, one.too_few, one.exact, csv_number(one.p),
                     csv_number(one.p_adjusted), one.family, csv_field(fmt::format("{}", fmt::join(one.mixed, "; "))));
}

}  // namespace

std::string csv_field(const std::string& text) {
  const bool plain =
      text.find_first_of(",\"\r\n") == std::string::npos && !text.starts_with(' ') && !text.ends_with(' ');
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_number(const std::optional<double>& value) {
  if (!value) return "";
  return std::isnan(*value) ? "nan" : storage::shortest(*value);
}

std::string to_csv(const Table& table) {
  std::string text = kHeader;
  for (const Row& row : table.rows) {
    for (std::size_t column = 0; column < row.cells.size(); ++column) {
      const Cell& cell = row.cells[column];
      text += lines({table, row, table.columns.at(column), cell.by_mode, cell.counts.planned, cell.counts, cell.weights,
                     cell.published, cell.verdict, cell.mixed});
    }
    text += lines({table, row, "mean", row.mean_by_mode, row.seeds_planned, row.total, row.weights, row.published_mean,
                   row.mean_verdict, row.mean_mixed});
  }
  return text;
}

std::string comparisons_csv(const Table& table) {
  std::string text = kComparisonsHeader;
  for (const Comparison& one : table.comparisons) text += comparison_line(table, one);
  return text;
}

}  // namespace results
