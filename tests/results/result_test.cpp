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
  result.epochs[1].threshold = std::nextafter(0.25, 1);
  result.epochs[1].shares = {1.0 / 3, std::nullopt, 1};
  result.epochs[2].ranking.reset();
  result.epochs[2].undefined = "the test split has no anomalies";
  result.epochs[3].ranking = {0.1, 0.2, std::nextafter(0.3, 1), 0.4};
  result.found_learning_rate = 6.3095734448019317e-05;
  result.weights = "random:9999";
  result.classes = {"airplane", "a \"b\"", "ca\xC3\xB1\xC3\xB3n"};
  result.dropped_single_row = true;
  result.device = "cuda";
  result.threads = 16;
  result.train_rows = std::numeric_limits<std::int64_t>::max();

  EXPECT_EQ(results::decode_result(parsed(results::encode(result))), result);
}

TEST(JobTiming, NamesAProcessorOnlyWhereItIsKnown) {
  results::JobTiming timing{1.5, "node7", "2026-11-27T20:15:03Z"};
  EXPECT_EQ(results::decode_timing(parsed(results::encode(timing))).processor, "");
  timing.processor = "AMD EPYC, AVX-512";
  EXPECT_EQ(results::decode_timing(parsed(results::encode(timing))).processor, "AMD EPYC, AVX-512");
}

TEST(JobTiming, NamesAGpuOnlyWhereThereIsOneAndReadsOlderJournals) {
  results::JobTiming timing{1.5, "node7", "2026-11-27T20:15:03Z"};
  const std::string older = R"({"wall_seconds":1.5,"host":"node7","started":"2026-11-27T20:15:03Z"})";
  EXPECT_EQ(results::encode(timing), older);
  EXPECT_EQ(results::decode_timing(parsed(older)).gpu, "");

  timing.gpu = "GPU-8932f937";
  EXPECT_EQ(results::decode_timing(parsed(results::encode(timing))).gpu, "GPU-8932f937");
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

  EXPECT_EQ(
      text,
      R"({"epoch":0,"auc":0.25,"ap_normal":0.5,"ap_anomalous":1,"fpr95":0,"losses":{"total":null,"classification":1,"noise":2,"kl":null,"guidance":3,)"
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

  EXPECT_THAT(error_of(replaced(good, "\"auc\":0.25", "\"auc\":1.25")),
              HasSubstr("epochs[1].auc: expected a number in [0, 1]"));
  EXPECT_THAT(error_of(replaced(good, R"("classes":[])", R"("classes":["cat",3])")), HasSubstr("classes[1]"));
  EXPECT_THAT(error_of(replaced(good, R"("classes")", R"("found_learning_rate":0,"classes")")),
              HasSubstr("found_learning_rate: expected a number above 0, found 0"));
  EXPECT_THAT(error_of(replaced(good, R"("classes")", R"("found_learning_rate":null,"classes")")),
              HasSubstr("found_learning_rate: expected a number"));
  EXPECT_THAT(error_of(replaced(good, R"("epoch":1)", R"("epoch":2)")), HasSubstr("expected epoch 1, found 2"));
  EXPECT_THAT(error_of(replaced(good, "finished", "done")), HasSubstr(R"(found "done")"));
  EXPECT_THAT(error_of(replaced(good, "finished", "diverged")), HasSubstr("diverged_epoch"));
  EXPECT_THAT(error_of(replaced(bad, "diverged\"", "finished\"")), HasSubstr("diverged_epoch"));
  EXPECT_THAT(error_of(replaced(bad, R"("epochs":[])", R"("epochs":[{"epoch":0,"auc":null}])")), HasSubstr("epochs"));
  EXPECT_THAT(error_of(replaced(good, R"("threads":1)", R"("threads":0)")), HasSubstr("threads"));
  EXPECT_THAT(error_of(replaced(good, R"("device")", R"("devise")")), HasSubstr("device"));
  EXPECT_THAT(error_of(replaced(good, R"("train_rows":1000)", R"("train_rows":-1)")), HasSubstr("train_rows"));
  EXPECT_THAT(error_of(replaced(good, R"("weights")", R"("weighs")")), HasSubstr("\"weights\""));
  for (const char* weights : {"random:", "random:01", "1a2b3c4d", "none"}) {
    EXPECT_THAT(error_of(replaced(good, samples::kOtherFile, weights)),
                HasSubstr("weights: expected the 64 hexadecimal digits of a SHA-256, random:SEED or"));
  }
}

TEST(JobResult, WantsAShareForEveryClass) {
  JobResult result = samples::finished({0.5, 0.25});
  result.classes = {"airplane", "bird", "cat"};
  result.epochs[1].threshold = 0.5;
  for (const std::size_t count : {1, 2, 4}) {
    result.epochs[1].shares.assign(count, 0.5);
    EXPECT_THAT(
        error_of(results::encode(result)),
        HasSubstr("epochs[1].shares: expected one share for each of the 3 classes, found " + std::to_string(count)));
  }
  result.epochs[1].shares.assign(3, std::nullopt);
  EXPECT_EQ(error_of(results::encode(result)), "no error");
}

TEST(EpochRecord, RefusesNumbersThatCannotBe) {
  const std::string good =
      R"({"epoch":0,"auc":0.25,"ap_normal":0.5,"ap_anomalous":1,"fpr95":0,"threshold":0.125,"shares":[0.75,null]})";
  const auto message = [&good](const std::string& from, const std::string& to) -> std::string {
    try {
      results::decode_epoch(parsed(replaced(good, from, to)));
    } catch (const storage::Error& error) {
      return error.what();
    }
    return "no error";
  };

  EXPECT_EQ(message("0.25", "0.25"), "no error");
  EXPECT_EQ(message("0.75", "1.5"), "sample: shares[0]: expected a number in [0, 1], found 1.5");
  EXPECT_EQ(message("\"fpr95\":0", "\"fpr95\":-0.5"), "sample: fpr95: expected a number in [0, 1], found -0.5");
  EXPECT_EQ(message("\"ap_normal\":0.5", "\"ap_normal\":2"), "sample: ap_normal: expected a number in [0, 1], found 2");
  EXPECT_THAT(message("\"ap_anomalous\":1,", ""), HasSubstr("\"ap_anomalous\" is missing"));
  EXPECT_THAT(message("\"threshold\":0.125", "\"threshold\":7"), HasSubstr("threshold: expected a number in [0, 1]"));
  EXPECT_THAT(message("\"threshold\":0.125,", ""), HasSubstr("shares: expected no such key without a \"threshold\""));
  EXPECT_THAT(message("\"auc\":0.25", "\"auc\":null"), HasSubstr("expected no such key beside \"auc\":null"));
  EXPECT_THAT(message("\"fpr95\":0", "\"fpr95\":0,\"undefined\":\"x\""), HasSubstr("undefined: expected no such key"));
  EXPECT_THAT(message("fpr95", "fpr59"), HasSubstr("fpr95"));
  EXPECT_EQ(message("\"fpr95\":0", "\"fpr95\":0,\"auc_std_error\":0.1"), "no error");
  EXPECT_EQ(message("\"fpr95\":0", "\"fpr95\":0,\"auc_std_error\":-0.1"),
            "sample: auc_std_error: expected a number in [0, 1], found -0.1");
}

TEST(EpochRecord, KeepsWhyARankingIsUndefinedBesideItsShares) {
  EpochRecord record;
  record.undefined = "the test split has no anomalies";
  record.threshold = 0.5;
  record.shares = {0.25, std::nullopt};

  const std::string text = results::encode(record);

  EXPECT_EQ(
      text,
      R"({"epoch":0,"auc":null,"undefined":"the test split has no anomalies","threshold":0.5,"shares":[0.25,null]})");
  EXPECT_EQ(results::decode_epoch(parsed(text)), record);
}

TEST(EpochRecord, LeavesOutAThresholdThatIsNotFinite) {
  EpochRecord record = samples::finished({0.5}).epochs[0];
  record.threshold = std::nan("");
  record.shares = {0.5};

  const EpochRecord read = results::decode_epoch(parsed(results::encode(record)));

  EXPECT_FALSE(read.threshold);
  EXPECT_TRUE(read.shares.empty());
  EXPECT_EQ(read.auc(), 0.5);
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
