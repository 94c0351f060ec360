// Tests between the rows of a table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/results/paper_rows.hpp"

namespace {

using samples::PaperTable;
using sweeps::Compare;
using sweeps::Guidance;
using sweeps::Mode;
using sweeps::Perturbation;

/// Every class the same, but for a little that differs from class to class, so that no difference is tied.
auto near(double percent, double slope) {
  return [=](std::size_t index, std::uint64_t seed) {
    return (percent + slope * static_cast<double>(index) + static_cast<double>(seed)) / 100;
  };
}

TEST(Comparison, IsOverTheMeansOfPairedDifferencesOfTheClasses) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("Gaussian", "", Perturbation::gaussian, Guidance::none, 2, near(60, 0));
  paper.add_row("LinearMap", "", Perturbation::linear_map, Guidance::full, 2, near(61, 1));

  const auto comparisons = paper.aggregated().comparisons;

  ASSERT_EQ(comparisons.size(), 2u);  // best, last
  EXPECT_EQ(comparisons[0].mode, Mode::best);
  EXPECT_EQ(comparisons[1].mode, Mode::last);
  EXPECT_EQ(comparisons[0].first, "Gaussian");
  EXPECT_EQ(comparisons[0].second, "LinearMap");
  EXPECT_EQ(comparisons[0].classes, 10u);
  EXPECT_NEAR(*comparisons[0].mean_difference, -5.5, 1e-9);  // -1, -2, ... -10
  EXPECT_EQ(comparisons[0].lower, 10u);
  EXPECT_TRUE(comparisons[0].exact);
  EXPECT_NEAR(*comparisons[0].p, 2.0 / 1024, 1e-12);  // all ten of one sign
  EXPECT_EQ(comparisons[0].pairs, 20u);
}

TEST(Comparison, PairsTheSeedsThatBothRowsHave) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("Gaussian", "", Perturbation::gaussian, Guidance::none, 2,
                [](std::size_t, std::uint64_t seed) { return seed == 0 ? -1 : 0.5; });
  paper.add_row("LinearMap", "", Perturbation::linear_map, Guidance::full, 2,
                [](std::size_t, std::uint64_t seed) { return seed == 0 ? 0.75 : 0.25; });

  const auto comparison = paper.aggregated().comparisons.at(0);

  EXPECT_NEAR(*comparison.mean_difference, 25, 1e-9);  // of seed 1 alone
  EXPECT_EQ(comparison.pairs, 10u);
  EXPECT_EQ(comparison.pairs_planned, 20u);
}

TEST(Comparison, NeedsSixClasses) {
  PaperTable paper("cifar10-ablation");
  paper.table.columns.resize(5);
  paper.add_row("Gaussian", "", Perturbation::gaussian, Guidance::none, 2, near(60, 0));
  paper.add_row("LinearMap", "", Perturbation::linear_map, Guidance::full, 2, near(61, 1));

  const auto comparison = paper.aggregated().comparisons.at(0);

  EXPECT_TRUE(comparison.too_few);
  EXPECT_EQ(comparison.classes, 5u);
  EXPECT_FALSE(comparison.p);
  EXPECT_FALSE(comparison.p_adjusted);
}

TEST(Comparison, OfAllPairsIsAdjustedWithinItsMode) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("Gaussian", "", Perturbation::gaussian, Guidance::none, 2, near(60, 0));
  paper.add_row("AddMult", "", Perturbation::add_mult, Guidance::none, 2, near(61, 1));
  paper.add_row("LinearMap", "", Perturbation::linear_map, Guidance::full, 2, near(62, 3));

  const auto comparisons = paper.aggregated().comparisons;

  ASSERT_EQ(comparisons.size(), 6u);
  EXPECT_EQ(comparisons[0].family, 3u);
  EXPECT_NEAR(*comparisons[0].p_adjusted, 3 * 2.0 / 1024, 1e-12);
}

TEST(Comparison, AgainstOneRowPutsItSecond) {
  PaperTable paper("cifar10-ablation");
  paper.table.compare = {Compare::With::one, "LinearMap"};
  paper.add_row("Gaussian", "", Perturbation::gaussian, Guidance::none, 2, near(60, 0));
  paper.add_row("LinearMap", "", Perturbation::linear_map, Guidance::full, 2, near(62, 3));
  paper.add_row("AddMult", "", Perturbation::add_mult, Guidance::none, 2, near(61, 1));

  const auto comparisons = paper.aggregated().comparisons;

  ASSERT_EQ(comparisons.size(), 4u);
  EXPECT_EQ(comparisons[0].first, "Gaussian");
  EXPECT_EQ(comparisons[1].first, "AddMult");
  EXPECT_EQ(comparisons[1].second, "LinearMap");
}

TEST(Comparison, LeavesOutRowsThatShareRuns) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("LinearMap", "", Perturbation::linear_map, Guidance::full, 2, near(62, 3));
  paper.table.rows.push_back(paper.table.rows[0]);
  paper.table.rows[1].name = "the same again";
  paper.add_row("Gaussian", "", Perturbation::gaussian, Guidance::none, 2, near(60, 0));

  const auto comparisons = paper.aggregated().comparisons;

  ASSERT_EQ(comparisons.size(), 4u);  // each of the two against the third, in two modes
  EXPECT_EQ(comparisons[0].second, "Gaussian");
  EXPECT_EQ(comparisons[0].family, 2u);
}

TEST(Comparison, SaysWhatTheTwoRowsWereComputedBy) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("Gaussian", "", Perturbation::gaussian, Guidance::none, 2, near(60, 0));
  paper.add_row("LinearMap", "", Perturbation::linear_map, Guidance::full, 2, near(61, 1));
  for (auto& entry : paper.ledger.done) {
    if (entry.second.job.training.guidance == Guidance::full) entry.second.result.device = "cuda";
  }

  const auto table = paper.aggregated();

  EXPECT_EQ(table.comparisons[0].mixed, std::vector<std::string>{"devices cpu, cuda"});
  EXPECT_EQ(table.mixed, std::vector<std::string>{"devices cpu, cuda"});
  EXPECT_TRUE(table.rows[0].mean_mixed.empty());
}

TEST(Comparison, LeavesOutMaximaPrintedRowsAndBaselines) {
  PaperTable paper("cifar10-main");
  paper.add_row("LinearMap", "", Perturbation::linear_map, Guidance::full, 2, near(62, 3));
  paper.add_row("Max", "", Perturbation::linear_map, Guidance::full, 2, near(62, 3));
  paper.add_row("a baseline", "", Perturbation::linear_map, Guidance::full, 2, near(62, 3));
  paper.table.rows[1].statistic = sweeps::Statistic::max;
  paper.table.rows[2].in_paper = false;
  paper.add_literature("PLAD", "plad");

  EXPECT_TRUE(paper.aggregated().comparisons.empty());
}

}  // namespace
