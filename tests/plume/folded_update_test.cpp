// AdamW of weights whose gradient is never in memory, against the definition in doubles and against LibTorch's kernel.
#include "plume/folded_update.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

#include "plume/adamw.hpp"
#include "plume/skinny_product.hpp"
#include "plume/vectors.hpp"
#include "tests/plume/in_shares.hpp"

namespace plume {
namespace {

constexpr double kLearningRate = 1e-3, kDecay = 0.01, kBeta1 = 0.9, kBeta2 = 0.999, kEps = 1e-8;

AdamWStep step_number(double t) {
  return {static_cast<float>(1 - kLearningRate * kDecay),
          static_cast<float>(1 - kBeta1),
          static_cast<float>(kBeta2),
          static_cast<float>(1 - kBeta2),
          static_cast<float>(kLearningRate / (1 - std::pow(kBeta1, t))),
          static_cast<float>(1 / std::sqrt(1 - std::pow(kBeta2, t))),
          static_cast<float>(kEps)};
}

std::vector<float> normals(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (auto& value : values) value = normal(engine);
  return values;
}

/// A weight [out, in] after a few steps, and passes of some rows each.
struct Layer {
  Layer(std::int64_t rows_out, std::int64_t columns_in, std::vector<std::int64_t> rows_of_passes = {5, 3})
      : out(rows_out),
        in(columns_in),
        weight(normals(size(), 1)),
        first(normals(size(), 2)),
        second(normals(size(), 3)),
        rows(std::move(rows_of_passes)) {
    for (auto& value : second) value *= value;
    for (unsigned i = 0; i < rows.size(); ++i) {
      gradients.push_back(normals(static_cast<std::size_t>(rows[i] * out), 10 + i));
      inputs.push_back(normals(static_cast<std::size_t>(rows[i] * in), 20 + i));
    }
  }
  std::size_t size() const { return static_cast<std::size_t>(out * in); }
  std::vector<LayerPass> passes() const {
    std::vector<LayerPass> list;
    for (std::size_t i = 0; i < rows.size(); ++i) list.push_back({gradients[i].data(), inputs[i].data(), rows[i]});
    return list;
  }
  void update(FoldedUpdate& by, const ShareOut& share_out = do_alone) {
    by.lay_out(passes(), out, in, share_out);
    share_out(by.blocks(), [&](std::int64_t begin, std::int64_t end) {
      by.update({weight.data(), first.data(), second.data()}, step_number(3), begin, end);
    });
  }

  /// The input's gradient of the only pass, and behind it the update.
  std::vector<float> update_behind(FoldedUpdate& by, const ShareOut& share_out = do_alone) {
    std::vector<float> dx(static_cast<std::size_t>(rows[0] * in), NAN);
    by.lay_out(passes(), out, in, share_out);
    share_out(by.blocks(), [&](std::int64_t begin, std::int64_t end) {
      by.update_behind({weight.data(), first.data(), second.data()}, step_number(3), dx.data(), begin, end);
    });
    return dx;
  }

  std::int64_t out, in;
  std::vector<float> weight, first, second;
  std::vector<std::int64_t> rows;
  std::vector<std::vector<float>> gradients, inputs;
};

struct Gradient64 {
  double value, of_terms;  ///< the sum and that of its terms' magnitudes
};

Gradient64 gradient_of(const Layer& layer, std::int64_t r, std::int64_t c) {
  Gradient64 sum{0, 0};
  for (const auto& pass : layer.passes()) {
    for (std::int64_t n = 0; n < pass.rows; ++n) {
      const double term = static_cast<double>(pass.output_gradient[n * layer.out + r]) * pass.input[n * layer.in + c];
      sum.value += term;
      sum.of_terms += std::abs(term);
    }
  }
  return sum;
}

/// A sum of n terms of this size in float32, in any order, is off by less than n of their roundings (2^-24); the update
/// adds some ten roundings of its own, of which 1e-6 allows 16.
void expect_adamw(const Layer& before, const Layer& after) {
  std::int64_t depth = 0;
  for (const std::int64_t rows : before.rows) depth += rows;
  for (std::int64_t i = 0; i < before.out * before.in; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto [g, of_terms] = gradient_of(before, i / before.in, i % before.in);
    const double off = static_cast<double>(depth) * std::ldexp(of_terms, -24);
    const double m = before.first[at] + (1 - kBeta1) * (g - before.first[at]);
    const double v = before.second[at] * kBeta2 + (1 - kBeta2) * g * g;
    ASSERT_NEAR(after.first[at], m, (1 - kBeta1) * off + 1e-6 * std::max(1.0, std::abs(m))) << i;
    ASSERT_NEAR(after.second[at], v, 2 * (1 - kBeta2) * std::abs(g) * off + 1e-6 * std::max(1.0, v)) << i;
    const double root = std::sqrt(after.second[at]) / std::sqrt(1 - std::pow(kBeta2, 3)) + kEps;
    const double p = before.weight[at] * (1 - kLearningRate * kDecay) -
                     kLearningRate / (1 - std::pow(kBeta1, 3)) * after.first[at] / root;
    ASSERT_NEAR(after.weight[at], p, 1e-6 * std::max(1.0, std::abs(p))) << i;
  }
}

class FoldedUpdateOf : public testing::TestWithParam<std::string> {
 protected:
  void expect(const Layer& before) const {
    Layer after = before;
    FoldedUpdate update(GetParam());
    after.update(update);
    expect_adamw(before, after);
  }
};

TEST_P(FoldedUpdateOf, AnyShapeIsAdamWByItsDefinition) {
  for (const auto& [out, in] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 1}, {1, 40}, {6, 32}, {7, 33}, {5, 15}, {13, 100}, {64, 17}, {7, 3072}, {8, 3072 + 19}}) {
    SCOPED_TRACE(std::to_string(out) + " x " + std::to_string(in));
    expect(Layer(out, in));
  }
}

TEST_P(FoldedUpdateOf, AnyBatchAndAnyNumberOfPassesIsAdamWByItsDefinition) {
  for (const auto& rows : std::vector<std::vector<std::int64_t>>{{1}, {2}, {31}, {33}, {32, 32}, {33, 1}, {2, 3, 4}}) {
    SCOPED_TRACE(testing::PrintToString(rows));
    expect(Layer(19, 37, rows));
  }
}

TEST_P(FoldedUpdateOf, SharesOfThreadsAreTheSameBitsAsTheWhole) {
  for (const std::int64_t shares : {2, 3, 9, 40}) {
    Layer whole(50, 70), shared = whole;
    FoldedUpdate update(GetParam()), of_shares(GetParam());
    whole.update(update);
    shared.update(of_shares, in_shares(shares));
    EXPECT_EQ(whole.weight, shared.weight) << shares;
    EXPECT_EQ(whole.first, shared.first) << shares;
    EXPECT_EQ(whole.second, shared.second) << shares;
  }
}

/// dy W by the kernel that makes nothing else.
std::vector<float> input_gradient_of(const Layer& layer, const std::string& kind) {
  std::vector<float> dx(static_cast<std::size_t>(layer.rows[0] * layer.in), NAN);
  SkinnyGradient product(kind);
  product.lay_out(layer.gradients[0].data(), layer.rows[0], layer.out);
  product.compute(layer.weight.data(), layer.in, dx.data(), 0, product.blocks(layer.in));
  return dx;
}

TEST_P(FoldedUpdateOf, BehindTheInputsGradientIsTheSameBitsAsEachAlone) {
  FoldedUpdate update(GetParam());
  for (const auto& [out, in] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 1}, {7, 33}, {8, 48}, {13, 100}, {512, 24}, {513, 49}, {1030, 6}, {9, 768}, {17, 3072 + 19}}) {
    for (const std::int64_t rows : {1, 2, 7, 32, 33, 64}) {
      SCOPED_TRACE(std::to_string(out) + " x " + std::to_string(in) + ", " + std::to_string(rows) + " rows");
      Layer behind(out, in, {rows}), alone = behind;
      EXPECT_EQ(behind.update_behind(update), input_gradient_of(alone, GetParam()));
      alone.update(update);
      EXPECT_EQ(behind.weight, alone.weight);
      EXPECT_EQ(behind.first, alone.first);
      EXPECT_EQ(behind.second, alone.second);
    }
  }
}

TEST_P(FoldedUpdateOf, SharesOfThreadsBehindTheInputsGradientAreTheSameBitsAsTheWhole) {
  for (const std::int64_t shares : {2, 3, 9, 40}) {
    Layer whole(600, 300, {33}), shared = whole;
    FoldedUpdate update(GetParam());
    EXPECT_EQ(whole.update_behind(update), shared.update_behind(update, in_shares(shares))) << shares;
    EXPECT_EQ(whole.weight, shared.weight) << shares;
  }
}

TEST_P(FoldedUpdateOf, AWeightThatIsNotANumberLeavesOtherColumnsAlone) {
  Layer layer(9, 50, {5});  // its last row is a piece of one row, its last column one of two
  layer.weight.back() = NAN;
  FoldedUpdate update(GetParam());
  const auto dx = layer.update_behind(update);
  for (std::size_t i = 0; i < dx.size(); ++i) EXPECT_EQ(std::isnan(dx[i]), i % 50 == 49) << i;
  for (std::size_t i = 0; i + 1 < layer.weight.size(); ++i) EXPECT_FALSE(std::isnan(layer.weight[i])) << i;
}

TEST_P(FoldedUpdateOf, AnInfiniteWeightOfTheLastRowHasTheInputsGradientThatItHasAlone) {
  Layer layer(9, 50, {5});
  layer.weight.back() = INFINITY;
  const auto alone = input_gradient_of(layer, GetParam());
  FoldedUpdate update(GetParam());
  const auto behind = layer.update_behind(update);
  for (std::size_t i = 0; i < behind.size(); ++i) {
    EXPECT_TRUE(behind[i] == alone[i] || (std::isnan(behind[i]) && std::isnan(alone[i]))) << i;
  }
}

TEST_P(FoldedUpdateOf, ASmallerLayerAfterALargerOneIsNotOfItsRest) {
  FoldedUpdate used(GetParam()), fresh(GetParam());
  Layer large(30, 90), small(7, 33), same = small;
  large.update(used);
  small.update(used);
  same.update(fresh);
  EXPECT_EQ(small.weight, same.weight);
}

TEST(FoldedUpdate, IsTheSameBitsWithAllVectorsThatHaveFusedMultiplyAdds) {
  const auto kinds = vector_kinds();
  const Layer before(50, 301, {32, 17});
  Layer best = before;
  FoldedUpdate by_best;
  best.update(by_best);
  for (std::size_t i = 1; i < kinds.size(); ++i) {
    FoldedUpdate by_kind(kinds[i]);
    Layer after = before;
    after.update(by_kind);
    EXPECT_EQ(after.weight, best.weight) << kinds[i];
    Layer one(600, 301, {32}), same = one;
    EXPECT_EQ(one.update_behind(by_kind), same.update_behind(by_best)) << kinds[i];
    EXPECT_EQ(one.weight, same.weight) << kinds[i];
  }
}

INSTANTIATE_TEST_SUITE_P(EveryKind, FoldedUpdateOf, testing::ValuesIn(vector_kinds()),
                         [](const auto& kind) { return kind.param; });

TEST(FoldedAdamW, DoesWhatLibTorchsKernelDoesWithTheGradientInMemory) {
  at::manual_seed(1);
  const at::Tensor x = at::randn({32, 100}), dy = at::randn({32, 70});
  std::vector<at::Tensor> whole{at::randn({70, 100})}, folded{whole[0].clone()};
  AdamW by_kernel(whole, kDecay), by_tiles(folded, kDecay);
  for (int t = 0; t < 20; ++t) {
    const at::Tensor scaled = dy * (1 + 0.1 * t);
    by_kernel.step(std::vector<at::Tensor>{at::mm(scaled.t(), x)}, kLearningRate, kBeta1);
    by_tiles.step(std::vector<Gradient>{FoldedGradient{{{scaled, x}}}}, kLearningRate, kBeta1);
  }
  EXPECT_LT((whole[0] - folded[0]).abs().max().item<double>(), 2e-6);
  const auto a = by_kernel.tensors().named({"w"}), b = by_tiles.tensors().named({"w"});
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_LT(((a[i].second - b[i].second).abs() / a[i].second.abs().clamp_min(1)).max().item<double>(), 1e-5)
        << a[i].first;
  }
}

TEST(FoldedAdamW, IsTheSameBitsForAnyNumberOfThreads) {
  at::manual_seed(1);
  const at::Tensor x = at::randn({32, 301}), dy = at::randn({32, 203}), start = at::randn({203, 301});
  std::vector<at::Tensor> by_threads;
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    by_threads.push_back(start.clone());
    AdamW optimiser({by_threads.back()}, kDecay);
    for (int t = 0; t < 3; ++t) optimiser.step(std::vector<Gradient>{FoldedGradient{{{dy, x}}}}, kLearningRate, kBeta1);
  }
  at::set_num_threads(1);
  EXPECT_TRUE(at::equal(by_threads[0], by_threads[1]));
  EXPECT_TRUE(at::equal(by_threads[0], by_threads[2]));
}

TEST(AdamWTensors, HaveMomentsAtOtherPlacesOfAPageThanTheirParameter) {
  const auto place = [](const at::Tensor& t) { return reinterpret_cast<std::uintptr_t>(t.const_data_ptr()) % 4096; };
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    const AdamWTensors tensors({at::randn({70, 100}, type), at::randn({5}, type)});
    for (std::size_t i = 0; i < tensors.parameters.size(); ++i) {
      const std::uintptr_t here = place(tensors.parameters[i]);
      EXPECT_EQ((place(tensors.first_moments[i]) - here) % 4096, 21 * 64);
      EXPECT_EQ((place(tensors.second_moments[i]) - here) % 4096, 42 * 64);
      EXPECT_TRUE(tensors.second_moments[i].is_contiguous());
      EXPECT_TRUE(at::equal(tensors.second_moments[i], at::zeros_like(tensors.parameters[i])));
    }
  }
}

}  // namespace
}  // namespace plume
