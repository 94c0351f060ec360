// Standard error of the AUROC, average precision, FPR95, threshold and shares by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plume/auroc.hpp"
#include "plume/ranking.hpp"
#include "plume/threshold.hpp"
#include "results/inference.hpp"
#include "storage/error.hpp"

namespace {

using Scores = std::vector<double>;
using Labels = std::vector<bool>;
using Shares = std::vector<std::optional<double>>;

/// Values of R's pROC: tests/golden/statistics/README.md.
TEST(AurocStdError, IsThatOfProc) {
  std::ifstream in(std::string(PLUME_SOURCE_DIR) + "/tests/golden/statistics/delong.json");
  const auto cases = nlohmann::json::parse(in);
  ASSERT_GE(cases.size(), 15U);
  for (const auto& one : cases) {
    const auto scores = one.at("scores").get<Scores>();
    Labels positive(scores.size(), false);
    std::fill_n(positive.begin(), one.at("positives").get<std::size_t>(), true);
    const double expected = one.at("proc").at("std_error");
    const auto auc = plume::auroc(scores, positive), error = plume::auroc_std_error(scores, positive);
    ASSERT_TRUE(auc && error);
    EXPECT_NEAR(*error, expected, 1e-12 * expected) << scores.size() << " scores";
    const auto interval = results::auc_interval(*auc, *error);
    EXPECT_NEAR(interval.low, one.at("proc").at("low").get<double>(), 1e-12);
    EXPECT_NEAR(interval.high, one.at("proc").at("high").get<double>(), 1e-12);
  }
}

TEST(AurocStdError, CountsTheRowsThatEachRowWins) {
  EXPECT_EQ(plume::auroc_std_error({3, 1, 2, 0}, {true, true, false, false}), std::sqrt(0.125));
  EXPECT_EQ(plume::auroc_std_error({0, 1, 2, 3}, {false, true, false, true}), std::sqrt(0.125)) << "in any order";
}

TEST(AurocStdError, IsZeroWhereTheClassesAreSeparated) {
  Scores scores;
  Labels positive;
  for (int i = 0; i < 300; ++i) scores.push_back(i / 7.0), positive.push_back(i >= 93);
  EXPECT_EQ(plume::auroc_std_error(scores, positive), 0);
}

TEST(AurocStdError, NeedsTwoRowsOfEachClass) {
  EXPECT_EQ(plume::auroc_std_error({1, 2, 3}, {true, false, false}), std::nullopt);
  EXPECT_EQ(plume::auroc_std_error({1, 2, 3}, {true, false, true}), std::nullopt);
  EXPECT_EQ(plume::auroc_std_error({}, {}), std::nullopt);
  EXPECT_THROW(plume::auroc_std_error({std::nan(""), 1}, {true, false}), storage::Error);
}

TEST(AveragePrecision, WeighsThePrecisionAtEachRecall) {
  EXPECT_EQ(plume::average_precision({3, 2, 1}, {true, false, true}), 0.5 * 1 + 0.5 * (2.0 / 3));
  EXPECT_EQ(plume::average_precision({2, 1, 0}, {true, true, false}), 1);
  EXPECT_EQ(plume::average_precision({2, 1, 0}, {false, false, true}), 1.0 / 3);
}

TEST(AveragePrecision, TakesRowsOfOneScoreTogether) {
  // One threshold accepts all four: precision 1/4 at recall 1, whatever order they come in.
  EXPECT_EQ(plume::average_precision({5, 5, 5, 5}, {true, false, false, false}), 0.25);
  EXPECT_EQ(plume::average_precision({5, 5, 5, 5}, {false, false, false, true}), 0.25);
}

TEST(AveragePrecision, IsAbsentWithoutAPositiveRowAndOneWithoutANegative) {
  EXPECT_EQ(plume::average_precision({1, 2}, {false, false}), std::nullopt);
  EXPECT_EQ(plume::average_precision({}, {}), std::nullopt);
  EXPECT_EQ(plume::average_precision({1, 2}, {true, true}), 1);
}

TEST(Fpr95, GoesDownToTheThresholdThatAcceptsEnough) {
  EXPECT_EQ(plume::fpr95({3, 1, 2, 0}, {true, true, false, false}), 0.5);
  EXPECT_EQ(plume::fpr95({3, 2, 1, 0}, {true, true, false, false}), 0);
  EXPECT_EQ(plume::fpr95({1, 1, 1}, {true, false, false}), 1);
}

TEST(Fpr95, NeedsNineteenOfTwentyAndNotEighteen) {
  Scores scores;
  Labels positive;
  for (int i = 0; i < 20; ++i) scores.push_back(100 - i), positive.push_back(true);  // 100 .. 81
  scores.push_back(81.5), positive.push_back(false);                                 // below 19 of them
  scores.push_back(82.5), positive.push_back(false);                                 // below 18 of them
  EXPECT_EQ(plume::fpr95(scores, positive), 0.5);
}

TEST(Fpr95, IsAbsentWhereAClassIsAbsent) {
  EXPECT_EQ(plume::fpr95({1, 2}, {true, true}), std::nullopt);
  EXPECT_EQ(plume::fpr95({1, 2}, {false, false}), std::nullopt);
}

TEST(Ranking, PutsTheAnomaliesFirstForTheirAveragePrecision) {
  const Scores scores{3, 2, 1, 0};
  const auto ranking = plume::ranking_of(scores, {true, false, true, true});
  ASSERT_TRUE(ranking);
  EXPECT_EQ(ranking->auc, plume::auroc(scores, {true, false, true, true}));
  EXPECT_EQ(ranking->ap_normal, (1 + 2.0 / 3 + 3.0 / 4) / 3);
  EXPECT_EQ(ranking->ap_anomalous, 1.0 / 3);  // third from below
  EXPECT_EQ(ranking->fpr95, 1);
  EXPECT_EQ(ranking->auc_std_error, std::nullopt) << "one anomaly";
  EXPECT_EQ(plume::ranking_of({3, 1, 2, 0}, {true, true, false, false})->auc_std_error, std::sqrt(0.125));
}

TEST(Ranking, IsUndefinedAsAWholeOnASplitOfOneKind) {
  EXPECT_EQ(plume::ranking_of({1, 2}, {true, true}), std::nullopt);
  EXPECT_EQ(plume::ranking_of({1, 2}, {false, false}), std::nullopt);
}

TEST(Ranking, RefusesANanAndLabelsThatDoNotFit) {
  EXPECT_THROW(plume::average_precision({std::nan("")}, {true}), storage::Error);
  EXPECT_THROW(plume::fpr95({1}, {true, false}), storage::Error);
}

float sigmoid(float logit) {
  return 1 / (1 + std::exp(-logit));
}

TEST(Threshold, IsTheTenthPartsLargest) {
  Scores logits;
  for (int i = 0; i < 20; ++i) logits.push_back(19 - i);
  EXPECT_EQ(plume::threshold_of(logits).logit, 1);  // the 2nd smallest of 20
  EXPECT_EQ(plume::threshold_of(logits).sigmoid, sigmoid(1));
  logits.push_back(-5);
  EXPECT_EQ(plume::threshold_of(logits).logit, 1);  // the 3rd smallest of 21
  EXPECT_EQ(plume::threshold_of({7}).logit, 7);
  EXPECT_THROW(plume::threshold_of({}), storage::Error);
}

TEST(Shares, CountStrictlyAboveForTheNormalClassAndTheRestForOthers) {
  const plume::Threshold threshold{0.5F, 0};
  const Scores logits{1, 0, -1, 1, 0};
  EXPECT_EQ(plume::shares_on_the_right_side(threshold, logits, {0, 0, 0, 2, 2}, {0}, 4),
            (Shares{1.0 / 3, std::nullopt, 0.5, std::nullopt}));
  EXPECT_EQ(plume::shares_on_the_right_side(threshold, logits, {0, 0, 0, 2, 2}, {2}, 3),
            (Shares{2.0 / 3, std::nullopt, 0.5}));
  EXPECT_EQ(plume::shares_on_the_right_side(threshold, logits, {0, 2, 0, 0, 2}, {0, 2}, 3),
            (Shares{2.0 / 3, std::nullopt, 0}))
      << "a normal set";
}

TEST(Shares, SeeTheTieOfSaturatedSigmoids) {
  const plume::Threshold threshold = plume::threshold_of({20, 30});
  EXPECT_EQ(threshold.sigmoid, 1);
  EXPECT_EQ(plume::shares_on_the_right_side(threshold, {100}, {0}, {0}, 1), Shares{0.0});
}

TEST(ThresholdInLogits, IsTheHighestThatIsNotAccepted) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float t : {0.0F, 1e-30F, 0.25F, 0.5F, 0.9999F}) {
    const float logit = plume::highest_rejected_logit(t);
    EXPECT_FALSE(plume::is_accepted(t, logit)) << t;
    EXPECT_TRUE(plume::is_accepted(t, std::nextafter(logit, kInfinity))) << t;
  }
  EXPECT_NEAR(plume::highest_rejected_logit(0.5F), 0, 1e-6);
  EXPECT_NEAR(plume::highest_rejected_logit(0.25F), -std::log(3.0), 1e-6);
  EXPECT_EQ(plume::highest_rejected_logit(1), kInfinity) << "no sigmoid is above 1";
}

}  // namespace
