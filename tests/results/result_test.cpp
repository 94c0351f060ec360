// The JSON of results: full precision, undefined and non-finite values, and what is refused.
#include "results/result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "storage/error.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::EpochRecord;
using results::JobResult;
using testing::HasSubstr;

storage::JsonValue parsed(const std::string& text) {
  return storage::parse_json(text, "sample", storage::Blame::run);
}

std::string error_of(const std::string& text) {
  try {
    results::decode_result(parsed(text));
  } catch (const storage::Error& error) {
    return error.what();
  }
  return "no error";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("\"" + from + "\" is not in " + text);
  return text.replace(at, from.size(), to);
}

TEST(JobResult, ReadsBackBitEqual) {
  JobResult result = samples::finished({1.0 / 3, std::nextafter(0.5, 1), 0, 1});
  result.epochs[1].losses = results::LossTerms{-1.0e-300, 0.1 + 0.2, std::nextafter(1.0, 2), 5e-324, 1e22};
  result.epochs[1].learning_rate = 5e-4;
  result.epochs[2].ranking.reset();
  result.epochs[2].undefined = "the test split has no anomalies";
  result.dropped_single_row = true;
  result.device = "cuda";
  result.threads = 16;
  result.train_rows = std::numeric_limits<std::int64_t>::max();

  EXPECT_EQ(results::decode_result(parsed(results::encode(result))), result);
}

TEST(JobResult, ReadsBackADivergedRun) {
  JobResult result = samples::diverged(1);
  result.epochs = samples::finished({0.5}).epochs;

  EXPECT_EQ(results::decode_result(parsed(results::encode(result))), result);
}

TEST(EpochRecord, WritesALossThatIsNotFiniteAsNullAndSaysSo) {
  EpochRecord record;
  record.ranking = {0.25, 0.5, 1, 0};
  record.losses = results::LossTerms{std::nan(""), 1, 2, std::numeric_limits<double>::infinity(), 3};

  const std::string text = results::encode(record);
  const EpochRecord read = results::decode_epoch(parsed(text));

  EXPECT_EQ(text, R"({"epoch":0,"auc":0.25,"ap_normal":0.5,"ap_anomalous":1,"fpr95":0,"losses":{"total":null,"classification":1,"noise":2,"kl":null,"guidance":3,)"
                  R"("nonfinite":true}})");
  EXPECT_TRUE(std::isnan(read.losses->total));
  EXPECT_TRUE(std::isnan(read.losses->kl));
  EXPECT_EQ(read.losses->classification, 1);
}

TEST(EpochRecord, RefusesANullLossThatIsNotMarked) {
  const std::string text =
      R"({"epoch":0,"auc":null,"losses":{"total":null,"classification":1,"noise":2,"kl":3,"guidance":3}})";

  EXPECT_THROW(results::decode_epoch(parsed(text)), storage::Error);
}

TEST(EpochRecord, WritesAnAurocThatIsNotFiniteAsUndefined) {
  EpochRecord record;
  record.ranking = {std::nan(""), 0, 0, 0};

  const EpochRecord read = results::decode_epoch(parsed(results::encode(record)));

  EXPECT_FALSE(read.ranking);
  EXPECT_EQ(read.undefined, "the AUROC is not finite");
}

TEST(JobResult, RefusesWhatCannotBe) {
  const std::string good = results::encode(samples::finished({0.5, 0.25}));
  const std::string bad = results::encode(samples::diverged(0));

  EXPECT_THAT(error_of(replaced(good, "\"auc\":0.25", "\"auc\":1.25")), HasSubstr("epochs[1].auc: expected a number in [0, 1]"));
  EXPECT_THAT(error_of(replaced(good, R"("epoch":1)", R"("epoch":2)")), HasSubstr("expected epoch 1, found 2"));
  EXPECT_THAT(error_of(replaced(good, "finished", "done")), HasSubstr(R"(found "done")"));
  EXPECT_THAT(error_of(replaced(good, "finished", "diverged")), HasSubstr("diverged_epoch"));
  EXPECT_THAT(error_of(replaced(bad, "diverged\"", "finished\"")), HasSubstr("diverged_epoch"));
  EXPECT_THAT(error_of(replaced(bad, R"("epochs":[])", R"("epochs":[{"epoch":0,"auc":null}])")), HasSubstr("epochs"));
  EXPECT_THAT(error_of(replaced(good, R"("threads":1)", R"("threads":0)")), HasSubstr("threads"));
  EXPECT_THAT(error_of(replaced(good, R"("device")", R"("devise")")), HasSubstr("device"));
  EXPECT_THAT(error_of(replaced(good, R"("train_rows":1000)", R"("train_rows":-1)")), HasSubstr("train_rows"));
}

TEST(BestEpoch, IsTheEarliestMaximumAmongTheDefined) {
  auto epochs = samples::finished({0.5, 0.9, 0.9, 0.1}).epochs;

  EXPECT_EQ(results::best_epoch(epochs), 1u);
  epochs[1].ranking.reset();
  EXPECT_EQ(results::best_epoch(epochs), 2u);
  EXPECT_EQ(results::best_epoch({}), std::nullopt);
  EXPECT_EQ(results::best_epoch({EpochRecord{}}), std::nullopt);
}

}  // namespace
