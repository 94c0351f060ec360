// The pieces around a step against fixtures: schedule, AUROC, threshold, adaptive pool (tests/golden/method), with the
// tolerances of that folder's README section 13.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "plume/adaptive_pool.hpp"
#include "plume/auroc.hpp"
#include "plume/one_cycle.hpp"
#include "plume/threshold.hpp"
#include "tests/plume/golden_models.hpp"

namespace {

using golden::expect_near;
using nlohmann::json;

TEST(GoldenOneCycle, GivesTheDoublesOfTorch) {
  const json fixture = golden::read_json("method/onecycle.json");
  const auto expect_point = [](double max_lr, std::int64_t total, std::int64_t step, const json& lr,
                               const json& beta1) {
    const auto point = plume::one_cycle(max_lr, total, step);
    const std::string what = "step " + std::to_string(step) + " of " + std::to_string(total);
    expect_near(point.learning_rate, lr, 4e-16 * max_lr, 0, what);
    expect_near(point.beta1, beta1, 4e-16, 0, what);
  };
  ASSERT_FALSE(fixture.at("long").empty());
  for (const json& schedule : fixture.at("long"))
    for (std::size_t i = 0; i < schedule.at("step").size(); ++i)
      expect_point(schedule.at("max_lr"), schedule.at("total_steps"), schedule.at("step")[i], schedule.at("lr")[i],
                   schedule.at("beta1")[i]);
  ASSERT_EQ(fixture.at("short").size(), 12);
  for (const json& schedule : fixture.at("short"))
    for (std::size_t k = 0; k < schedule.at("lr").size(); ++k)
      expect_point(schedule.at("max_lr"), schedule.at("total_steps"), static_cast<std::int64_t>(k),
                   schedule.at("lr")[k], schedule.at("beta1")[k]);
}

void expect_auc(const std::vector<double>& scores, const std::vector<bool>& positive, const json& expected) {
  const auto auc = plume::auroc(scores, positive);
  ASSERT_EQ(auc.has_value(), !expected.is_null());
  if (auc) {
    EXPECT_EQ(*auc, expected.get<double>());
  }
}

TEST(GoldenAuroc, AgreesExactlyOnEveryCase) {
  const json fixture = golden::read_json("method/auc.json");
  const auto arrays = golden::read_safetensors("method/auc.safetensors");
  ASSERT_FALSE(fixture.at("cases").empty());
  for (const json& entry : fixture.at("cases")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    std::vector<bool> positive;
    for (const int label : entry.at("labels")) positive.push_back(label == 1);
    expect_auc(entry.at("scores").get<std::vector<double>>(), positive, entry.at("auc"));
  }
  ASSERT_EQ(fixture.at("file_cases").size(), 3);
  for (const json& entry : fixture.at("file_cases")) {
    SCOPED_TRACE(entry.at("scores").get<std::string>());
    expect_auc(golden::doubles_of(arrays.at(entry.at("scores"))), golden::normals_of(arrays.at(entry.at("labels")), 1),
               entry.at("auc"));
  }
}

TEST(GoldenAuroc, CountsMorePairsThan32BitsHold) {
  const json fixture = golden::read_json("method/auc.json").at("large");
  std::vector<double> scores;
  std::vector<bool> positive;
  for (std::uint32_t i = 0; i < 140000; ++i) {
    positive.push_back((golden::hash(i, 4002) & 1U) == 1U);
    scores.push_back(static_cast<float>(golden::unit(i, 4001)) + 0.25F * static_cast<float>(positive.back()));
  }
  EXPECT_EQ(std::count(positive.begin(), positive.end(), true), fixture.at("positives").get<int>());
  expect_auc(scores, positive, fixture.at("auc"));
}

TEST(GoldenThreshold, AndSharesOfEveryCase) {
  const json fixture = golden::read_json("method/threshold.json");
  const auto arrays = golden::read_safetensors("method/threshold.safetensors");
  ASSERT_FALSE(fixture.at("cases").empty());
  for (const json& entry : fixture.at("cases")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    const auto key = entry.at("key").get<std::string>();
    const auto training = golden::doubles_of(arrays.at(key + "/train_logits"));
    ASSERT_EQ(training.size(), entry.at("n").get<std::size_t>());
    const auto threshold = plume::threshold_of(training);
    expect_near(threshold.sigmoid, entry.at("threshold"), 1e-7, 0, "threshold");
    expect_near(threshold.logit, entry.at("threshold_logit"), 0, 0, "logit");

    std::vector<int> classes;
    for (const auto label : golden::indices_of(arrays.at(key + "/test_classes")))
      classes.push_back(static_cast<int>(label));
    constexpr std::size_t kClasses = 12;  // more than any case has: the others have no rows
    const auto shares = plume::shares_on_the_right_side(threshold, golden::doubles_of(arrays.at(key + "/test_logits")),
                                                        classes, {entry.at("normal_class").get<int>()}, kClasses);
    for (std::size_t c = 0; c < kClasses; ++c) {
      const auto expected = entry.at("classes").find(std::to_string(c));
      ASSERT_EQ(shares[c].has_value(), expected != entry.at("classes").end()) << "class " << c;
      if (shares[c]) {
        EXPECT_EQ(*shares[c], expected->at("share").get<double>()) << "class " << c;
      }
    }
  }
}

TEST(GoldenAdaptivePool, AgreesOnEveryRowLength) {
  EXPECT_EQ(golden::hash(12345678, 1001), 2137158711U);
  EXPECT_EQ(golden::unit(0, 1), 0.7632746244780719);
  const json fixture = golden::read_json("method/adaptive_pool.json");
  const auto arrays = golden::read_safetensors("method/adaptive_pool.safetensors");
  ASSERT_EQ(fixture.at("cases").size(), 4);
  for (const json& entry : fixture.at("cases")) {
    const auto length = entry.at("length").get<std::int64_t>();
    SCOPED_TRACE(length);
    const at::Tensor pooled =
        plume::adaptive_pool(golden::fill({2, length}, entry.at("input").at("stream"), 1.0), 3072);
    expect_near(pooled[0], arrays.at(entry.at("row0").get<std::string>().substr(0, 5)), 1e-7, 0, "row 0");
    for (int row = 0; row < 2; ++row) {
      const json& digest = entry.at("rows")[row];
      for (std::size_t i = 0; i < digest.at("index").size(); ++i)
        expect_near(pooled[row][digest.at("index")[i].get<std::int64_t>()].item<double>(), digest.at("value")[i], 1e-7,
                    0, "element");
    }
  }
}

}  // namespace
