// Bold numbers: the paper's rule, held against every mark that the paper printed.
#include <gtest/gtest.h>

#include <cmath>

#include "results/bold.hpp"
#include "tests/results/paper_rows.hpp"

namespace {

using results::Table;
using sweeps::Mode;
using sweeps::PublishedRow;
using sweeps::PublishedTable;

/// The published numbers as if they were ours: every row but the literature's has them as results.
Table as_ours(const PublishedTable& published) {
  Table table;
  table.published = &published;
  table.modes = {Mode::best};
  table.bold = true;
  table.metric = published.fraction ? sweeps::Metric::fraction : sweeps::Metric::percent;
  table.decimals = published.cell_decimals;
  table.mean_decimals = published.mean_decimals;
  for (const auto& column : published.columns) table.columns.push_back(column.official);
  const double scale = published.fraction ? 100 : 1;
  const auto value = [&](const sweeps::PublishedNumber& number) {
    results::Value v;
    v.summary = {5, number.mean * scale, std::nullopt};
    v.max = number.mean * scale;
    return v;
  };
  for (const PublishedRow& row : published.rows) {
    results::Row ours;
    ours.name = row.name;
    ours.only_printed = row.kind == PublishedRow::Kind::literature;
    ours.statistic = row.kind == PublishedRow::Kind::max ? sweeps::Statistic::max : sweeps::Statistic::mean;
    ours.best_of = row.method && row.method->best_per_class ? "lambda" : "";
    for (const auto& column : published.columns) {
      results::Cell cell;
      const auto number = row.cells.at(column.id);
      if (ours.only_printed) cell.published = results::Published{number.mean * scale};
      if (!ours.only_printed) cell.by_mode = {value(number)};
      ours.cells.push_back(cell);
    }
    if (row.row_mean && ours.only_printed) ours.published_mean = results::Published{row.row_mean->mean};
    if (row.row_mean && !ours.only_printed) ours.mean_by_mode = {value(*row.row_mean)};
    table.rows.push_back(ours);
  }
  return table;
}

bool any_bold(const PublishedTable& published) {
  for (const PublishedRow& row : published.rows) {
    if (row.row_mean && row.row_mean->bold) return true;
    for (const auto& cell : row.cells) {
      if (cell.second.bold) return true;
    }
  }
  return false;
}

TEST(GoldenBold, IsWhereThePaperHasIt) {
  int tables = 0;
  for (const PublishedTable& published : sweeps::published_tables()) {
    if (!any_bold(published)) continue;
    ++tables;
    Table table = as_ours(published);

    results::set_bold(table);

    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      const PublishedRow& printed = published.rows[row];
      for (std::size_t i = 0; i < published.columns.size(); ++i) {
        EXPECT_EQ(table.rows[row].cells[i].bold, printed.cells.at(published.columns[i].id).bold)
            << published.id << "/" << printed.id << "/" << published.columns[i].id;
      }
      if (printed.row_mean) {
        EXPECT_EQ(table.rows[row].mean_bold, printed.row_mean->bold) << published.id << "/" << printed.id;
      }
    }
  }
  EXPECT_EQ(tables, 5);  // comp, cifar100, lambdas, lambdas-impact, cifar100-detail
}

TEST(Bold, IsForAllThatLookEqual) {
  Table table;
  table.modes = {Mode::best};
  table.bold = true;
  table.columns = {"cat"};
  for (const double percent : {89.46, 89.54, 89.4}) {
    results::Row row;
    results::Cell cell;
    cell.by_mode = {{{5, percent, 1.0}, percent, "", 5}};
    row.cells = {cell};
    table.rows.push_back(row);
  }

  results::set_bold(table);

  EXPECT_TRUE(table.rows[0].cells[0].bold);
  EXPECT_TRUE(table.rows[1].cells[0].bold);
  EXPECT_FALSE(table.rows[2].cells[0].bold);
}

TEST(Bold, IsNowhereUnlessAskedFor) {
  Table table = as_ours(*sweeps::find_published_table("cifar10-main"));
  table.bold = false;

  results::set_bold(table);

  for (const results::Row& row : table.rows) {
    for (const results::Cell& cell : row.cells) EXPECT_FALSE(cell.bold);
  }
}

}  // namespace
