// The rotation score: its turns and numbers by hand, gradients of its network, what it tells apart and what it cannot.
#include "plume/rotation.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "plume/input_rows.hpp"
#include "plume/method.hpp"
#include "plume/model.hpp"
#include "plume/training_step.hpp"
#include "tests/plume/golden_files.hpp"
#include "tests/plume/small_jobs.hpp"

namespace {

using results::JobResult;
using results::Outcome;
using small::images_of;
using small::refusal;
using small::run;
using testing::ElementsAre;
using testing::HasSubstr;

sweeps::Job rotation_job() {
  sweeps::Job job;
  job.dataset = "synthetic";
  job.normal_class = "disk";
  job.method = sweeps::Method::rotation;
  return job;
}

/// n images of noise around 128 whose half `bright` ("top", "left" or "none") is lighter by 60.
at::Tensor halves(std::int64_t n, const std::string& bright, std::uint32_t stream) {
  at::Tensor images = 100 + 40 * golden::fill({n, 3, 32, 32}, stream, 1);
  if (bright == "top") images.narrow(2, 0, 16).add_(60);
  if (bright == "left") images.narrow(3, 0, 16).add_(60);
  return images.to(at::kByte);
}

/// Trains on `train`; every other test row is an anomaly.
plume::JobData data_of(const at::Tensor& train, const at::Tensor& normals, const at::Tensor& anomalies) {
  plume::JobData data;
  data.classes = {"disk", "square"};
  data.train = train;
  data.test = at::cat({normals, anomalies});
  for (std::int64_t i = 0; i < data.test.size(0); ++i) data.test_labels.push_back(i < normals.size(0) ? 0 : 1);
  return data;
}

double auroc_of(const plume::JobData& data) {
  const JobResult result = run(rotation_job(), data);
  EXPECT_EQ(result.outcome, Outcome::finished);
  EXPECT_EQ(result.epochs.size(), 1U);
  return result.epochs.at(0).auc().value();
}

TEST(Turns, MoveTheCornersOfAnImageCounterClockwise) {
  const at::Tensor image = at::arange(1, 5, at::kLong).view({1, 1, 2, 2});  // 1 2 over 3 4
  const at::Tensor turned = plume::in_four_turns(image).flatten(1);
  const auto row = [&](std::int64_t i) {
    const at::Tensor values = turned[i].contiguous();
    return std::vector<std::int64_t>(values.data_ptr<std::int64_t>(), values.data_ptr<std::int64_t>() + 4);
  };
  EXPECT_THAT(row(0), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(row(1), ElementsAre(2, 4, 1, 3));
  EXPECT_THAT(row(2), ElementsAre(4, 3, 2, 1));
  EXPECT_THAT(row(3), ElementsAre(3, 1, 4, 2));
}

TEST(TurnLoss, IsTheMeanOverTheRightTurns) {
  at::Tensor logits = at::zeros({8, 4}, at::kDouble);  // two images in four turns
  EXPECT_DOUBLE_EQ(plume::turn_loss(logits).item<double>(), std::log(4));
  logits[2][1] = std::log(3);  // the first image turned by 90 degrees: p = 3/6 in place of 1/4
  EXPECT_DOUBLE_EQ(plume::turn_loss(logits).item<double>(), (7 * std::log(4) + std::log(2)) / 8);
}

TEST(TurnScores, AddTheLogarithmsOfTheFourRightTurns) {
  golden::GivenDraws draws;  // all weights 0: each turn has p = 1/4
  draws.weight = [](const std::string&, at::IntArrayRef shape) { return at::zeros(shape); };
  const plume::Model model = plume::make_image_model(4, draws);
  const at::Tensor images = halves(3, "top", 1);
  for (const double score : plume::turn_scores(model, images, plume::statistics_of(images), [] {}))
    EXPECT_DOUBLE_EQ(score, -4 * std::log(4));
}

TEST(Rotation, TellsAHalfThatIsAlwaysOnTopFromNoiseAndFromAnotherSide) {
  const at::Tensor train = halves(32, "top", 1), normals = halves(20, "top", 2);
  const at::Tensor others = at::cat({halves(10, "none", 3), halves(10, "left", 4)});
  EXPECT_GT(auroc_of(data_of(train, normals, others)), 0.99);
}

TEST(Rotation, IsAtChanceWhereNothingHasAnOrientation) {
  EXPECT_NEAR(auroc_of(data_of(halves(32, "none", 1), halves(60, "none", 2), halves(60, "none", 3))), 0.5, 0.15);
}

TEST(Rotation, GivesTheSameBitsTwiceAndOthersForAnotherSeed) {
  const auto data = images_of(6, 6);
  const auto statistics = plume::statistics_of(data.train);
  const auto scores = [&](std::uint64_t seed) {
    sweeps::Job job = rotation_job();
    job.seed = seed;
    return plume::rotation_scores(data.train, data.test, statistics, plume::StreamDraws(job, "rotation/"), [] {});
  };
  const auto first = scores(0);
  EXPECT_EQ(scores(0), first);
  EXPECT_NE(scores(1), first);
  EXPECT_EQ(run(rotation_job(), data), run(rotation_job(), data));
}

TEST(Rotation, IsOneRecordWithoutLossesOrThreshold) {
  const JobResult result = run(rotation_job(), images_of(6, 6));
  ASSERT_EQ(result.epochs.size(), 1U);
  EXPECT_TRUE(result.epochs[0].ranking);
  EXPECT_FALSE(result.epochs[0].losses || result.epochs[0].threshold || result.epochs[0].learning_rate);
  EXPECT_FALSE(result.dropped_single_row);
}

TEST(Rotation, IsNormalisedWithTheStatisticsThatItIsGiven) {
  const auto train = images_of(6, 6).train;
  auto statistics = plume::statistics_of(train);
  const plume::StreamDraws draws(rotation_job(), "rotation/");
  const auto given = plume::rotation_scores(train, train, statistics, draws, [] {});
  statistics.mean[0] += 0.2;
  EXPECT_NE(plume::rotation_scores(train, train, statistics, draws, [] {}), given);
}

TEST(Rotation, ReportsProgressAfterEveryBatch) {
  int reports = 0;
  const auto data = images_of(33, 3);  // a last batch of one image, in its four turns
  plume::run_job(rotation_job(), data, {[&] { ++reports; }});
  EXPECT_EQ(reports, 20 * 2 + 1) << "20 epochs of 2 batches, and the test rows at once";
}

TEST(Rotation, TakesImagesOfOneColour) {
  auto black = images_of(4, 4);
  black.train.zero_();
  black.test.zero_();
  EXPECT_EQ(run(rotation_job(), black).epochs.at(0).auc(), 0.5);  // one score for all
}

TEST(Rotation, RefusesFeaturesAndASingleRow) {
  EXPECT_THAT(refusal(rotation_job(), small::rows_of(4, 4)), HasSubstr("not images of 3x32x32 bytes"));
  EXPECT_THAT(refusal(rotation_job(), images_of(1, 4)), HasSubstr("1 training row(s); at least 2 are needed"));
}

TEST(Rotation, GradientsOfItsNetworkAgreeWithCentralDifferences) {
  golden::GivenDraws draws;
  draws.weight = [stream = 300U](const std::string&, at::IntArrayRef shape) mutable {
    return golden::fill(shape, stream++, shape.size() == 4 ? 0.2 : 0.1);
  };
  const plume::Model model = plume::make_image_model(4, draws, at::kDouble);
  const at::Tensor images = golden::fill({2, 3, 32, 32}, 1, 1).to(at::kDouble);
  const auto loss = [&] {
    return plume::turn_loss(model.classify(plume::in_four_turns(images).flatten(1), /*training=*/true).logit);
  };
  const auto named = model.parameters();
  ASSERT_EQ(named.size(), 7U);
  const auto gradients = plume::gradients_of(loss(), plume::values_of(named));

  const at::NoGradGuard no_grad;
  constexpr double kStep = 1e-7;
  for (std::size_t i = 0; i < named.size(); ++i) {
    at::Tensor parameter = named[i].second;
    const at::Tensor direction =
        golden::fill(parameter.sizes(), 400 + static_cast<std::uint32_t>(i), 1).to(at::kDouble);
    parameter.add_(direction, kStep);
    const double above = loss().item<double>();
    parameter.sub_(direction, 2 * kStep);
    const double below = loss().item<double>();
    parameter.add_(direction, kStep);
    golden::expect_near((gradients[i] * direction).sum().item<double>(), (above - below) / (2 * kStep), 1e-6, 1e-5,
                        named[i].first);
  }
}

}  // namespace
