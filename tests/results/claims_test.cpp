// The results in the paper's text, beside ours.
#include "results/claims.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/results/paper_rows.hpp"

namespace {

using samples::PaperTable;
using sweeps::Guidance;
using sweeps::Perturbation;
using testing::HasSubstr;

const results::Claim* find(const std::vector<results::Claim>& claims, const std::string& id) {
  for (const results::Claim& claim : claims) {
    if (claim.published->id == id) return &claim;
  }
  return nullptr;
}

auto always(double auc) {
  return [auc](std::size_t, std::uint64_t) { return auc; };
}

/// The ablation's rows for the gain of LinearMap through guidance: 6.6 points in print.
PaperTable two_rows(double none, double full) {
  PaperTable paper("cifar10-ablation");
  paper.add_row("LinearMap", "linear-map", Perturbation::linear_map, Guidance::none, 2, always(none));
  paper.add_row("LinearMap, guided", "linear-map-full", Perturbation::linear_map, Guidance::full, 2, always(full));
  return paper;
}

TEST(Claims, AreDifferencesOfMeansOfOurTables) {
  const auto claims = results::claims_of({two_rows(0.75, 0.8125).aggregated()});

  const auto* gain = find(claims, "text-linear-map-gain");
  ASSERT_NE(gain, nullptr);
  EXPECT_EQ(gain->published->value, 6.6);
  EXPECT_EQ(gain->ours, 6.25);
  EXPECT_EQ(gain->why_not_comparable, "");
  EXPECT_THAT(results::claims_markdown(claims),
              HasSubstr("| 4.5 | Gain of LinearMap through guidance, points | 6.6 | 6.2 |  |"));
}

TEST(Claims, WaitForEveryRun) {
  const auto claims = results::claims_of({two_rows(0.75, -1).aggregated()});

  ASSERT_NE(find(claims, "text-linear-map-gain"), nullptr);
  EXPECT_FALSE(find(claims, "text-linear-map-gain")->ours);
}

TEST(Claims, SayWhyTheyAreNotComparable) {
  PaperTable paper = two_rows(0.75, 0.8125);
  for (sweeps::Job& job : paper.plan.jobs) job.training.epochs = 10;

  EXPECT_EQ(find(results::claims_of({paper.aggregated()}), "text-linear-map-gain")->why_not_comparable, "reduced");
}

TEST(Claims, AreNotOfOtherPapers) {
  PaperTable paper("cifar10-main");
  paper.add_literature("PLAD", "plad");

  EXPECT_TRUE(results::claims_of({paper.aggregated()}).empty());
  EXPECT_EQ(results::claims_markdown({}), "");
}

TEST(GoldenClaims, AreAsManyAsThePaperStates) {
  EXPECT_EQ(sweeps::published_claims().size(), 12u);
  for (const auto& claim : sweeps::published_claims()) {
    for (const auto& place : claim.places) {
      const auto* table = sweeps::find_published_table(place.table);
      ASSERT_NE(table, nullptr) << claim.id;
      EXPECT_NE(table->find_row(place.row), nullptr) << claim.id;
    }
  }
}

}  // namespace
