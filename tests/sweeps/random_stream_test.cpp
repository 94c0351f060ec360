// Random streams against Random123's known answers, an independent implementation and their own definition.
#include "sweeps/random_stream.hpp"

#include <Random123/philox.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace sweeps {
namespace {

using ::testing::ElementsAre;
using Words = std::array<std::uint32_t, 4>;

RandomStream shuffle() {
  return {0, "cifar10", "airplane", "shuffle"};
}

std::vector<float> normals(const RandomStream& stream, std::uint32_t epoch, std::uint32_t step, std::size_t count) {
  std::vector<float> out(count);
  stream.fill_normal(epoch, step, out);
  return out;
}

std::vector<float> uniforms(const RandomStream& stream, std::uint32_t epoch, std::uint32_t step, std::size_t count) {
  std::vector<float> out(count);
  stream.fill_uniform(epoch, step, 0, 1, out);
  return out;
}

TEST(Philox, GivesTheKnownAnswersOfRandom123) {
  const auto philox = [](philox4x32_ctr_t counter, philox4x32_key_t key) {
    const auto out = philox4x32_R(10, counter, key);
    return Words{out.v[0], out.v[1], out.v[2], out.v[3]};
  };
  EXPECT_EQ(philox({{0, 0, 0, 0}}, {{0, 0}}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({{ones, ones, ones, ones}}, {{ones, ones}}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, {{0xa4093822, 0x299f31d0}}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The values pinned below are of an implementation of the header's words in Python (hashlib, integers).
TEST(RandomStream, PinsKeyAndCounterLayout) {
  EXPECT_EQ(shuffle().words(0, 0, 0), (Words{0xac999b8b, 0x347285f4, 0x1a6243f1, 0x9a540b48}));
  EXPECT_EQ(shuffle().words(3, 2, (std::uint64_t{1} << 32) + 7),
            (Words{0xe4de1002, 0x617596f5, 0x870e5868, 0x59b12a21}));
}

TEST(RandomStream, PinsNormalsUniformsAndPermutations) {
  const std::vector<float> n = normals(shuffle(), 1, 5, 4);
  EXPECT_FLOAT_EQ(n[0], -1.580457091331482F);
  EXPECT_FLOAT_EQ(n[1], -0.21586866676807404F);
  EXPECT_FLOAT_EQ(n[2], 0.9565929770469666F);
  EXPECT_FLOAT_EQ(n[3], 0.8488031625747681F);
  EXPECT_THAT(uniforms(shuffle(), 1, 5, 4),
              ElementsAre(0.2802082896232605F, 0.5216046571731567F, 0.44141554832458496F, 0.115509033203125F));
  EXPECT_THAT(shuffle().permutation(1, 10), ElementsAre(9, 3, 0, 8, 4, 1, 6, 5, 7, 2));
}

TEST(RandomStream, GivesAnElementWhateverTheLengthOfTheSpan) {
  const std::vector<float> long_normals = normals(shuffle(), 0, 0, 101);
  const std::vector<float> long_uniforms = uniforms(shuffle(), 0, 0, 101);
  for (const std::size_t count : {0, 1, 2, 3, 4, 5, 15, 16, 17, 100}) {
    const auto n = normals(shuffle(), 0, 0, count);
    const auto u = uniforms(shuffle(), 0, 0, count);
    EXPECT_TRUE(std::equal(n.begin(), n.end(), long_normals.begin())) << count;
    EXPECT_TRUE(std::equal(u.begin(), u.end(), long_uniforms.begin())) << count;
  }
}

TEST(RandomStream, GivesAPartTheElementsOfItsPlace) {
  const std::vector<float> all_normals = normals(shuffle(), 2, 1, 101), all_uniforms = uniforms(shuffle(), 2, 1, 101);
  std::vector<float> n(101 - 4 * 7), u(101 - 4 * 7);
  shuffle().fill_normal(2, 1, n, 7);
  shuffle().fill_uniform(2, 1, 0, 1, u, 7);
  EXPECT_TRUE(std::equal(n.begin(), n.end(), all_normals.begin() + 4 * 7));
  EXPECT_TRUE(std::equal(u.begin(), u.end(), all_uniforms.begin() + 4 * 7));
}

TEST(RandomStream, DiffersInEveryPartOfItsNameAndCounter) {
  std::vector<Words> all = {shuffle().words(0, 0, 0), shuffle().words(1, 0, 0), shuffle().words(0, 1, 0),
                            shuffle().words(0, 0, 1), shuffle().words(0, 0, std::uint64_t{1} << 32)};
  all.push_back(RandomStream(1, "cifar10", "airplane", "shuffle").words(0, 0, 0));
  all.push_back(RandomStream(0, "cifar1", "0airplane", "shuffle").words(0, 0, 0));
  all.push_back(RandomStream(0, "cifar10", "ship", "shuffle").words(0, 0, 0));
  all.push_back(RandomStream(0, "cifar10", "airplane", "noise").words(0, 0, 0));
  all.push_back(RandomStream(0, "cifar10", "airplane\",\"shuffle", "").words(0, 0, 0));
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) EXPECT_NE(all[i], all[j]) << i << " " << j;
  }
}

TEST(RandomStream, KeepsUniformsWithinTheirRange) {
  std::vector<float> out(100'000);
  shuffle().fill_uniform(0, 0, -0.25F, 0.75F, out);
  const auto [least, most] = std::minmax_element(out.begin(), out.end());
  EXPECT_GE(*least, -0.25F);
  EXPECT_LT(*most, 0.75F);
  const double mean = std::accumulate(out.begin(), out.end(), 0.0) / 100'000;
  EXPECT_NEAR(mean, 0.25, 0.005) << "standard error 0.0009";
}

TEST(RandomStream, GivesNormalsWithTheMomentsOfNormals) {
  const std::vector<float> out = normals(shuffle(), 0, 0, 200'000);
  double sums[5] = {};
  for (const float x : out) {
    for (int power = 1; power <= 4; ++power) sums[power] += std::pow(x, power) / 200'000;
  }
  EXPECT_NEAR(sums[1], 0, 0.012) << "standard error 0.0022";
  EXPECT_NEAR(sums[2], 1, 0.016) << "standard error 0.0032";
  EXPECT_NEAR(sums[3], 0, 0.045) << "standard error 0.0087";
  EXPECT_NEAR(sums[4], 3, 0.11) << "standard error 0.022";
}

TEST(RandomStream, PermutesEveryElementOnce) {
  for (const std::int64_t n : {0, 1, 2, 5, 1000}) {
    std::vector<std::int64_t> order = shuffle().permutation(7, n);
    std::sort(order.begin(), order.end());
    std::vector<std::int64_t> expected(static_cast<std::size_t>(n));
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(order, expected);
  }
  EXPECT_THROW(shuffle().permutation(0, -1), std::invalid_argument);
}

TEST(RandomStream, FavoursNoOrderOfThree) {
  std::map<std::vector<std::int64_t>, int> counts;
  for (std::uint32_t epoch = 0; epoch < 60'000; ++epoch) ++counts[shuffle().permutation(epoch, 3)];
  ASSERT_EQ(counts.size(), 6U);
  double chi_squared = 0;
  for (const auto& [order, count] : counts) chi_squared += (count - 10'000.0) * (count - 10'000.0) / 10'000.0;
  EXPECT_LT(chi_squared, 20.5) << "5 degrees of freedom, p = 0.001";
}

}  // namespace
}  // namespace sweeps
