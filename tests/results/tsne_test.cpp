// t-SNE against what defines it: perplexities, the gradient of its divergence, and clusters that must stay clusters.
#include "results/tsne.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "results/tsne_kernels.hpp"
#include "storage/digest.hpp"
#include "sweeps/random_stream.hpp"

namespace {

using testing::Each;
using testing::ElementsAre;

std::vector<float> random_rows(std::size_t n, std::size_t length, std::uint64_t seed = 1) {
  std::vector<float> rows(n * length);
  sweeps::RandomStream(seed, "", "", "rows").fill_uniform(0, 0, -1, 1, rows);
  return rows;
}

/// Row i around the centre of cluster i % clusters; the centres differ in every tenth coordinate.
std::vector<float> clustered_rows(std::size_t n, std::size_t length, std::size_t clusters) {
  std::vector<float> rows = random_rows(n, length);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = i % clusters; k < length; k += clusters) rows[i * length + k] += 5;
  }
  return rows;
}

std::vector<double> positions_of(const std::vector<float>& rows, std::size_t n, const results::TsneSettings& settings) {
  const auto affinities = results::tsne_affinities(rows, n, rows.size() / n, results::tsne_perplexity(n));
  return results::tsne(affinities, n, settings).positions;
}

std::size_t nearest(const std::vector<double>& positions, std::size_t dimensions, std::size_t i) {
  std::size_t best = i;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < positions.size() / dimensions; ++j) {
    double distance = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
      distance += std::pow(positions[i * dimensions + d] - positions[j * dimensions + d], 2);
    }
    if (j != i && distance < least) {
      least = distance;
      best = j;
    }
  }
  return best;
}

TEST(Tsne, DistancesAreThoseOfTheRowsUpToOneFactor) {
  // Rows (0, 0), (3, 4), (6, 8): squared distances 25, 100, 25.
  const auto distances = results::squared_distances(std::vector<float>{0, 0, 3, 4, 6, 8}, 3, 2);
  EXPECT_EQ(distances[0], 0);
  EXPECT_EQ(distances[2] / distances[1], 4);
  EXPECT_EQ(distances[1], distances[3]);
  EXPECT_EQ(distances[1], distances[5]);
  // 1,100 numbers: more than are added up in floats, and no whole number of lanes.
  const auto rows = random_rows(2, 1100);
  double expected = 0;
  for (std::size_t k = 0; k < 1100; ++k) expected += std::pow(double{rows[k]} - double{rows[1100 + k]}, 2);
  EXPECT_NEAR(results::squared_distances(rows, 2, 1100)[1], expected, 1e-5 * expected);
}

TEST(Tsne, EveryRowHasThePerplexityThatWasAskedFor) {
  constexpr std::size_t kPoints = 101;
  for (const double perplexity : {1.5, 5.0, 30.0, 60.0}) {
    const auto affinities = results::conditional_affinities(
        results::squared_distances(random_rows(kPoints, 7), kPoints, 7), kPoints, perplexity);
    for (std::size_t i = 0; i < kPoints; ++i) {
      double sum = 0, entropy = 0;
      for (std::size_t j = 0; j < kPoints; ++j) {
        const double p = affinities[i * kPoints + j];
        sum += p;
        if (p > 0) entropy -= p * std::log(p);
      }
      EXPECT_NEAR(sum, 1, 1e-12);
      EXPECT_NEAR(entropy, std::log(perplexity), 2e-5) << i;
      EXPECT_EQ(affinities[i * kPoints + i], 0);
    }
  }
}

TEST(Tsne, OfThreePointsHasTheAffinitiesThatAreKnown) {
  // Squared distances 0, 1, 2 of point 0: p(1|0) = 1 / (1 + exp(-beta)), at perplexity 1.5.
  const auto p = results::conditional_affinities({0, 1, 2, 1, 0, 4, 2, 4, 0}, 3, 1.5);
  const double entropy = -p[1] * std::log(p[1]) - p[2] * std::log(p[2]);
  EXPECT_NEAR(entropy, std::log(1.5), 1e-5);
  EXPECT_GT(p[1], p[2]);
  const auto joint = results::joint_affinities(p, 3);
  EXPECT_DOUBLE_EQ(joint[1], (p[1] + p[3]) / 6);
  EXPECT_EQ(joint[1], joint[3]);
  double sum = 0;
  for (const double value : joint) sum += value;
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Tsne, GradientIsThatOfTheDivergence) {
  constexpr std::size_t kPoints = 13;
  const auto affinities = results::tsne_affinities(random_rows(kPoints, 5), kPoints, 5, 4);
  for (const int dimensions : {2, 3}) {
    std::vector<double> positions;
    for (const float value : random_rows(kPoints, static_cast<std::size_t>(dimensions), 2)) positions.push_back(value);
    const auto gradient = results::tsne_gradient(affinities, positions, dimensions);
    for (std::size_t k = 0; k < positions.size(); ++k) {
      constexpr double kStep = 1e-5;
      const double before = positions[k];
      positions[k] = before + kStep;
      const double above = results::tsne_divergence(affinities, positions, dimensions);
      positions[k] = before - kStep;
      const double below = results::tsne_divergence(affinities, positions, dimensions);
      positions[k] = before;
      EXPECT_NEAR(gradient[k], (above - below) / (2 * kStep), 1e-8) << k;
    }
  }
}

TEST(Tsne, DivergenceOfTwoPairsIsAsReckonedByHand) {
  // Positions 0, 1, 3 on a line: w = 1/2, 1/10, 1/5; Z = 2 (0.8) = 1.6; q = 5/16, 1/16, 1/8; all p are 1/6.
  const double third = 1.0 / 6;
  const std::vector<double> affinities = {0, third, third, third, 0, third, third, third, 0};
  const double expected = 2 * third * (std::log(third * 16 / 5) + std::log(third * 16) + std::log(third * 8));
  EXPECT_NEAR(results::tsne_divergence(affinities, {0, 0, 1, 0, 3, 0}, 2), expected, 1e-14);
}

TEST(Tsne, KeepsClustersTogetherAndItsDivergenceFalls) {
  constexpr std::size_t kPoints = 200, kClusters = 5;
  const auto affinities = results::tsne_affinities(clustered_rows(kPoints, 50, kClusters), kPoints, 50, 30);
  for (const int dimensions : {2, 3}) {
    const auto begun = results::tsne(affinities, kPoints, {dimensions, 0, 7});
    const auto half = results::tsne(affinities, kPoints, {dimensions, 400, 7});
    const auto whole = results::tsne(affinities, kPoints, {dimensions, 1000, 7});
    EXPECT_GT(begun.divergence, half.divergence);
    EXPECT_GT(half.divergence, whole.divergence);
    for (std::size_t i = 0; i < kPoints; ++i) {
      const auto other = nearest(whole.positions, static_cast<std::size_t>(dimensions), i);
      EXPECT_EQ(other % kClusters, i % kClusters) << i;
    }
  }
}

TEST(Tsne, OfTheSameSeedIsTheSameAndOfAnotherIsAnother) {
  const auto rows = random_rows(60, 9);
  EXPECT_EQ(positions_of(rows, 60, {2, 300, 1}), positions_of(rows, 60, {2, 300, 1}));
  EXPECT_NE(positions_of(rows, 60, {2, 300, 1}), positions_of(rows, 60, {2, 300, 2}));
}

TEST(Tsne, HasTheSameBitsOnEveryMachine) {
  const auto digest = [](int dimensions) {
    const auto positions = positions_of(random_rows(50, 21), 50, {dimensions, 300, 3});
    const auto* bytes = reinterpret_cast<const char*>(positions.data());
    return storage::hex(storage::sha256({bytes, positions.size() * sizeof(double)}), 8);
  };
  EXPECT_EQ(digest(2), "d93fcd941b2950b9");
  EXPECT_EQ(digest(3), "d8f48d5dbcb6c64c");
}

TEST(Tsne, HasTheSameBitsWithEveryKindOfVector) {
  constexpr std::size_t kLength = 64;
  const auto rows = random_rows(2, 1024);
  std::vector<double> distances, x, y, z;
  for (const float value : random_rows(4, kLength, 3))
    (x.size() < kLength ? x : y.size() < kLength ? y : z.size() < kLength ? z : distances).push_back(value);
  for (double& distance : distances) distance = 1 + distance;
  const auto& first = results::tsne_kernels().front();
  std::vector<double> expected(kLength), found(kLength);
  const auto spread = first.spread(distances.data(), kLength, 0.01, 3.7, expected.data());
  const double* at[] = {x.data(), y.data(), z.data()};
  for (const auto& kernels : results::tsne_kernels()) {
    EXPECT_EQ(kernels.squared_distance(rows.data(), rows.data() + 1024, 1024),
              first.squared_distance(rows.data(), rows.data() + 1024, 1024));
    const auto again = kernels.spread(distances.data(), kLength, 0.01, 3.7, found.data());
    EXPECT_EQ(again.sum, spread.sum);
    EXPECT_EQ(again.mean, spread.mean);
    EXPECT_EQ(found, expected);
    const auto flat = kernels.pull_in_2d(5, distances.data(), at, kLength);
    const auto flat_before = first.pull_in_2d(5, distances.data(), at, kLength);
    const auto deep = kernels.pull_in_3d(5, distances.data(), at, kLength);
    const auto deep_before = first.pull_in_3d(5, distances.data(), at, kLength);
    EXPECT_EQ(flat.weights, flat_before.weights);
    EXPECT_EQ(deep.weights, deep_before.weights);
    for (int d = 0; d < 3; ++d) {
      EXPECT_EQ(flat.attraction[d], flat_before.attraction[d]);
      EXPECT_EQ(flat.repulsion[d], flat_before.repulsion[d]);
      EXPECT_EQ(deep.attraction[d], deep_before.attraction[d]);
      EXPECT_EQ(deep.repulsion[d], deep_before.repulsion[d]);
    }
  }
}

TEST(Tsne, ExponentialsAreNearThoseOfTheLibrary) {
  std::vector<double> distances, affinities(4096);
  for (int k = 0; k < 4096; ++k) distances.push_back(k * 0.2);
  const auto spread = results::tsne_kernels().back().spread(distances.data(), 4096, 0, 1, affinities.data());
  for (std::size_t k = 0; k < 4096; ++k) {
    const double expected = distances[k] > 700 ? 0 : std::exp(-distances[k]);
    EXPECT_NEAR(affinities[k], expected, 1e-15 * expected) << k;
  }
  EXPECT_NEAR(spread.sum, 1 / (1 - std::exp(-0.2)), 1e-12);
}

TEST(Tsne, IsDefinedForFewPoints) {
  for (const int dimensions : {2, 3}) {
    for (std::size_t n = 0; n <= 9; ++n) {
      const auto affinities = results::tsne_affinities(random_rows(n, 4), n, 4, results::tsne_perplexity(n));
      const auto picture = results::tsne(affinities, n, {dimensions, 1000, 0});
      EXPECT_EQ(picture.positions.size(), n * static_cast<std::size_t>(dimensions));
      for (const double y : picture.positions) EXPECT_TRUE(std::isfinite(y)) << n;
      EXPECT_TRUE(std::isfinite(picture.divergence));
    }
  }
  EXPECT_THAT(results::tsne({0}, 1, {2, 1000, 0}).positions, ElementsAre(0, 0));
}

TEST(Tsne, IsDefinedForPointsThatCoincide) {
  constexpr std::size_t kPoints = 80;
  std::vector<std::vector<float>> all{std::vector<float>(kPoints * 3, 2.5F), std::vector<float>(kPoints * 3, 0)};
  all.push_back(random_rows(kPoints, 3));
  for (std::size_t k = 0; k < 60 * 3; ++k) all.back()[k] = all.back()[k % 3];  // more than the perplexity
  all.push_back(all.back());
  for (std::size_t k = 60 * 3; k < all.back().size(); ++k) all.back()[k] *= 1e30F;
  all.push_back(random_rows(kPoints, 3));
  for (float& value : all.back()) value *= std::numeric_limits<float>::max();
  all.push_back(random_rows(kPoints, 3));
  for (float& value : all.back()) value *= std::numeric_limits<float>::denorm_min() * 8;
  for (const auto& rows : all) {
    const auto affinities = results::tsne_affinities(rows, kPoints, 3, 20);
    EXPECT_THAT(affinities, Each(testing::AllOf(testing::Ge(0), testing::Le(1))));
    for (const double y : results::tsne(affinities, kPoints, {2, 300, 0}).positions) EXPECT_TRUE(std::isfinite(y));
  }
}

TEST(Tsne, RefusesWhatIsNotFiniteOrOfAnotherSize) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    EXPECT_THROW(results::tsne_affinities(std::vector<float>{0, bad}, 2, 1, 1), std::invalid_argument);
  }
  EXPECT_THROW(results::tsne_affinities(std::vector<float>{0, 1, 2}, 2, 1, 1), std::invalid_argument);
  EXPECT_THROW(results::tsne_affinities(std::vector<float>(2001), 2001, 1, 30), std::invalid_argument);
  EXPECT_THROW(results::tsne({0, 1, 1, 0}, 2, {4, 10, 0}), std::invalid_argument);
  EXPECT_THROW(results::tsne({0, 1, 1}, 2, {2, 10, 0}), std::invalid_argument);
}

TEST(Tsne, TakesAPerplexityThatFitsThePoints) {
  EXPECT_EQ(results::tsne_perplexity(2000), 30);
  EXPECT_EQ(results::tsne_perplexity(91), 30);
  EXPECT_EQ(results::tsne_perplexity(31), 10);
  EXPECT_EQ(results::tsne_perplexity(2), 1);
  EXPECT_EQ(results::tsne_perplexity(0), 1);
}

}  // namespace
