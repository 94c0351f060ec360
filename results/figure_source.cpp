// The runs behind a table's rows, found once for all its figures.
#include "results/figure_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "results/csv.hpp"
#include "results/row_values.hpp"
#include "storage/printable.hpp"

namespace results {
namespace {

constexpr std::size_t kMostNamed = 6;
constexpr std::size_t kMostTextBytes = 200;

std::string runs_words(const Row& row) {
  std::vector<std::string> why;
  const auto add = [&](std::size_t count, const char* word) {
    if (count > 0) why.push_back(fmt::format("{} {}", count, word));
  };
  add(row.total.diverged, "diverged");
  add(row.total.failed, "failed");
  add(row.total.undefined, "without an AUROC");
  add(row.total.missing(), "missing");
  return fmt::format("{} {} of {} ({})", storage::printable_line(row.name, kMostTextBytes), row.total.finished,
                     row.total.planned, fmt::join(why, ", "));
}

}  // namespace

const std::vector<CountedRun>& FigureRow::counted(std::size_t column, sweeps::Mode mode) const {
  static const std::vector<CountedRun> none;
  const ChoiceRuns* choice = chosen_runs(runs.cells.at(column), *planned, mode);
  return choice == nullptr ? none : choice->counted;
}

Figure FigureSource::figure(const std::string& kind, const std::string& title) const {
  Figure figure;
  figure.name = name + "-" + kind;
  figure.table = name;
  figure.title = storage::printable_line(table.title, kMostTextBytes) + ": " + title;
  return figure;
}

FigureSource figure_source(const Table& table, const std::string& name, const sweeps::Plan* plan,
                           const sweeps::PlannedTable* planned, const Ledger& ledger) {
  FigureSource source{table, name, plan, planned, &ledger};
  if (planned == nullptr) return source;
  for (std::size_t i = 0; i < planned->rows.size(); ++i) {
    const sweeps::PlannedRow& row = planned->rows[i];
    if (row.only_printed) continue;
    // What does not belong in one mean was refused, or marked, when the table was made.
    FigureRow of_row{&table.rows.at(i), &row, runs_of(*plan, *planned, row, ledger, Mixed::allowed)};
    of_row.trained = std::any_of(of_row.runs.jobs.begin(), of_row.runs.jobs.end(),
                                 [](const sweeps::Job* job) { return sweeps::is_trained(job->method); });
    source.rows.push_back(std::move(of_row));
  }
  return source;
}

std::string missing_words(const FigureSource& source) {
  std::vector<std::string> words;
  std::size_t more = 0;
  for (const Row& row : source.table.rows) {
    if (row.only_printed || row.total.complete()) continue;
    if (words.size() < kMostNamed) {
      words.push_back(runs_words(row));
    } else {
      ++more;
    }
  }
  if (words.empty()) return "";
  if (more > 0) words.push_back(fmt::format("and {} more rows", more));
  return fmt::format(" Not all runs are there: {}.", fmt::join(words, "; "));
}

std::string cut_words(const std::string& what, std::size_t shown, std::size_t all) {
  return shown >= all ? "" : fmt::format(" Shown are the first {} of {} {}.", shown, all, what);
}

std::string data_text(const std::string& text) {
  return csv_field(storage::printable_line(text, kMostTextBytes));
}

}  // namespace results
