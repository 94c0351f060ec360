// Tables by hand, as aggregation makes them, for the tests of what is printed. Their numbers are made up.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "results/statistics.hpp"

namespace samples {

/// `n` of `planned` runs.
inline results::Value value(double mean, std::optional<double> std_dev, std::size_t n, double max,
                            const std::string& chosen = "", std::size_t planned = 5) {
  return {{n, mean, std_dev}, max, chosen, planned};
}

/// The modes best, last, last-10 and gap of a cell: last is 20 below best, last-10 15.
inline std::vector<results::Value> modes_of(const results::Value& best) {
  const auto lower = [&](double by) {
    results::Value value = best;
    *value.summary.mean -= by;
    *value.max -= by;
    return value;
  };
  results::Value gap = lower(*best.summary.mean - 20);
  gap.max = 21;
  return {best, lower(20), lower(15), gap};
}

inline results::Cell cell(const results::Value& best, std::size_t planned = 5) {
  return {{planned, best.summary.n, 0, 0, 0}, modes_of(best), {}};
}

/// Of which every run of `counts` is in no mean.
inline results::Cell empty_cell(const results::CellCounts& counts) {
  return {counts, std::vector<results::Value>(4, results::Value{{}, {}, "", 5}), {}};
}

inline results::Published printed(double mean, std::optional<double> std_dev, std::vector<double> chosen = {},
                                  std::size_t n = 5) {
  return {mean, std_dev, n, false, std::move(chosen)};
}

inline results::Verdict verdict(results::Verdict::Kind kind, double difference, std::optional<double> low = {},
                                std::optional<double> high = {}, const std::string& why = "") {
  return {kind, difference, low, high, {}, why};
}

inline void add_up(results::Row& row) {
  row.total = {};
  for (const results::Cell& cell : row.cells) {
    row.total.planned += cell.counts.planned;
    row.total.finished += cell.counts.finished;
    row.total.diverged += cell.counts.diverged;
    row.total.failed += cell.counts.failed;
    row.total.undefined += cell.counts.undefined;
  }
}

/// A table and the published one beside it: three classes, all modes, and a row of each kind: another paper's, PLAD as
/// its authors ran it, a training with all that can go wrong, the best of lambda, the highest, a baseline.
class TableWithEverything {
 public:
  TableWithEverything() {
    publish();
    table.id = "everything";
    table.title = "A table with everything";
    table.datasets = {"cifar10"};
    table.columns = {"airplane", "automobile", "bird"};
    table.modes = {sweeps::Mode::best, sweeps::Mode::last, sweeps::Mode::last_10, sweeps::Mode::gap};
    table.settings = {"data set cifar10", "backbone resnet50", "lambda 5, 10, 20", "device cpu, 1 thread"};
    table.bold = true;
    table.published = &published;
    table.rows = {literature(), plad(), lambda_5(), best_lambda(), highest(), neighbours()};
    table.mixed = {"devices cpu, cuda"};
    table.verdicts = {4, 1, 5, 0, 1};
    compare();
  }
  TableWithEverything(const TableWithEverything&) = delete;
  TableWithEverything& operator=(const TableWithEverything&) = delete;

  sweeps::PublishedTable published;
  results::Table table;

 private:
  using Kind = results::Verdict::Kind;

  void publish() {
    using Row = sweeps::PublishedRow;
    published.id = "made-up";
    published.label = "tab:made-up";
    published.dataset = "cifar10";
    published.columns = {{"plane", "Plane", "airplane"}, {"car", "Car", "automobile"}, {"bird", "Bird", "bird"}};
    published.mean_name = "Mean";
    published.row_header = {"group", "method", "lambda"};
    const auto add = [&](const char* id, Row::Kind kind, std::vector<std::string> marks, const char* statistic,
                         std::vector<std::string> header) {
      published.rows.push_back({id, id, kind, "", "", std::move(marks), statistic, std::move(header), {}, {}, {}});
    };
    add("rot", Row::Kind::literature, {"*"}, "reported", {"Rotation Based", "Rot", "-"});
    add("plad", Row::Kind::rerun, {"dagger"}, "mean", {"Geometrically Unbiased", "PLAD", "5"});
    add("l5", Row::Kind::ours, {}, "mean", {"Geometrically Unbiased", "PLUME", "5"});
    add("best", Row::Kind::ours, {}, "mean", {"Geometrically Unbiased", "PLUME", "~"});
    add("max", Row::Kind::max, {}, "max", {"Geometrically Unbiased", "PLUME (Max.)", "~"});
  }

  results::Row named(const std::string& name, const std::string& group, const char* published_id) const {
    results::Row row;
    row.name = name;
    row.group = group;
    row.published = published.find_row(published_id);
    row.seeds_planned = 5;
    return row;
  }

  results::Row literature() const {
    results::Row row = named("Rot", "rotation-based", "rot");
    row.only_printed = true;
    row.seeds_planned = 0;
    row.comparable = false;
    row.cells.resize(3);
    row.cells[0].published = printed(78.3, 0.2, {}, 0);
    row.cells[1].published = printed(94.3, 0.3, {}, 0);
    row.cells[1].bold = true;
    row.cells[2].published = printed(86.2, 0.4, {}, 0);
    row.published_mean = printed(86.3, {}, {}, 0);
    return row;
  }

  /// One class whole, one with a diverged run, one without any.
  results::Row plad() const {
    results::Row row = named("PLAD, re-run", "unbiased", "plad");
    row.cells = {cell(value(79.04, 1.0, 5, 80.4)), cell(value(70.0, 2.0, 4, 72.5)), empty_cell({5, 0, 1, 3, 0})};
    row.cells[1].counts.diverged = 1;
    row.cells[0].published = printed(79.9, 1.1);
    row.cells[0].verdict = verdict(Kind::inside, -0.86, -2.395, 0.675);
    row.cells[1].published = printed(78.8, 1.4);
    row.cells[1].verdict = verdict(Kind::outside, -8.8, -11.9, -5.7, "4 of 5 runs");
    row.cells[2].published = printed(64.4, 2.9);
    row.cells[2].verdict = results::Verdict{};
    row.mean_by_mode.assign(4, {{}, {}, "", 5});
    row.published_mean = printed(74.4, {});
    row.mean_verdict = results::Verdict{};
    using Why = results::Uncounted::Why;
    row.uncounted = {{Why::diverged, "automobile", 3, "12"}, {Why::diverged, "bird", 0, "2"},
                     {Why::failed, "bird", 1, "oom"},        {Why::failed, "bird", 2, "oom"},
                     {Why::failed, "bird", 3, "signal"},     {Why::missing, "bird", 4, ""}};
    add_up(row);
    return row;
  }

  /// Bold, on two kinds of device, a single run; inverted at the end.
  results::Row lambda_5() const {
    results::Row row = named("PLUME, lambda 5", "unbiased", "l5");
    row.cells = {cell(value(86.5, 1.3, 5, 88.0)), cell(value(85.7, 1.7, 5, 87.8)), cell(value(74.0, {}, 1, 74.0))};
    row.cells[0].published = printed(86.8, 1.3);
    row.cells[0].verdict = verdict(Kind::inside, -0.3, -2.2, 1.6);
    row.cells[1].bold = true;
    row.cells[1].mixed = {"devices cpu, cuda"};
    row.mean_mixed = {"devices cpu, cuda"};
    row.cells[1].published = printed(85.7, 1.7);
    row.cells[1].published->bold = true;
    row.cells[1].verdict = verdict(Kind::inside, 0.0, -2.5, 2.5);
    row.cells[2].published = printed(74.5, 2.3);
    row.cells[2].verdict = verdict(Kind::no_spread, -0.5, {}, {}, "1 run of ours: no spread, 1 of 5 runs");
    row.mean_by_mode = modes_of(value(82.5, {}, 1, 83.27));
    row.published_mean = printed(82.3, {});
    row.mean_verdict = verdict(Kind::no_spread, 0.2, {}, {}, "no spread published, 1 of 5 runs");
    row.last_mean = 35.25;
    for (std::uint64_t seed = 1; seed < 5; ++seed) {
      row.uncounted.push_back({results::Uncounted::Why::missing, "bird", seed, ""});
    }
    add_up(row);
    return row;
  }

  /// Three lambdas of five seeds a class; of the second class one run of another lambda is missing.
  results::Row best_lambda() const {
    results::Row row = named("PLUME, best lambda", "unbiased", "best");
    row.best_of = "lambda";
    row.cells = {cell(value(89.5, 1.0, 5, 91.0, "10"), 15), cell(value(85.7, 1.7, 5, 87.8, "5"), 15),
                 cell(value(75.3, 2.9, 5, 80.2, "20"), 15)};
    row.cells[0].counts.finished = row.cells[2].counts.finished = 15;
    row.cells[1].counts.finished = 14;
    row.cells[0].bold = row.cells[1].bold = row.cells[2].bold = row.mean_bold = true;
    row.cells[0].published = printed(89.5, 1.0, {10});
    row.cells[0].verdict = verdict(Kind::inside, 0.0, -1.46, 1.46);
    row.cells[1].published = printed(85.7, 1.7, {5});
    row.cells[2].published = printed(74.5, 2.3, {5, 20});
    row.cells[2].verdict = verdict(Kind::no_spread, 0.8, {}, {}, "no spread published");
    row.mean_by_mode = modes_of(value(83.5, 0.9, 5, 86.33));
    row.published_mean = printed(83.2, {});
    row.mean_verdict = verdict(Kind::no_spread, 0.3, {}, {}, "no spread published");
    row.uncounted = {{results::Uncounted::Why::missing, "automobile", 4, ""}};
    add_up(row);
    return row;
  }

  results::Row highest() const {
    results::Row row = named("PLUME, highest", "unbiased", "max");
    row.best_of = "lambda";
    row.statistic = sweeps::Statistic::max;
    row.cells = {cell(value(89.5, 1.0, 5, 91.0, "10"), 15), cell(value(86.0, 2.0, 5, 90.1, "10"), 15),
                 cell(value(75.3, 2.9, 5, 80.2, "20"), 15)};
    for (results::Cell& cell : row.cells) cell.counts.finished = 15;
    const double theirs[] = {91.0, 90.1, 80.4};
    for (std::size_t i = 0; i < 3; ++i) {
      row.cells[i].published = printed(theirs[i], {}, {10});
      const double difference = *row.cells[i].by_mode[0].max - theirs[i];
      row.cells[i].verdict = verdict(Kind::no_spread, difference, {}, {}, "no spread published");
    }
    row.mean_by_mode = modes_of(value(83.6, 0.9, 5, 87.1));
    row.published_mean = printed(87.2, {});
    row.mean_verdict = verdict(Kind::no_spread, -0.1, {}, {}, "no spread published");
    add_up(row);
    return row;
  }

  static results::Row neighbours() {
    results::Row row;
    row.name = "kNN";
    row.in_paper = row.seeded = row.comparable = false;
    const auto once = [](double mean) {
      const results::Value same = value(mean, {}, 1, mean, "", 1);
      return std::vector<results::Value>{same, same, same, value(0, {}, 1, 0, "", 1)};
    };
    for (const double mean : {90.04, 92.0, 79.0}) row.cells.push_back({{1, 1, 0, 0, 0}, once(mean), {}});
    row.mean_by_mode = once(87.0);
    row.seeds_planned = 1;
    add_up(row);
    return row;
  }

  void compare() {
    using sweeps::Mode;
    table.comparisons = {
        {Mode::best, "PLUME, lambda 5", "PLAD, re-run", 10, 12.345, 9, 1, 48, 50, false, true, 0.00390625, 0.0078125,
         2},
        {Mode::best, "PLUME, best lambda", "PLAD, re-run", 30, 13.0, 29, 1, 150, 150, false, false, 0.00001, 0.00002,
         2},
        {Mode::last, "PLUME, lambda 5", "PLAD, re-run", 5, -0.04, 2, 3, 25, 25, true, false, {}, {}, 0}};
  }
};

}  // namespace samples
