// The paper's own tables with made-up numbers of ours near the printed ones: what their layouts look like.
#pragma once

#include <cmath>

#include "tests/results/made_up_tables.hpp"

namespace samples {

/// Ours is up to 0.9 beside the print, in steps of 0.3.
inline double wobble(std::size_t row, std::size_t column) {
  return 0.3 * (static_cast<double>((row * 7 + column * 3) % 7) - 3);
}

inline results::Published in_percent(const sweeps::PublishedNumber& number, bool fraction) {
  const double factor = fraction ? 100 : 1;
  results::Published published = printed(number.mean * factor, {});
  if (number.std_dev) published.std_dev = *number.std_dev * factor;
  published.bold = number.bold;
  return published;
}

inline std::vector<results::Value> two_modes(double mean, double std_dev, const std::string& chosen) {
  return {value(mean, std_dev, 5, mean + 1.2, chosen), value(mean - 30, 3 * std_dev, 5, mean - 27, chosen)};
}

inline results::Cell near_print(const sweeps::PublishedRow& row, const sweeps::PublishedColumn& column, double by,
                                bool fraction) {
  results::Cell cell;
  const auto number = row.cells.find(column.id);
  if (number == row.cells.end()) return cell;
  cell.published = in_percent(number->second, fraction);
  if (row.kind == sweeps::PublishedRow::Kind::literature) return cell;
  const auto choice = row.method->lambda_by_class.find(column.id);
  if (choice != row.method->lambda_by_class.end()) cell.published->chosen = choice->second;
  const std::string chosen = cell.published->chosen.empty() ? "" : storage::shortest(cell.published->chosen.front());
  cell.counts = {5, 5, 0, 0, 0};
  cell.by_mode = two_modes(cell.published->mean + by, 1.7, chosen);
  cell.bold = cell.published->bold;
  cell.verdict = verdict(results::Verdict::Kind::inside, by, by - 2, by + 2);
  return cell;
}

/// Modes best and last.
inline results::Table printed_table(const sweeps::PublishedTable& published) {
  results::Table table;
  table.id = published.id;
  table.title = published.title;
  table.datasets = {published.dataset};
  table.modes = {sweeps::Mode::best, sweeps::Mode::last};
  table.settings = {"data set " + published.dataset, "backbone resnet50", "epochs 100", "lambda 5", "batch size 32"};
  table.published = &published;
  table.metric = published.fraction ? sweeps::Metric::fraction : sweeps::Metric::percent;
  table.decimals = published.cell_decimals;
  table.mean_decimals = published.mean_decimals;
  table.transposed = published.transposed;
  table.columns_are = published.columns.empty() ? sweeps::Columns::mean : sweeps::Columns::classes;
  for (const auto& column : published.columns) table.columns.push_back(column.official);
  for (const auto& printed_row : published.rows) {
    results::Row row;
    row.name = printed_row.name;
    row.group = printed_row.group;
    row.published = &printed_row;
    row.only_printed = printed_row.kind == sweeps::PublishedRow::Kind::literature;
    if (printed_row.statistic == "max") row.statistic = sweeps::Statistic::max;
    if (printed_row.statistic == "best") row.statistic = sweeps::Statistic::mean_and_max;
    if (printed_row.method && printed_row.method->best_per_class) row.best_of = "lambda";
    for (std::size_t i = 0; i < published.columns.size(); ++i) {
      row.cells.push_back(
          near_print(printed_row, published.columns[i], wobble(table.rows.size(), i), published.fraction));
    }
    if (printed_row.row_mean) {
      row.published_mean = in_percent(*printed_row.row_mean, published.fraction);
      row.mean_bold = printed_row.row_mean->bold;
      if (!row.only_printed) row.mean_by_mode = two_modes(row.published_mean->mean + 0.2, 0.6, "");
    }
    row.seeds_planned = 5;
    add_up(row);
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace samples
