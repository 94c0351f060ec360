// Reproduced or not: the difference to the printed number and, where both sides have a spread, Welch's interval of it.
#include "results/verdicts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/inference.hpp"

namespace results {
namespace {

using sweeps::Job;
using sweeps::Mode;
using sweeps::PublishedNumber;
using sweeps::Statistic;

/// A fraction as a percentage with the digits that were printed: 0.69 is 69, not 68.99999999999999.
double in_percent(double printed, bool fraction) {
  constexpr double kDigits = 1e6;
  return fraction ? std::round(printed * 100 * kDigits) / kDigits : printed;
}

Published in_percent(const PublishedNumber& number, const Table& table, const sweeps::PublishedRow& row) {
  const bool fraction = table.published->fraction;
  Published published;
  published.mean = in_percent(number.mean, fraction);
  if (number.std_dev) published.std_dev = in_percent(*number.std_dev, fraction);
  published.n = row.method ? static_cast<std::size_t>(row.method->seeds) : 0;
  published.bold = number.bold;
  return published;
}

/// A number of ours in the statistic of its row.
std::optional<double> number_of(const Value& value, Statistic statistic) {
  return statistic == Statistic::max ? value.max : value.summary.mean;
}

Verdict welch_verdict(const WelchInterval& interval) {
  Verdict verdict;
  verdict.difference = interval.difference;
  verdict.low = interval.low;
  verdict.high = interval.high;
  const bool inside = interval.low <= 0 && interval.high >= 0;
  verdict.kind = inside ? Verdict::Kind::inside : Verdict::Kind::outside;
  return verdict;
}

/// Nothing where either side has no spread or fewer than two runs.
std::optional<WelchInterval> interval_of(const Value& ours, const Published& theirs, Statistic statistic) {
  if (statistic == Statistic::max || !ours.summary.std_dev || !theirs.std_dev) return std::nullopt;
  return welch({*ours.summary.mean, *ours.summary.std_dev, ours.summary.n}, {theirs.mean, *theirs.std_dev, theirs.n});
}

std::string why_no_interval(const Value& ours, const Published& theirs, Statistic statistic) {
  if (statistic == Statistic::max || !theirs.std_dev) return "no spread published";
  if (ours.summary.n < 2) return fmt::format("{} run of ours: no spread", ours.summary.n);
  return "fewer than 2 published runs";
}

/// How many of the runs (or seeds) behind a number are there.
struct Presence {
  std::size_t there = 0;
  std::size_t planned = 0;
};

Verdict verdict_on(const Value& ours, const Published& theirs, const Row& row, Presence presence) {
  Verdict verdict;
  const auto number = number_of(ours, row.statistic);
  if (!row.comparable) {
    verdict.kind = Verdict::Kind::withheld;
    verdict.why = row.why_not_comparable;
    return verdict;
  }
  if (!number) return verdict;
  if (const auto interval = interval_of(ours, theirs, row.statistic)) {
    verdict = welch_verdict(*interval);
  } else {
    verdict.kind = Verdict::Kind::no_spread;
    verdict.difference = *number - theirs.mean;
    verdict.why = why_no_interval(ours, theirs, row.statistic);
  }
  if (row.statistic == Statistic::mean_and_max && ours.max) verdict.max_difference = *ours.max - theirs.mean;
  if (presence.there < presence.planned) {
    verdict.why += fmt::format("{}{} of {} runs", verdict.why.empty() ? "" : ", ", presence.there, presence.planned);
  }
  return verdict;
}

/// The columns that a published mean is over: in print, one table has nothing but the mean.
const std::vector<sweeps::PublishedColumn>& averaged_columns(const sweeps::PublishedTable& published) {
  if (!published.columns.empty()) return published.columns;
  for (const sweeps::PublishedTable& other : sweeps::published_tables()) {
    if (other.dataset == published.dataset && !other.columns.empty()) return other.columns;
  }
  return published.columns;
}

bool has_every_class(const Table& table) {
  const auto& columns = averaged_columns(*table.published);
  return std::all_of(columns.begin(), columns.end(), [&](const sweeps::PublishedColumn& column) {
    return std::count(table.columns.begin(), table.columns.end(), column.official) > 0;
  });
}

template <typename Get>
void add_if_other(std::vector<std::string>& others, const char* words, const std::vector<const Job*>& jobs,
                  const std::string& published, const Get& get) {
  for (const Job* job : jobs) {
    const std::string ours = get(*job);
    if (ours == published) continue;
    others.push_back(fmt::format("{} {}", words, ours));
    return;
  }
}

/// Of a row that takes the best of several lambdas, all of them must be there to choose from.
void add_other_lambdas(std::vector<std::string>& others, const std::vector<const Job*>& jobs,
                       const std::vector<double>& published) {
  std::set<double> ours;
  for (const Job* job : jobs) {
    // Lambda has no effect on some jobs; the paper prints one all the same.
    const bool without =
        job->method == sweeps::Method::plume && job->training.perturbation == sweeps::Perturbation::gaussian;
    if (!without) ours.insert(job->training.lambda);
  }
  if (!ours.empty() && ours != std::set<double>(published.begin(), published.end())) {
    others.push_back(fmt::format("lambda {}", fmt::join(ours, ", ")));
  }
}

}  // namespace

std::string mismatch(const sweeps::PublishedRow& published, const std::vector<const Job*>& jobs) {
  if (!published.method || jobs.empty()) return "";
  const sweeps::PublishedMethod& method = *published.method;
  std::vector<std::string> others;
  add_if_other(others, "method", jobs, std::string(name_of(method.method)),
               [](const Job& job) { return std::string(name_of(job.method)); });
  if (!others.empty()) return others.front();
  if (method.method == sweeps::Method::plume) {
    add_if_other(others, "backbone", jobs, method.backbone, [](const Job& job) { return job.backbone; });
    add_if_other(others, "perturbation", jobs, std::string(name_of(method.perturbation)),
                 [](const Job& job) { return std::string(name_of(job.training.perturbation)); });
    add_if_other(others, "guidance", jobs, std::string(name_of(method.guidance)),
                 [](const Job& job) { return std::string(name_of(job.training.guidance)); });
  }
  add_other_lambdas(others, jobs, method.lambdas);
  return fmt::format("{}", fmt::join(others, ", "));
}

void add_published(Row& row, const Table& table) {
  if (row.published == nullptr || table.published == nullptr) return;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const auto* column = table.published->find_column(table.columns.at(i));
    if (column == nullptr || table.columns_are == sweeps::Columns::chosen) continue;
    const auto number = row.published->cells.find(column->id);
    if (number == row.published->cells.end()) continue;
    Published published = in_percent(number->second, table, *row.published);
    if (row.published->method) {
      const auto& choices = row.published->method->lambda_by_class;
      if (const auto choice = choices.find(column->id); choice != choices.end()) published.chosen = choice->second;
    }
    row.cells[i].published = std::move(published);
  }
  if (row.published->row_mean) row.published_mean = in_percent(*row.published->row_mean, table, *row.published);
}

void add_verdicts(Row& row, const Table& table) {
  const auto mode = std::find(table.modes.begin(), table.modes.end(), Mode::best);
  if (row.only_printed || mode == table.modes.end()) return;
  const auto best = static_cast<std::size_t>(mode - table.modes.begin());
  for (Cell& cell : row.cells) {
    if (!cell.published) continue;
    const Value& ours = cell.by_mode.at(best);
    const bool of_all = row.statistic == Statistic::max;
    cell.verdict = verdict_on(
        ours, *cell.published, row,
        of_all ? Presence{cell.counts.finished, cell.counts.planned} : Presence{ours.summary.n, ours.planned});
  }
  if (row.published_mean && !row.mean_by_mode.empty()) {
    const Value& ours = row.mean_by_mode.at(best);
    const bool of_all = row.statistic == Statistic::max;
    row.mean_verdict =
        verdict_on(ours, *row.published_mean, row,
                   of_all ? Presence{row.total.finished, row.total.planned} : Presence{ours.summary.n, ours.planned});
    if (row.comparable && !has_every_class(table)) {
      row.mean_verdict = Verdict{Verdict::Kind::withheld, {}, {}, {}, {}, "not over all of the paper's classes"};
    }
  }
}

VerdictCounts count_verdicts(const Table& table) {
  VerdictCounts counts;
  for (const Row& row : table.rows) {
    for (const Cell& cell : row.cells) {
      if (!cell.verdict) continue;
      switch (cell.verdict->kind) {
        case Verdict::Kind::inside:
          ++counts.inside;
          break;
        case Verdict::Kind::outside:
          ++counts.outside;
          break;
        case Verdict::Kind::no_spread:
          ++counts.no_spread;
          break;
        case Verdict::Kind::withheld:
          ++counts.withheld;
          break;
        case Verdict::Kind::no_number:
          ++counts.no_number;
          break;
      }
    }
  }
  return counts;
}

}  // namespace results
