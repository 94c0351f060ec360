// The training-free baselines: numbers checked by hand, against plain formulas and against one another; refusals.
#include "plume/baselines.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "plume/k_means.hpp"
#include "plume/ledoit_wolf.hpp"
#include "plume/mahalanobis.hpp"
#include "plume/mean_distance.hpp"
#include "plume/nearest_neighbours.hpp"
#include "storage/error.hpp"
#include "tests/plume/golden_files.hpp"

namespace {

using sweeps::FeatureScaling;
using sweeps::Job;
using sweeps::Method;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using Scores = std::vector<double>;

constexpr auto kRaw = FeatureScaling::raw;
constexpr auto kL2 = FeatureScaling::l2;
const auto kSilent = [] {};

at::Tensor rows_of(const std::vector<float>& values, std::int64_t length) {
  return at::tensor(values).view({-1, length});
}

/// Pairwise Euclidean distances [m, n] by the plainest formula.
at::Tensor plain_distances(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble).unsqueeze(1) - b.to(at::kDouble).unsqueeze(0)).square().sum(2).sqrt();
}

void expect_scores(const Scores& scores, const at::Tensor& expected, double relative = 1e-13) {
  golden::expect_near(at::tensor(scores, at::kDouble), expected, 0, relative, "scores");
}

template <typename F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const storage::Error& error) {
    return error.what();
  }
  return "not refused";
}

// --- All of them
// ----------------------------------------------------------------------------------------------------------------------

class Baseline : public testing::TestWithParam<std::tuple<Method, FeatureScaling>> {
 protected:
  Baseline() {
    job_.dataset = "synthetic";
    job_.normal_class = "disk";
    job_.method = std::get<0>(GetParam());
    job_.baseline.scaling = std::get<1>(GetParam());
    job_.baseline.clusters = 4;
  }

  Scores scores(const at::Tensor& train, const at::Tensor& test) const {
    return plume::baseline_scores(job_, train, test, kSilent);
  }

  Job job_;
};

INSTANTIATE_TEST_SUITE_P(Each, Baseline,
                         testing::Combine(testing::Values(Method::knn, Method::mean_distance, Method::mahalanobis,
                                                          Method::k_means),
                                          testing::Values(kRaw, kL2)),
                         [](const auto& each) {
                           std::string name(sweeps::name_of(std::get<0>(each.param)));
                           std::erase(name, '-');
                           return name + "_" + std::string(sweeps::name_of(std::get<1>(each.param)));
                         });

TEST_P(Baseline, GivesTheSameBitsTwiceAndWhateverRowsAreScoredTogether) {
  const at::Tensor train = golden::fill({300, 33}, 1, 1), test = golden::fill({530, 33}, 2, 2);  // several pieces
  const Scores together = scores(train, test);
  ASSERT_EQ(together.size(), 530U);
  EXPECT_EQ(scores(train, test), together);
  for (const std::int64_t row : {0, 1, 7, 15, 16, 255, 256, 511, 512, 529})
    EXPECT_EQ(scores(train, test.narrow(0, row, 1)), Scores{together[row]}) << "row " << row;
}

TEST_P(Baseline, FollowsAChangeOfUnit) {
  const at::Tensor train = golden::fill({40, 9}, 1, 1), test = golden::fill({20, 9}, 2, 2);
  const bool has_unit = job_.method != Method::mahalanobis && job_.baseline.scaling == kRaw;
  Scores expected = scores(train, test);
  for (double& score : expected) score *= has_unit ? 4 : 1;
  EXPECT_EQ(scores(train * 4, test * 4), expected);  // a power of two: no rounding
}

TEST_P(Baseline, RanksAWellSeparatedAnomalyBelowEveryNormalRow) {
  const at::Tensor offset = golden::fill({1, 12}, 5, 4);
  const at::Tensor train = golden::fill({60, 12}, 1, 1) + offset, normal = golden::fill({30, 12}, 2, 1) + offset;
  const Scores far = scores(train, golden::fill({30, 12}, 3, 1) - offset), near = scores(train, normal);
  EXPECT_LT(*std::max_element(far.begin(), far.end()), *std::min_element(near.begin(), near.end()));
}

TEST_P(Baseline, ReportsProgressWithinTheFitAndWithinTheScoring) {
  const auto calls = [&](std::int64_t n, std::int64_t m) {
    int count = 0;
    plume::baseline_scores(job_, golden::fill({n, 6}, 1, 1), golden::fill({m, 6}, 2, 1), [&] { ++count; });
    return count;
  };
  job_.baseline.clusters = 1;  // two Lloyd rounds, whatever the rows
  EXPECT_GT(calls(700, 10), calls(100, 10));
  EXPECT_GT(calls(100, 700), calls(100, 10));
}

TEST(BaselineScores, RefuseAMethodThatIsTrained) {
  const at::Tensor rows = golden::fill({4, 2}, 1, 1);
  EXPECT_THAT(refusal([&] { plume::baseline_scores(Job{}, rows, rows, kSilent); }), HasSubstr("plume is no baseline"));
}

// --- Nearest neighbours
// ----------------------------------------------------------------------------------------------------------------------

TEST(NearestNeighbours, AverageTheDistancesToTheNearest) {
  const at::Tensor train = rows_of({0, 0, 3, 4, 30, 40}, 2);
  EXPECT_THAT(plume::neighbour_scores({2, kRaw}, train, rows_of({0, 0, 6, 8}, 2), kSilent),
              ElementsAre(-2.5, -7.5));  // (0 + 5) / 2, (5 + 10) / 2
}

TEST(NearestNeighbours, CompareDirectionsWhenScaledByTheNorm) {
  const at::Tensor train = rows_of({1, 0, 0, 7}, 2);
  EXPECT_THAT(plume::neighbour_scores({1, kL2}, train, rows_of({5, 0, 0, 0}, 2), kSilent),
              ElementsAre(0, -1));  // the zero row stays zero
  // Nothing is too small to have a direction.
  EXPECT_THAT(plume::neighbour_scores({1, kL2}, train, rows_of({0, 1e-40F}, 2), kSilent), ElementsAre(0));
}

TEST(NearestNeighbours, KeepEveryDigitOfASmallDistanceFarFromTheOrigin) {
  const at::Tensor train = golden::fill({50, 64}, 3, 1);
  train.select(1, 0).add_(1048576.F);  // squares of 2^40: |a|^2 + |b|^2 - 2 a.b keeps nothing below 2^-12
  const at::Tensor test = train.narrow(0, 7, 1).clone();
  EXPECT_EQ(plume::neighbour_scores({1, kRaw}, train, test, kSilent)[0], 0);
  test[0][5] += 0.0009765625F;
  const double distance = test[0][5].item<double>() - train[7][5].item<double>();
  EXPECT_EQ(plume::neighbour_scores({1, kRaw}, train, test, kSilent)[0], -distance);
}

TEST(NearestNeighbours, AreFoundAmongRowsThatTheExpansionCannotTellApart) {
  const at::Tensor test = golden::fill({1, 1024}, 3, 1) + 1048576.F, train = test.repeat({8, 1});
  for (std::int64_t nearest = 0; nearest < 8; ++nearest) {
    for (std::int64_t row = 0; row < 8; ++row)
      train[row][9] = test[0][9] + static_cast<float>((row + 8 - nearest) % 8 + 1) * 0.125F;
    EXPECT_THAT(plume::neighbour_scores({1, kRaw}, train, test, kSilent), ElementsAre(-0.125)) << nearest;
  }
}

TEST(NearestNeighbours, AgreeWithBruteForceOverSeveralPieces) {
  const at::Tensor train = golden::fill({4200, 10}, 3, 1), test = golden::fill({300, 10}, 4, 1);
  const at::Tensor nearest = std::get<0>(plain_distances(test, train).topk(3, 1, /*largest=*/false));
  expect_scores(plume::neighbour_scores({3, kRaw}, train, test, kSilent), -nearest.mean(1));
}

TEST(NearestNeighbours, AreAtMostAsManyAsTheTrainingRows) {
  const at::Tensor train = rows_of({0, 3}, 1), test = rows_of({1}, 1);
  EXPECT_THAT(plume::neighbour_scores({2, kRaw}, train, test, kSilent), ElementsAre(-1.5));
  for (const int k : {0, 3})
    EXPECT_THAT(refusal([&] {
                  plume::neighbour_scores({k, kRaw}, train, test, kSilent);
                }),
                HasSubstr("expected 1 to 2, the number of training rows"));
}

// --- Mean distance
// ----------------------------------------------------------------------------------------------------------------------

TEST(MeanDistance, IsTheEuclideanDistanceToTheMean) {
  const at::Tensor train = rows_of({0, 0, 2, 0, 1, 3}, 2);  // mean (1, 1)
  EXPECT_THAT(plume::mean_distance_scores(kRaw, train, rows_of({1, 1, 4, 5}, 2), kSilent), ElementsAre(0, -5));
}

TEST(MeanDistance, AveragesDirectionsWhenScaledByTheNorm) {
  const at::Tensor train = rows_of({4, 0, 0, 0}, 2);  // directions (1, 0) and none: mean (0.5, 0)
  EXPECT_THAT(plume::mean_distance_scores(kL2, train, rows_of({9, 0}, 2), kSilent), ElementsAre(-0.5));
}

TEST(MeanDistance, IsExactlyZeroForTheOnlyRowThereIs) {
  const at::Tensor row = golden::fill({1, 50}, 1, 1);
  for (const auto scaling : {kRaw, kL2})
    EXPECT_THAT(plume::mean_distance_scores(scaling, row.repeat({30, 1}), row, kSilent), ElementsAre(0));
}

TEST(MeanDistance, AgreesWithBruteForceOverSeveralPieces) {
  const at::Tensor train = golden::fill({700, 20}, 1, 1), test = golden::fill({300, 20}, 2, 1);
  const at::Tensor mean = train.to(at::kDouble).mean(0, /*keepdim=*/true);
  expect_scores(plume::mean_distance_scores(kRaw, train, test, kSilent), -plain_distances(test, mean).squeeze(1));
}

// --- Mahalanobis
// ----------------------------------------------------------------------------------------------------------------------

TEST(LedoitWolf, ShrinksAHandCheckableExample) {
  const auto shrunk = plume::ledoit_wolf(rows_of({2, 0, -2, 0, 0, 1, 0, -1}, 2), kRaw, kSilent);
  // S = diag(2, 1/2), mu = 5/4, d^2 = 9/16; mean |x|^4 = 34/4, |S|^2 = 17/4, b^2 = (34/4 - 17/4) / (4 * 2) = 17/32.
  EXPECT_EQ(shrunk.mu, 1.25);
  EXPECT_DOUBLE_EQ(shrunk.shrinkage, 17. / 18);
  EXPECT_DOUBLE_EQ(shrunk.covariance[0][0].item<double>(), 31. / 24);
  EXPECT_DOUBLE_EQ(shrunk.covariance[1][1].item<double>(), 29. / 24);
  EXPECT_EQ(shrunk.covariance[1][0].item<double>(), 0);
  EXPECT_EQ(plume::ledoit_wolf(rows_of({1, 2, 6}, 1), kRaw, kSilent).shrinkage, 0);  // of one feature
}

TEST(LedoitWolf, AgreesWithItsDefinitionOverSeveralPiecesAndBlocks) {
  const at::Tensor rows = golden::fill({300, 600}, 1, 1) + golden::fill({1, 600}, 2, 5);
  rows.mul_(golden::fill({1, 600}, 3, 1));
  const auto shrunk = plume::ledoit_wolf(rows, kRaw, kSilent);

  const at::Tensor x = rows.to(at::kDouble) - rows.to(at::kDouble).mean(0);
  const at::Tensor s = x.t().mm(x) / 300;
  const double mu = s.trace().item<double>() / 600;
  const at::Tensor target = mu * at::eye(600, at::kDouble);
  double b2 = 0;
  for (std::int64_t k = 0; k < 300; ++k) b2 += (at::outer(x[k], x[k]) - s).square().sum().item<double>();
  const double shrinkage = b2 / 300 / 300 / (s - target).square().sum().item<double>();
  ASSERT_LT(shrinkage, 0.9);
  EXPECT_NEAR(shrunk.shrinkage, shrinkage, 1e-12);
  golden::expect_near(shrunk.covariance.tril(), ((1 - shrinkage) * s + shrinkage * target).tril(), 1e-13 * mu, 1e-12,
                      "covariance");
}

TEST(Mahalanobis, IsADistanceInStandardDeviations) {
  const at::Tensor train = rows_of({2, 0, -2, 0, 0, 1, 0, -1}, 2);  // covariance diag(31/24, 29/24), see above
  EXPECT_THAT(plume::mahalanobis_scores(kRaw, train, rows_of({0, 0, 1, 1}, 2), kSilent),
              ElementsAre(0, DoubleEq(-std::sqrt(24. / 31 + 24. / 29))));
  EXPECT_THAT(plume::mahalanobis_scores(kRaw, rows_of({-3, 5}, 1), rows_of({9}, 1), kSilent),
              ElementsAre(-2));  // two rows of one feature: mean 1, standard deviation 4
}

TEST(Mahalanobis, GivesAConstantFeatureTheShrunkVariance) {
  // S = diag(2, 0), mu = 1, d^2 = 1, b^2 = (18/3 - 4) / (3 * 2) = 1/3: covariance diag(5/3, 1/3).
  const at::Tensor train = rows_of({0, 7, 0, 7, 3, 7}, 2);
  EXPECT_THAT(plume::mahalanobis_scores(kRaw, train, rows_of({1, 8, 6, 7}, 2), kSilent),
              ElementsAre(DoubleEq(-std::sqrt(3)), DoubleEq(-std::sqrt(15))));
}

/// Numbers of NumPy in doubles, with the shrinkage summed over single rows and an inverse where we have a factor.
TEST(Mahalanobis, AgreesWithAnIndependentProgramForFewerAndForMoreRowsThanFeatures) {
  const auto near = [](double score) { return testing::DoubleNear(score, 1e-13); };
  const auto few = plume::mahalanobis_scores(kRaw, golden::fill({5, 7}, 3, 1), golden::fill({3, 7}, 4, 1), kSilent);
  EXPECT_THAT(few, ElementsAre(near(-3.3675880878862055), near(-2.5865725868140927), near(-3.4705562680313067)));
  const auto many = plume::mahalanobis_scores(kRaw, golden::fill({40, 6}, 3, 1), golden::fill({3, 6}, 4, 1), kSilent);
  EXPECT_THAT(many, ElementsAre(near(-2.4968279720052253), near(-2.2293623847152513), near(-2.102741714384061)));
}

TEST(Mahalanobis, DoesNotDependOnTheOriginOrOnTheOrderOfTheFeatures) {
  const at::Tensor train = golden::fill({30, 40}, 1, 1), test = golden::fill({20, 40}, 2, 1);
  const at::Tensor expected = at::tensor(plume::mahalanobis_scores(kRaw, train, test, kSilent), at::kDouble);
  expect_scores(plume::mahalanobis_scores(kRaw, train.flip({1}), test.flip({1}), kSilent), expected, 1e-12);
  const at::Tensor a = (train * 1024).round(), b = (test * 1024).round();  // so that the sums below are exact
  expect_scores(plume::mahalanobis_scores(kRaw, a + 65536, b + 65536, kSilent),
                at::tensor(plume::mahalanobis_scores(kRaw, a, b, kSilent), at::kDouble), 1e-12);
}

TEST(Mahalanobis, RefusesRowsWithoutAnInvertibleCovariance) {
  const auto refused = [](const at::Tensor& train, FeatureScaling scaling = kRaw) {
    return refusal([&] { plume::mahalanobis_scores(scaling, train, train, kSilent); });
  };
  const at::Tensor row = golden::fill({1, 20}, 1, 1);
  EXPECT_THAT(refused(row.repeat({9, 1})), HasSubstr("all 9 training rows are equal"));
  const at::Tensor multiples = at::tensor({1.F, 2.F, 3.F}).unsqueeze(1) * (row * 1024).round();  // of one direction
  EXPECT_THAT(refused(multiples, kL2), HasSubstr("all 3 training rows are equal"));
  EXPECT_THAT(refused(golden::fill({2, 20}, 1, 1)), HasSubstr("covariance of the 2 training rows is singular"));
  EXPECT_THAT(refused(rows_of({1, 1, -1, -1, 1, 1, -1, -1}, 2)), HasSubstr("use more train_rows, or method knn"));
}

// --- k-means
// ----------------------------------------------------------------------------------------------------------------------

sweeps::RandomStream stream(std::uint64_t seed) {
  return {seed, "synthetic", "disk", "k-means"};
}

Scores k_means_scores(int clusters, std::uint64_t seed, const at::Tensor& train, const at::Tensor& test) {
  return plume::k_means_scores({2, kRaw, clusters}, stream(seed), train, test, kSilent);
}

TEST(KMeans, MeasuresTheDistanceToTheNearestCentre) {
  const at::Tensor train = rows_of({0, 1, 10, 11}, 1);  // centres 0.5 and 10.5, whatever the seeds
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_THAT(k_means_scores(2, seed, train, rows_of({3, 10.5, 20}, 1)), ElementsAre(-2.5, 0, -9.5));
}

TEST(KMeans, EndsWhereEveryCentreIsTheMeanOfTheRowsNearestToIt) {
  const at::Tensor rows = golden::fill({700, 5}, 1, 1);
  const auto found = plume::k_means(rows, 6, kRaw, stream(0), kSilent);
  ASSERT_GT(found.rounds, 2);
  ASSERT_LT(found.rounds, 300);
  const at::Tensor cluster = at::tensor(found.cluster);
  EXPECT_TRUE(at::equal(plain_distances(rows, found.centres).argmin(1), cluster));
  for (std::int64_t c = 0; c < 6; ++c)
    golden::expect_near(found.centres[c], rows.to(at::kDouble).index({cluster == c}).mean(0), 1e-14, 0, "centre");
}

TEST(KMeans, WithOneCentreIsTheMeanDistance) {
  const at::Tensor train = golden::fill({300, 8}, 1, 1), test = golden::fill({40, 8}, 2, 1);
  expect_scores(k_means_scores(1, 0, train, test),
                at::tensor(plume::mean_distance_scores(kRaw, train, test, kSilent), at::kDouble));
}

TEST(KMeans, WithACentreForEveryRowIsTheNearestNeighbour) {
  const at::Tensor train = golden::fill({600, 4}, 1, 1), test = golden::fill({40, 4}, 2, 1);
  EXPECT_EQ(k_means_scores(600, 0, train, test), plume::neighbour_scores({1, kRaw}, train, test, kSilent));
  const auto found = plume::k_means(train, 600, kRaw, stream(0), kSilent);
  EXPECT_EQ(found.rounds, 2);
  EXPECT_EQ(std::set(found.cluster.begin(), found.cluster.end()).size(), 600U);
}

TEST(KMeans, DrawsSeedsByTheirSquaredDistancesToThoseBefore) {
  const at::Tensor rows = golden::fill({80, 3}, 1, 1);
  at::Tensor weights = at::ones({80}, at::kDouble), seeds = at::empty({0, 3});
  for (std::uint32_t c = 0; c < 7; ++c) {
    const auto words = stream(5).words(0, c, 0);
    const double uniform = std::ldexp(words[0], -32) + std::ldexp(words[1], -64);
    const at::Tensor sums = weights.cumsum(0);
    seeds = at::cat({seeds, rows[(sums <= uniform * sums[-1]).sum().item<std::int64_t>()].unsqueeze(0)});
    weights = std::get<0>(plain_distances(rows, seeds).min(1)).square();
  }
  const auto expected = plume::lloyd(rows, kRaw, seeds.to(at::kDouble), kSilent);
  EXPECT_TRUE(at::equal(plume::k_means(rows, 7, kRaw, stream(5), kSilent).centres, expected.centres));
}

TEST(KMeans, SeedsFarApart) {
  const at::Tensor groups = rows_of({0, 0, 1000, 0, 0, 1000, 1000, 1000}, 2);
  const at::Tensor train = groups.repeat({25, 1}) + golden::fill({100, 2}, 1, 1);
  for (std::uint64_t seed = 0; seed < 30; ++seed) {  // uniform seeds would miss a group in nine of ten
    const Scores scores = k_means_scores(4, seed, train, groups);
    EXPECT_GT(*std::min_element(scores.begin(), scores.end()), -1) << "seed " << seed;
  }
}

TEST(KMeans, GivesAClusterWithoutRowsTheFarthestRow) {
  const auto centres = [](const at::Tensor& rows, const at::Tensor& from) {
    const auto found = plume::lloyd(rows, kRaw, from.to(at::kDouble), kSilent).centres.contiguous();
    return Scores(found.const_data_ptr<double>(), found.const_data_ptr<double>() + found.numel());
  };
  EXPECT_THAT(centres(rows_of({0, 1, 2, 10}, 1), rows_of({0, 100}, 1)), ElementsAre(1, 10));
  EXPECT_THAT(centres(rows_of({0, -5, 5, 1}, 1), rows_of({0, 100}, 1)), ElementsAre(2, -5));     // the lowest of equals
  EXPECT_THAT(centres(rows_of({1, 1, 8}, 1), rows_of({2, 100, 200}, 1)), ElementsAre(1, 8, 1));  // 8, then a row at 1
  // Not the farthest row, 40: it is alone, and its cluster would be empty in turn.
  EXPECT_THAT(centres(rows_of({0, 2, 40}, 1), rows_of({0, 30, 300}, 1)), ElementsAre(0, 40, 2));
}

TEST(KMeans, EndsWithFewerDistinctRowsThanCentres) {
  const at::Tensor train = rows_of({0, 0, 0, 4, 4}, 1), test = rows_of({1, 4}, 1);
  for (const int clusters : {2, 3, 5}) {
    EXPECT_THAT(k_means_scores(clusters, 0, train, test), ElementsAre(-1, 0));
    const auto found = plume::k_means(train, clusters, kRaw, stream(0), kSilent);
    EXPECT_LE(found.rounds, 3);
    EXPECT_EQ(std::set(found.cluster.begin(), found.cluster.end()).size(), 2U);
  }
  EXPECT_THAT(k_means_scores(3, 0, at::zeros({4, 6}), at::ones({1, 6})), ElementsAre(DoubleEq(-std::sqrt(6))));
}

TEST(KMeans, KeepsEveryDigitOfASmallDistanceFarFromTheOrigin) {
  const at::Tensor train = rows_of({1048576, 0, 1048576, 0, 0, 0}, 2);
  EXPECT_THAT(k_means_scores(2, 0, train, rows_of({1048576, 0x1p-30F}, 2)), ElementsAre(-0x1p-30));
}

TEST(KMeans, DependsOnTheSeedAndOnTheClass) {
  const at::Tensor rows = golden::fill({200, 6}, 1, 1);
  Job job;
  job.method = Method::k_means;
  const auto scores = [&] { return plume::baseline_scores(job, rows, rows, kSilent); };
  const Scores first = scores();
  job.seed = 1;
  EXPECT_NE(scores(), first);
  job.seed = 0;
  EXPECT_EQ(scores(), first);
  job.normal_class = "square";
  EXPECT_NE(scores(), first);
}

TEST(KMeans, RefusesMoreCentresThanRows) {
  const at::Tensor train = golden::fill({4, 2}, 1, 1);
  for (const int clusters : {0, 5})
    EXPECT_THAT(
        refusal([&] { k_means_scores(clusters, 0, train, train); }),
        HasSubstr("clusters is " + std::to_string(clusters) + "; expected 1 to 4, the number of training rows"));
}

}  // namespace
