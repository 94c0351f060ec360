#include "results/inference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "results/statistics.hpp"
#include "storage/error.hpp"

namespace {

using results::holm;
using results::welch;
using results::wilcoxon;
using testing::ElementsAre;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// Values of other programs: tests/golden/statistics/README.md.
nlohmann::json fixtures(const std::string& section) {
  const std::string file = std::string(PLUME_SOURCE_DIR) + "/tests/golden/statistics/inference.json";
  return nlohmann::json::parse(std::ifstream(file)).at(section);
}

void expect_close(double actual, double expected, const nlohmann::json& of) {
  EXPECT_NEAR(actual, expected, 1e-10 * std::abs(expected)) << of.dump();
}

results::Sample sample_of(const nlohmann::json& values) {
  const results::Summary summary = results::summarise(values.get<std::vector<double>>());
  return {*summary.mean, *summary.std_dev, summary.n};
}

TEST(Inference, WelchIsThatOfRAndSciPy) {
  const nlohmann::json cases = fixtures("welch");
  ASSERT_GE(cases.size(), 10U);
  for (const nlohmann::json& one : cases) {
    const auto interval = welch(sample_of(one.at("first")), sample_of(one.at("second")));
    ASSERT_TRUE(interval && interval->degrees_of_freedom) << one.dump();
    for (const char* program : {"r", "scipy"}) {
      expect_close(interval->low, one.at(program).at("low"), one);
      expect_close(interval->high, one.at(program).at("high"), one);
      expect_close(*interval->degrees_of_freedom, one.at(program).at("degrees_of_freedom"), one);
    }
  }
}

TEST(Inference, WilcoxonIsThatOfRAndSciPy) {
  const nlohmann::json cases = fixtures("wilcoxon");
  ASSERT_GE(cases.size(), 40U);
  for (const nlohmann::json& one : cases) {
    const auto test = wilcoxon(one.at("differences").get<std::vector<double>>());
    EXPECT_EQ(test.n, one.at("n").get<std::size_t>()) << one.dump();
    EXPECT_EQ(test.exact, one.at("exact").get<bool>()) << one.dump();
    EXPECT_EQ(test.statistic, one.at("statistic").get<double>()) << one.dump();
    for (const char* program : {"r", "scipy"}) expect_close(test.p, one.at(program), one);
  }
}

TEST(Inference, HolmIsThatOfR) {
  const nlohmann::json cases = fixtures("holm");
  ASSERT_GE(cases.size(), 10U);
  for (const nlohmann::json& one : cases) {
    const auto adjusted = holm(one.at("p").get<std::vector<double>>());
    ASSERT_EQ(adjusted.size(), one.at("r").size());
    for (std::size_t i = 0; i < adjusted.size(); ++i) expect_close(adjusted[i], one.at("r")[i], one);
  }
}

TEST(Welch, OfTwoSamplesWithoutSpreadIsTheDifferenceAlone) {
  const auto interval = welch({84.5, 0, 5}, {83, 0, 2});
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 1.5);
  EXPECT_EQ(interval->high, 1.5);
  EXPECT_EQ(interval->degrees_of_freedom, std::nullopt);
}

TEST(Welch, OfTinySpreadsHasTheSameDegreesOfFreedom) {
  const auto plain = welch({3, 2, 5}, {1, 1, 4});
  const auto tiny = welch({3e-200, 2e-200, 5}, {1e-200, 1e-200, 4});
  ASSERT_TRUE(plain && tiny);
  EXPECT_DOUBLE_EQ(*tiny->degrees_of_freedom, *plain->degrees_of_freedom);
  EXPECT_DOUBLE_EQ(tiny->high, plain->high * 1e-200);
}

TEST(Welch, NeedsTwoValuesOnEachSideAndFiniteNumbers) {
  EXPECT_FALSE(welch({1, 1, 1}, {1, 1, 5}));
  EXPECT_FALSE(welch({1, 1, 5}, {1, 1, 0}));
  EXPECT_FALSE(welch({kNotANumber, 1, 5}, {1, 1, 5}));
  EXPECT_FALSE(welch({1, 1, 5}, {1, kInfinity, 5}));
  EXPECT_FALSE(welch({1, -1, 5}, {1, 1, 5}));
  EXPECT_FALSE(welch({1, 1e308, 2}, {1, 1e308, 2})) << "a bound beyond the largest double";
}

TEST(Wilcoxon, CountsTheWaysToBeAsFarOut) {
  const auto test = wilcoxon({1, 2, 3, 0, 4, 5, 6});
  EXPECT_EQ(test.n, 6U);
  EXPECT_EQ(test.statistic, 21);
  EXPECT_EQ(test.p, 2.0 / 64);
  EXPECT_TRUE(test.exact);
  EXPECT_EQ(wilcoxon({1, 2, 3, 0, 4, 5, -6}).p, 2.0 * 14 / 64) << "sums 0 to 6: 1 + 1 + 1 + 2 + 2 + 3 + 4 ways";
}

TEST(Wilcoxon, OfZerosAloneIsCertain) {
  EXPECT_EQ(wilcoxon({}).p, 1);
  const auto zeros = wilcoxon({0, -0.0, 0});
  EXPECT_EQ(zeros.n, 0U);
  EXPECT_EQ(zeros.p, 1);
}

TEST(Wilcoxon, DoesNotDependOnTheOrderNorChangeWithTheSign) {
  const auto test = wilcoxon({0.5, -1, 2, 2, -3, 4});
  const auto turned = wilcoxon({-4, 3, -2, -2, 1, -0.5});
  EXPECT_EQ(test.p, turned.p);
  EXPECT_EQ(test.statistic + turned.statistic, 21);
}

TEST(Wilcoxon, RefusesWhatIsNoNumber) {
  EXPECT_THROW(wilcoxon({1, kNotANumber}), storage::Error);
  EXPECT_THROW(wilcoxon({1, -kInfinity}), storage::Error);
}

TEST(Holm, MultipliesByHowManyAreLeftAndNeverFalls) {
  EXPECT_THAT(holm({0.25, 0.0625, 0.1875}), ElementsAre(0.375, 0.1875, 0.375));
  EXPECT_THAT(holm({0.5, 0.75}), ElementsAre(1, 1));
  EXPECT_TRUE(holm({}).empty());
}

TEST(Holm, RefusesWhatIsNoProbability) {
  EXPECT_THROW(holm({0.5, kNotANumber}), storage::Error);
  EXPECT_THROW(holm({1.5}), storage::Error);
  EXPECT_THROW(holm({-0.1}), storage::Error);
}

TEST(AucInterval, IsCutToWhatAnAurocCanBe) {
  const auto interval = results::auc_interval(0.875, 0.25);
  EXPECT_NEAR(interval.low, 0.875 - 1.959963984540054 * 0.25, 1e-15);
  EXPECT_EQ(interval.high, 1);
  EXPECT_EQ(results::auc_interval(0.25, 0.5).low, 0);
  EXPECT_THROW(results::auc_interval(0.5, kInfinity), storage::Error);
  EXPECT_THROW(results::auc_interval(kNotANumber, 0.1), storage::Error);
}

}  // namespace
