// What is said beside the paper's printed numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "storage/error.hpp"
#include "tests/results/paper_rows.hpp"

namespace {

using results::Verdict;
using samples::PaperTable;
using sweeps::Guidance;
using sweeps::Perturbation;
using testing::HasSubstr;
using Kind = results::Verdict::Kind;

/// Two seeds around `percent`, one point above and one below: mean `percent`, standard deviation sqrt(2).
auto around(double percent) {
  return [percent](std::size_t, std::uint64_t seed) { return (percent + (seed == 0 ? 1 : -1)) / 100; };
}

TEST(Verdict, IsWelchsIntervalOfTheDifference) {
  PaperTable paper("cifar10-ablation");  // gaussian, plane: 83.3 +- 2.6 over 5 runs
  paper.add_row("Gaussian", "gaussian", Perturbation::gaussian, Guidance::none, 2, around(85));

  const auto cell = paper.aggregated().rows[0].cells[0];

  ASSERT_TRUE(cell.published && cell.verdict);
  EXPECT_EQ(cell.published->mean, 83.3);
  EXPECT_EQ(cell.published->std_dev, 2.6);
  EXPECT_EQ(cell.published->n, 5u);
  EXPECT_NEAR(*cell.verdict->difference, 1.7, 1e-9);
  // Squared standard errors 2 / 2 = 1 and 2.6^2 / 5 = 1.352; Welch-Satterthwaite: 2.352^2 / (1 / 1 + 1.352^2 / 4) =
  // 3.7967; scipy.stats.t.ppf(0.975, 3.7967) = 2.83656; 2.83656 sqrt(2.352) = 4.3502.
  EXPECT_NEAR(*cell.verdict->high - *cell.verdict->difference, 4.3502, 1e-3);
  EXPECT_EQ(cell.verdict->kind, Kind::inside);
}

TEST(Verdict, IsOutsideBelowAsWellAsAbove) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("Gaussian", "gaussian", Perturbation::gaussian, Guidance::none, 2, around(70));

  const auto verdict = *paper.aggregated().rows[0].cells[0].verdict;

  EXPECT_EQ(verdict.kind, Kind::outside);
  EXPECT_LT(*verdict.high, 0);
}

TEST(Verdict, IsOutsideWhereTheIntervalLeavesOutZero) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("Gaussian", "gaussian", Perturbation::gaussian, Guidance::none, 2, around(93));

  const auto table = paper.aggregated();

  EXPECT_EQ(table.rows[0].cells[0].verdict->kind, Kind::outside);
  EXPECT_EQ(table.verdicts.inside + table.verdicts.outside, 10u);
  EXPECT_EQ(table.verdicts.withheld + table.verdicts.no_spread + table.verdicts.no_number, 0u);
}

TEST(Verdict, OnAMeanIsADifferenceBecauseNoneHasASpreadInPrint) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("Gaussian", "gaussian", Perturbation::gaussian, Guidance::none, 2, around(80));

  const auto row = paper.aggregated().rows[0];

  ASSERT_TRUE(row.mean_verdict);
  EXPECT_EQ(row.mean_verdict->kind, Kind::no_spread);
  EXPECT_EQ(row.mean_verdict->why, "no spread published");
  EXPECT_NEAR(*row.mean_verdict->difference, 80 - 77.5, 1e-9);
}

TEST(Verdict, IsWithheldFromAMeanOverFewerClasses) {
  PaperTable paper("cifar10-ablation");
  paper.table.columns.pop_back();
  paper.add_row("Gaussian", "gaussian", Perturbation::gaussian, Guidance::none, 2, around(80));

  const auto row = paper.aggregated().rows[0];

  EXPECT_EQ(row.cells[0].verdict->kind, Kind::inside);
  EXPECT_EQ(row.mean_verdict->kind, Kind::withheld);
  EXPECT_EQ(row.mean_verdict->why, "not over all of the paper's classes");
}

TEST(Verdict, OnOneRunIsADifference) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("Gaussian", "gaussian", Perturbation::gaussian, Guidance::none, 1, around(80));

  const auto verdict = *paper.aggregated().rows[0].cells[0].verdict;

  EXPECT_EQ(verdict.kind, Kind::no_spread);
  EXPECT_EQ(verdict.why, "1 run of ours: no spread");
}

TEST(Verdict, SaysHowManyRunsItRestsOn) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("Gaussian", "gaussian", Perturbation::gaussian, Guidance::none, 3, [](std::size_t, std::uint64_t seed) {
    return seed == 2 ? -1 : 0.8 + 0.01 * static_cast<double>(seed);
  });

  const auto verdict = *paper.aggregated().rows[0].cells[0].verdict;

  EXPECT_EQ(verdict.kind, Kind::inside);
  EXPECT_EQ(verdict.why, "2 of 3 runs");
}

TEST(Verdict, WaitsForANumber) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("Gaussian", "gaussian", Perturbation::gaussian, Guidance::none, 2,
                [](std::size_t, std::uint64_t) { return -1; });

  const auto table = paper.aggregated();

  EXPECT_EQ(table.rows[0].cells[0].verdict->kind, Kind::no_number);
  EXPECT_EQ(table.verdicts.no_number, 10u);
}

TEST(Verdict, IsWithheldFromAReducedRow) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("Gaussian", "gaussian", Perturbation::gaussian, Guidance::none, 2, around(85));
  for (sweeps::Job& job : paper.plan.jobs) job.training.epochs = 10;

  const auto verdict = *paper.aggregated().rows[0].cells[0].verdict;

  EXPECT_EQ(verdict.kind, Kind::withheld);
  EXPECT_EQ(verdict.why, "reduced");
  EXPECT_FALSE(verdict.difference);
}

TEST(Verdict, IsWithheldFromOtherWeightsAndSubstitutes) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("Gaussian", "gaussian", Perturbation::gaussian, Guidance::none, 2, around(85));
  PaperTable substituted = paper;
  substituted.table.substitutes = {{"vgg16", "resnet50"}};
  PaperTable of_others = paper;
  of_others.table.substitutes = {{"convnext-base", "vgg16"}};
  for (auto& entry : paper.ledger.done) entry.second.result.weights = "random:0";

  EXPECT_EQ(paper.aggregated().rows[0].cells[0].verdict->why, "untrained");
  EXPECT_EQ(substituted.aggregated().rows[0].cells[0].verdict->why, "substituted");
  EXPECT_EQ(of_others.aggregated().rows[0].cells[0].verdict->why, "");
}

TEST(Verdict, IsWithheldFromARowThatIsNotThePublishedOne) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("Gaussian", "linear-map-full", Perturbation::gaussian, Guidance::none, 2, around(85));

  const auto verdict = *paper.aggregated().rows[0].cells[0].verdict;

  EXPECT_EQ(verdict.kind, Kind::withheld);
  EXPECT_THAT(verdict.why, HasSubstr("not the settings of the published row: perturbation gaussian, guidance none"));
}

TEST(Verdict, IsWithheldFromABestOfFewerLambdasThanThePapers) {
  PaperTable paper("cifar10-main");
  paper.add_row("PLUME", "plume-best", Perturbation::linear_map, Guidance::full, 2, around(85));  // lambda 5 alone

  const auto row = paper.aggregated().rows[0];

  EXPECT_EQ(row.cells[0].verdict->why, "not the settings of the published row: lambda 5");
}

TEST(MeanOverClasses, IsRefusedOrMarkedWhereOneClassWasComputedOtherwise) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("Gaussian", "gaussian", Perturbation::gaussian, Guidance::none, 2, around(85));
  for (auto& entry : paper.ledger.done) {
    if (entry.second.job.normal_class == "bird") entry.second.engine_version = 3;
  }

  EXPECT_THROW(paper.aggregated(), storage::Error);
  const auto row = results::aggregate(paper.plan, paper.table, paper.ledger, results::Mixed::allowed).rows[0];

  EXPECT_EQ(row.mean_mixed, std::vector<std::string>{"engine versions 3, 6"});
  EXPECT_TRUE(row.cells[2].mixed.empty());
  EXPECT_EQ(row.mean_verdict->why, "mixed runs");
}

TEST(Verdict, IsNotGivenOnOtherPapersNumbers) {
  PaperTable paper("cifar10-main");
  paper.add_literature("PLAD", "plad");

  const auto row = paper.aggregated().rows[0];

  EXPECT_EQ(row.cells[0].published->mean, 82.5);
  EXPECT_EQ(row.cells[0].published->n, 0u);
  EXPECT_FALSE(row.cells[0].verdict);
  EXPECT_EQ(row.published_mean->mean, 75.1);
  EXPECT_FALSE(row.mean_verdict);
}

TEST(Published, OfAFractionIsThePrintedPercentage) {
  PaperTable paper("spark");
  paper.table.columns = {"satellites"};
  paper.add_row("PLUME", "plume-resnet50", Perturbation::linear_map, Guidance::full, 2, around(76));
  paper.table.rows[0].statistic = sweeps::Statistic::mean_and_max;
  paper.add_literature("PLAD", "plad-rerun");

  const auto table = paper.aggregated();

  EXPECT_EQ(table.rows[1].cells[0].published->mean, 69);  // 0.69 * 100 is not
  EXPECT_EQ(table.rows[0].cells[0].published->mean, 77);
  EXPECT_NEAR(*table.rows[0].cells[0].verdict->difference, -1, 1e-9);
  EXPECT_NEAR(*table.rows[0].cells[0].verdict->max_difference, 0, 1e-9);
}

TEST(Published, ChoicesOfLambdaStandBesideOurs) {
  PaperTable paper("cifar10-main");
  paper.add_row("PLUME", "plume-best", Perturbation::linear_map, Guidance::full, 2, around(85));

  const auto row = paper.aggregated().rows[0];

  EXPECT_EQ(row.cells[0].published->chosen, std::vector<double>{10});  // plane
  EXPECT_EQ(row.cells[1].published->chosen, std::vector<double>{5});   // car
}

TEST(ColumnTitle, IsThePapersWhereItHasOne) {
  PaperTable paper("cifar10-ablation");

  const auto table = paper.aggregated();

  EXPECT_EQ(table.column_title(0), "Plane");
  EXPECT_EQ(table.column_title(1), "Car");
}

}  // namespace
