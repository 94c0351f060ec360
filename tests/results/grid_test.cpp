// The layout of a table: which columns, lines and labels it has, and how a number is written.
#include "results/grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/results/printed_tables.hpp"

namespace {

using results::Grid;
using results::GridBlock;
using results::plain_text;
using samples::TableWithEverything;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> line_names(const GridBlock& block) {
  std::vector<std::string> names;
  for (const auto& line : block.lines) names.push_back(line.name);
  return names;
}

/// The texts of the line of that name.
std::vector<std::string> line(const GridBlock& block, const std::string& name) {
  std::vector<std::string> texts;
  for (const auto& one : block.lines) {
    for (const auto& cell : one.cells) {
      if (one.name == name) texts.push_back(plain_text(cell));
    }
  }
  return texts;
}

/// One class, three seeds, printed as fractions like SPARK's.
results::Table spark_like() {
  results::Table table;
  table.id = "spark";
  table.columns = {"satellites"};
  table.modes = {sweeps::Mode::best};
  table.metric = sweeps::Metric::fraction;
  table.decimals = 2;
  results::Row row;
  row.name = "PLUME";
  row.statistic = sweeps::Statistic::mean_and_max;
  row.cells = {{{3, 3, 0, 0, 0}, {samples::value(76.4, 1.26, 3, 77.5, "", 3)}, {}}};
  row.cells[0].published = samples::printed(77, {});
  row.cells[0].verdict = samples::verdict(results::Verdict::Kind::no_spread, -0.6);
  row.cells[0].verdict->max_difference = 0.5;
  row.mean_by_mode = row.cells[0].by_mode;
  samples::add_up(row);
  table.rows = {row};
  return table;
}

TEST(Grid, HasALineAModeWithThePapersNumbersBelowTheBest) {
  const TableWithEverything made_up;

  const Grid grid = grid_of(made_up.table);

  EXPECT_THAT(grid.label_titles, ElementsAre("Method", "λ"));
  EXPECT_THAT(grid.columns, ElementsAre("Plane", "Car", "Bird", "Mean", "runs"));
  EXPECT_THAT(line_names(grid.blocks.at(0)), ElementsAre("another paper's"));
  EXPECT_THAT(line_names(grid.blocks.at(2)),
              ElementsAre("best (selects on test)", "published", "difference", "last", "last 10", "gap"));
  EXPECT_THAT(line_names(grid.blocks.at(5)), ElementsAre("all modes"));
  EXPECT_EQ(grid.blocks.at(2).group, "Geometrically Unbiased");
}

TEST(Grid, WritesFractionsAndTheMaximumBesideTheMean) {
  const results::Table table = spark_like();

  const Grid grid = grid_of(table);

  EXPECT_THAT(grid.columns, ElementsAre("satellites", "runs")) << "a single class is its own mean";
  EXPECT_THAT(line(grid.blocks.at(0), "best (selects on test)"), ElementsAre("0.76 ± 0.01, max 0.78", "3/3"));
  EXPECT_THAT(line(grid.blocks.at(0), "published"), ElementsAre("0.77", ""));
  EXPECT_THAT(line(grid.blocks.at(0), "difference"), ElementsAre("-0.01, max +0.01", ""));
}

TEST(Grid, HasNoClassesWhereOnlyTheirMeanIsPrinted) {
  TableWithEverything made_up;
  made_up.table.columns_are = sweeps::Columns::mean;
  made_up.table.mean_decimals = 2;

  const Grid grid = grid_of(made_up.table, false);

  EXPECT_THAT(grid.columns, ElementsAre("Mean"));
  EXPECT_THAT(line(grid.blocks.at(3), "best (selects on test)"), ElementsAre("83.50 ± 0.90 (44/45)"));
}

TEST(Grid, HasNoMeanWhereColumnsAreChosen) {
  TableWithEverything made_up;
  made_up.table.columns_are = sweeps::Columns::chosen;
  for (results::Row& row : made_up.table.rows) row.mean_by_mode.clear();

  EXPECT_EQ(grid_of(made_up.table, false).columns.size(), 3U);
}

TEST(Grid, SaysWhichLambdaIsTakenOrThatNoneIsComplete) {
  TableWithEverything made_up;
  results::Row& row = made_up.table.rows[3];
  row.cells[2].by_mode.assign(4, results::Value{{}, {}, "", 0});
  row.cells[2].counts.finished = 14;

  const Grid grid = grid_of(made_up.table, false);

  EXPECT_THAT(line(grid.blocks.at(3), "best (selects on test)"),
              ElementsAre("89.5 ± 1.0 (λ 10)", "85.7 ± 1.7 (λ 5) (14/15)", "incomplete 14/15", "83.5 ± 0.9 (44/45)"));
  EXPECT_EQ(line(grid.blocks.at(3), "published").at(2), "74.5 ± 2.3 (λ 5 or 20)");
}

TEST(Grid, CallsRowsByTheirOwnNamesWhereThePrintedLabelsAreTheSame) {
  TableWithEverything made_up;
  made_up.table.rows[3].published = made_up.table.rows[2].published;

  const Grid grid = grid_of(made_up.table);

  EXPECT_THAT(grid.blocks.at(1).labels, ElementsAre("PLAD†", "5"));
  EXPECT_THAT(grid.blocks.at(2).labels, ElementsAre("PLUME, lambda 5", ""));
  EXPECT_THAT(grid.blocks.at(3).labels, ElementsAre("PLUME, best lambda", ""));
}

TEST(Grid, SetsCheckMarksAsThePaperDoes) {
  const auto* published = sweeps::find_published_table("cifar10-ablation");
  ASSERT_NE(published, nullptr);
  const results::Table table = samples::printed_table(*published);

  const Grid grid = grid_of(table);

  EXPECT_THAT(grid.label_titles, ElementsAre("Perturbation", "Guidance"));
  EXPECT_THAT(grid.blocks.at(5).labels, ElementsAre("LinearMap", "✓ (Mean)"));
}

TEST(Grid, HasThePapersRowsAsColumnsWhereItIsTransposed) {
  const auto* published = sweeps::find_published_table("spark");
  ASSERT_NE(published, nullptr);
  const results::Table table = samples::printed_table(*published);

  const Grid grid = grid_of(table);

  EXPECT_THAT(grid.columns, ElementsAre("PLAD†", "PLUME", "PLUME", "PLUME"));
  EXPECT_THAT(grid.blocks.at(1).labels, ElementsAre("Input Data"));
  EXPECT_THAT(line(grid.blocks.at(1), ""), ElementsAre("Raw Images", "ResNet50", "VGG16", "ConvNeXt"));
  EXPECT_THAT(grid.blocks.at(2).labels, ElementsAre("AUC"));
  EXPECT_THAT(line(grid.blocks.at(2), "published"), ElementsAre("0.69", "0.77", "0.74", "0.76"));
  EXPECT_THAT(line(grid.blocks.at(3), ""), ElementsAre("5/5", "5/5", "5/5", "5/5"));
}

TEST(Grid, ShowsNoDifferenceWhereAllAreWithheld) {
  results::Table table = spark_like();
  table.rows[0].cells[0].verdict = results::Verdict{results::Verdict::Kind::withheld, {}, {}, {}, {}, "reduced"};

  EXPECT_THAT(line_names(grid_of(table).blocks.at(0)), ElementsAre("best (selects on test)", "published"));
}

TEST(Grid, ShowsWhatIsPublishedThoughTheBestEpochIsNotAsked) {
  results::Table table = spark_like();
  table.modes = {sweeps::Mode::last};
  table.rows[0].cells[0].verdict.reset();

  EXPECT_THAT(line_names(grid_of(table).blocks.at(0)), ElementsAre("last", "published"));
}

TEST(Grid, IsEmptyForATableWithoutRows) {
  const results::Table table;

  EXPECT_THAT(grid_of(table).blocks, IsEmpty());
}

}  // namespace
