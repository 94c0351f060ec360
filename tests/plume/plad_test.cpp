// PLAD: images in, records out; normalisation by hand, odd sizes, gradients of its classifier.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "plume/input_rows.hpp"
#include "plume/layers.hpp"
#include "plume/model.hpp"
#include "plume/training_step.hpp"
#include "tests/plume/golden_files.hpp"
#include "tests/plume/small_jobs.hpp"

namespace {

using plume::InputRows;
using results::JobResult;
using results::Outcome;
using small::images_of;
using small::plad_job;
using small::refusal;
using small::run;
using testing::HasSubstr;

/// Two images: red is 0 in one and 255 in the other, green 51 in both, blue 0 but for one pixel of 204 in the first.
at::Tensor two_images() {
  at::Tensor images = at::zeros({2, 3, 32, 32}, at::kByte);
  images[1][0].fill_(255);
  images.select(1, 1).fill_(51);
  images[0][2][0][0].fill_(204);
  return images;
}

TEST(ImageStatistics, ArePooledOverAllPixelsOfAChannel) {
  const auto statistics = plume::statistics_of(two_images());
  EXPECT_DOUBLE_EQ(statistics.mean[0], 0.5);
  EXPECT_DOUBLE_EQ(statistics.std_dev[0], 0.5);
  EXPECT_DOUBLE_EQ(statistics.mean[1], 0.2);
  EXPECT_EQ(statistics.std_dev[1], 0);
  EXPECT_DOUBLE_EQ(statistics.mean[2], 0.8 / 2048);
  EXPECT_DOUBLE_EQ(statistics.std_dev[2], 0.8 * std::sqrt(1.0 / 2048 * (1 - 1.0 / 2048)));
}

TEST(ImageStatistics, AreTheSameOverSeveralPieces) {
  const at::Tensor images = (at::arange(1500, at::kInt).remainder(256)).to(at::kByte).view({1500, 1, 1, 1});
  const auto statistics = plume::statistics_of(images.expand({1500, 3, 32, 32}).contiguous());
  const at::Tensor values = at::arange(1500, at::kInt).remainder(256).to(at::kDouble) / 255;
  EXPECT_NEAR(statistics.mean[2], values.mean().item<double>(), 1e-14);
  EXPECT_NEAR(statistics.std_dev[2], values.std(/*unbiased=*/false).item<double>(), 1e-14);
}

TEST(ImageRows, AreNormalisedChannelsFirstAndOnlyCentredWithoutSpread) {
  const at::Tensor images = two_images();
  const auto rows = InputRows::images(images, plume::statistics_of(images));
  EXPECT_EQ(rows.dimension(), 3072);
  const at::Tensor first = rows.slice(0, 1, at::kDouble), second = rows.select(at::tensor({1L}), at::kDouble);
  EXPECT_NEAR(first[0][0].item<double>(), -1, 1e-12);
  EXPECT_NEAR(second[0][1023].item<double>(), 1, 1e-12);
  EXPECT_NEAR(first[0][1024].item<double>(), 0, 1e-12);  // green has no spread
  EXPECT_GT(first[0][2048].item<double>(), 40);          // the one blue pixel
}

TEST(Plad, GivesTheSameBitsTwiceAndRecordsEverything) {
  const auto data = images_of(10, 6);
  const JobResult result = run(plad_job(), data);
  ASSERT_EQ(result.outcome, Outcome::finished);
  ASSERT_EQ(result.epochs.size(), 1U);
  const auto& record = result.epochs[0];
  ASSERT_TRUE(record.ranking && record.losses && record.learning_rate && record.threshold);
  EXPECT_EQ(record.shares.size(), 4U);
  EXPECT_TRUE(record.shares[0] && record.shares[1] && !record.shares[2]);
  EXPECT_NEAR(record.losses->total, record.losses->classification + 5 * record.losses->noise + record.losses->kl, 1e-3);
  EXPECT_EQ(record.losses->guidance, 0);
  EXPECT_EQ(run(plad_job(), data), result);
}

TEST(Plad, IsNormalisedWithTheStatisticsThatItIsGiven) {
  auto data = images_of(10, 6);
  const JobResult of_its_rows = run(plad_job(), data);
  data.statistics = plume::statistics_of(data.train);
  EXPECT_EQ(run(plad_job(), data), of_its_rows);
  data.statistics->mean[1] += 0.25;
  EXPECT_NE(run(plad_job(), data).epochs.at(0).losses->noise, of_its_rows.epochs.at(0).losses->noise);
}

TEST(Plad, ReadsTheNoiseLossByItsSemantics) {
  auto job = plad_job();
  job.training.semantics = sweeps::Semantics::paper;
  const double paper = run(job, images_of(4, 4)).epochs.at(0).losses->noise;
  const double released = run(plad_job(), images_of(4, 4)).epochs.at(0).losses->noise;
  EXPECT_NEAR(paper / released, 3072, 0.05 * 3072);  // a sum over D against a mean
}

TEST(Plad, TrainsOnOddSizes) {
  EXPECT_EQ(run(plad_job(), images_of(2, 2)).outcome, Outcome::finished);  // fewer rows than a batch
  const JobResult dropped = run(plad_job(), images_of(5, 2));
  EXPECT_TRUE(dropped.dropped_single_row);
  EXPECT_EQ(dropped.outcome, Outcome::finished);
  auto black = images_of(4, 4);
  black.train.zero_();
  black.test.zero_();
  EXPECT_EQ(run(plad_job(), black).epochs.at(0).auc(), 0.5);  // one score for all
}

TEST(Plad, FindsItsLearningRate) {
  auto job = plad_job();
  job.training.batch_size = 2;
  job.training.learning_rate.reset();
  const JobResult result = run(job, images_of(2, 2));
  EXPECT_TRUE(result.found_learning_rate);
}

TEST(Plad, RefusesFeatures) {
  EXPECT_THAT(refusal(plad_job(), small::rows_of(4, 4)), HasSubstr("not images of 3x32x32 bytes"));
  EXPECT_THAT(refusal(small::job(), images_of(4, 4)), HasSubstr("not a float32 table of rows"));
  EXPECT_THAT(refusal(plad_job(), images_of(1, 4)), HasSubstr("at least 2 are needed"));
}

TEST(Plad, ClassifierGradientsAgreeWithCentralDifferences) {
  golden::GivenDraws draws;
  draws.weight = [stream = 300U](const std::string&, at::IntArrayRef shape) mutable {
    return golden::fill(shape, stream++, shape.size() == 4 ? 0.2 : 0.1);
  };
  const plume::Model model = plume::make_plad_model(draws, at::kDouble);
  const at::Tensor images = golden::fill({3, 3072}, 1, 1).to(at::kDouble);
  const auto score = [&] { return model.classify(images, true).logit.square().sum(); };
  constexpr std::size_t kOfClassifier = 7;
  const auto named = model.parameters();
  std::vector<at::Tensor> parameters;
  for (std::size_t i = 0; i < kOfClassifier; ++i) parameters.push_back(named[i].second);
  const auto gradients = plume::gradients_of(score(), parameters);

  const at::NoGradGuard no_grad;
  constexpr double kStep = 1e-7;
  for (std::size_t i = 0; i < kOfClassifier; ++i) {
    const at::Tensor direction =
        golden::fill(parameters[i].sizes(), 400 + static_cast<std::uint32_t>(i), 1).to(at::kDouble);
    parameters[i].add_(direction, kStep);
    const double above = score().item<double>();
    parameters[i].sub_(direction, 2 * kStep);
    const double below = score().item<double>();
    parameters[i].add_(direction, kStep);
    golden::expect_near((gradients[i] * direction).sum().item<double>(), (above - below) / (2 * kStep), 1e-6, 1e-5,
                        named[i].first);
  }
}

/// Sum over the halved maps of each value times its position: gradients that differ from place to place.
at::Tensor gradient_through(const std::function<at::Tensor(const at::Tensor&)>& halve, const at::Tensor& maps) {
  const at::Tensor x = maps.clone().set_requires_grad(true);
  const at::Tensor y = halve(x);
  return plume::gradients_of((y * (at::arange(y.numel(), at::kFloat).view(y.sizes()) + 1)).sum(), {x})[0];
}

TEST(HalvedByComparisons, IsTheMaximumPoolWithItsGradients) {
  at::Tensor maps = golden::fill({2, 3, 6, 8}, 5, 1);
  maps[0][0].fill_(0.25);                               // all of a 2x2 tie
  maps[0][1] = (maps[0][1] * 2).round();                // some do
  maps[1][2][0][3] = maps[1][2][5][0] = std::nanf("");  // a NaN wins, wherever it is
  const at::Tensor expected = plume::halved(maps), halved = plume::halved_by_comparisons(maps);
  EXPECT_TRUE(at::allclose(halved, expected, 0, 0, /*equal_nan=*/true));
  EXPECT_EQ(halved.isnan().sum().item<std::int64_t>(), 2);
  EXPECT_TRUE(at::equal(gradient_through(plume::halved_by_comparisons, maps), gradient_through(plume::halved, maps)));
}

}  // namespace
