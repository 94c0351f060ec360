// The learning-rate range test against Lightning 2.0.0's algorithm and a whole search on the released model
// (tests/golden/method/lr_finder*), with the tolerances of that folder's README section 13.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "plume/learning_rate_search.hpp"
#include "plume/range_test.hpp"
#include "tests/plume/golden_models.hpp"

namespace {

using golden::expect_near;
using golden::Tensors;
using nlohmann::json;
using plume::Model;
using plume::RangeTest;

TEST(GoldenRangeTest, TriesLightningsRates) {
  const json fixture = golden::read_json("method/lr_finder.json");
  ASSERT_EQ(fixture.at("lr").size(), 100);
  for (int k = 0; k < 100; ++k)
    expect_near(RangeTest::learning_rate(k), fixture.at("lr")[k], 0, 1e-12, "rate " + std::to_string(k));
}

void expect_suggestion(const std::optional<RangeTest::Suggestion>& suggestion, const json& expected) {
  ASSERT_EQ(suggestion.has_value(), !expected.at("suggestion_index").is_null());
  if (!suggestion) return;
  EXPECT_EQ(suggestion->index, expected.at("suggestion_index").get<std::size_t>());
  if (expected.contains("suggestion_lr"))
    expect_near(suggestion->learning_rate, expected.at("suggestion_lr"), 0, 1e-12, "suggested rate");
}

/// Non-finite numbers are strings in the fixtures.
double number_of(const json& value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

void expect_recorded(const std::vector<double>& recorded, const json& expected) {
  ASSERT_EQ(recorded.size(), expected.size());
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const double value = number_of(expected[i]);
    if (std::isfinite(value))
      expect_near(recorded[i], value, 0, 1e-12, "recorded " + std::to_string(i));
    else
      EXPECT_TRUE(std::isnan(value) ? std::isnan(recorded[i]) : recorded[i] == value) << "recorded " << i;
  }
}

TEST(GoldenRangeTest, RecordsStopsAndSuggestsAsLightning) {
  const json fixture = golden::read_json("method/lr_finder.json");
  ASSERT_FALSE(fixture.at("sequences").empty());
  for (const json& sequence : fixture.at("sequences")) {
    SCOPED_TRACE(sequence.at("name").get<std::string>());
    RangeTest test;
    std::optional<std::size_t> stopped_at;
    for (std::size_t k = 0; k < sequence.at("raw").size(); ++k) {
      if (test.record(number_of(sequence.at("raw")[k]))) continue;
      if (test.recorded().size() < 100 || !sequence.at("stopped_at").is_null()) stopped_at = k;
      break;
    }
    expect_recorded(test.recorded(), sequence.at("recorded"));
    EXPECT_EQ(stopped_at.has_value(), !sequence.at("stopped_at").is_null());
    if (stopped_at) {
      EXPECT_EQ(*stopped_at, sequence.at("stopped_at").get<std::size_t>());
    }
    expect_suggestion(test.suggestion(), sequence);
  }
}

TEST(GoldenRangeTest, SuggestsFromRecordedLosses) {
  const json fixture = golden::read_json("method/lr_finder.json");
  ASSERT_FALSE(fixture.at("suggestions").empty());
  for (const json& entry : fixture.at("suggestions")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    std::vector<double> recorded;
    for (const json& value : entry.at("recorded")) recorded.push_back(number_of(value));
    expect_suggestion(RangeTest::suggest(recorded), entry);
  }
}

/// Rows, orders and noise of step k, handed out as batch k % 5 of epoch k / 5: an epoch of 30 rows has five batches.
golden::GivenDraws draws_of_search(const Tensors& arrays, const Tensors& common) {
  golden::GivenDraws draws;
  draws.weight = [&](const std::string& key, at::IntArrayRef) { return common.at("init/" + key).clone(); };
  draws.order = [&](int epoch, std::int64_t) {
    return golden::indices_of(arrays.at("order").narrow(0, epoch * 5, 5).flatten());
  };
  draws.eps = [&](int epoch, std::int64_t batch, std::int64_t, std::int64_t) {
    return arrays.at("eps")[epoch * 5 + batch];
  };
  return draws;
}

class GoldenSearch : public testing::TestWithParam<at::ScalarType> {};

TEST_P(GoldenSearch, FindsTheRateOfTheReleasedModel) {
  const json fixture = golden::read_json("method/lr_finder_small.json");
  const Tensors arrays = golden::read_safetensors("method/lr_finder_small.safetensors");
  const Tensors common = golden::read_safetensors("method/small_common.safetensors");
  const bool doubles = GetParam() == at::kDouble;
  sweeps::TrainingSettings settings = golden::settings_of(fixture, 24);
  settings.batch_size = 6;
  const auto draws = draws_of_search(arrays, common);
  const Model model = golden::small_model(settings, common, GetParam());
  const auto rows = plume::InputRows::features(common.at("batches").view({30, 24}), 24);
  std::vector<double> raw;
  const RangeTest test =
      plume::search_learning_rate(settings, model, rows, draws, [&](const auto& terms) { raw.push_back(terms.total); });

  const json& expected = fixture.at(doubles ? "raw_f64" : "raw");
  ASSERT_EQ(raw.size(), expected.size());
  for (std::size_t k = 0; k < raw.size() && k < 92; ++k)
    expect_near(raw[k], expected[k], 0, doubles ? 1e-7 : k < 88 ? 3e-5 : 1e-3, "loss " + std::to_string(k));
  EXPECT_EQ(raw.size() - 1, fixture.at(doubles ? "stopped_at_f64" : "stopped_at").get<std::size_t>());
  ASSERT_TRUE(test.suggestion());
  EXPECT_EQ(test.suggestion()->index,
            fixture.at(doubles ? "suggestion_index_f64" : "suggestion_index").get<std::size_t>());
  if (!doubles) expect_near(test.suggestion()->learning_rate, fixture.at("suggestion_lr"), 0, 1e-12, "rate");
}

TEST_P(GoldenSearch, LeavesTheModelAsItWas) {
  const Tensors arrays = golden::read_safetensors("method/lr_finder_small.safetensors");
  const Tensors common = golden::read_safetensors("method/small_common.safetensors");
  sweeps::TrainingSettings settings;
  settings.dimension = 24;
  settings.batch_size = 6;
  const auto draws = draws_of_search(arrays, common);
  const Model model = golden::small_model(settings, common, GetParam()), before = model.clone();
  const auto rows = plume::InputRows::features(common.at("batches").view({30, 24}), 24);
  plume::search_learning_rate(settings, model, rows, draws, [](const auto&) {});

  for (const auto list : {&Model::parameters, &Model::running_statistics}) {
    const auto after = (model.*list)(), first = (before.*list)();
    ASSERT_EQ(after.size(), first.size());
    for (std::size_t i = 0; i < after.size(); ++i)
      EXPECT_TRUE(at::equal(after[i].second, first[i].second)) << after[i].first;
  }
}

INSTANTIATE_TEST_SUITE_P(InFloat32AndDoubles, GoldenSearch, testing::Values(at::kFloat, at::kDouble),
                         [](const auto& dtype) { return std::string(c10::toString(dtype.param)); });

}  // namespace
