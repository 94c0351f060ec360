// Products of few rows with a weight, against their definition in doubles and, as an operation of autograd, against
// LibTorch's.
#include "plume/skinny_product.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <random>
#include <vector>

#include "plume/skinny_linear.hpp"
#include "plume/vectors.hpp"
#include "tests/plume/in_shares.hpp"

namespace plume {
namespace {

std::vector<float> normals(std::int64_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (auto& value : values) value = normal(engine);
  return values;
}

struct Shape {
  std::int64_t rows, in, out;
};

std::string name_of(const Shape& shape) {
  return std::to_string(shape.rows) + " rows, " + std::to_string(shape.in) + " to " + std::to_string(shape.out);
}

/// x W^T + bias as SkinnyForward makes it, in so many shares, the last first.
std::vector<float> forward(const std::string& kind, const Shape& shape, const float* bias, std::int64_t shares = 1) {
  const auto [rows, in, out] = shape;
  const auto x = normals(rows * in, 1), weight = normals(out * in, 2);
  std::vector<float> y(static_cast<std::size_t>(rows * out), NAN);
  SkinnyForward product(kind);
  product.lay_out(x.data(), rows, in, in_shares(shares));
  in_shares(shares)(product.blocks(out), [&](std::int64_t begin, std::int64_t end) {
    product.compute(weight.data(), bias, out, y.data(), begin, end);
  });
  return y;
}

/// dy W as SkinnyGradient makes it.
std::vector<float> input_gradient(const std::string& kind, const Shape& shape, std::int64_t shares = 1) {
  const auto [rows, in, out] = shape;
  const auto dy = normals(rows * out, 3), weight = normals(out * in, 2);
  std::vector<float> dx(static_cast<std::size_t>(rows * in), NAN);
  SkinnyGradient product(kind);
  product.lay_out(dy.data(), rows, out, in_shares(shares));
  in_shares(shares)(product.blocks(in), [&](std::int64_t begin, std::int64_t end) {
    product.compute(weight.data(), in, dx.data(), begin, end);
  });
  return dx;
}

/// A sum of n terms in float32, in any order, is off by less than n + 1 roundings (2^-24) of its terms' magnitudes.
void expect_sum(float found, double sum, double of_terms, std::int64_t n) {
  ASSERT_NEAR(found, sum, static_cast<double>(n + 1) * std::ldexp(of_terms, -24));
}

void expect_forward(const std::string& kind, const Shape& shape) {
  SCOPED_TRACE(name_of(shape));
  const auto [rows, in, out] = shape;
  const auto x = normals(rows * in, 1), weight = normals(out * in, 2), bias = normals(out, 4);
  const auto y = forward(kind, shape, bias.data());
  for (std::int64_t n = 0; n < rows; ++n) {
    for (std::int64_t o = 0; o < out; ++o) {
      double sum = bias[static_cast<std::size_t>(o)], of_terms = std::abs(sum);
      for (std::int64_t k = 0; k < in; ++k) {
        const double term =
            static_cast<double>(x[static_cast<std::size_t>(n * in + k)]) * weight[static_cast<std::size_t>(o * in + k)];
        sum += term;
        of_terms += std::abs(term);
      }
      expect_sum(y[static_cast<std::size_t>(n * out + o)], sum, of_terms, in + 1);
    }
  }
}

void expect_input_gradient(const std::string& kind, const Shape& shape) {
  SCOPED_TRACE(name_of(shape));
  const auto [rows, in, out] = shape;
  const auto dy = normals(rows * out, 3), weight = normals(out * in, 2);
  const auto dx = input_gradient(kind, shape);
  for (std::int64_t n = 0; n < rows; ++n) {
    for (std::int64_t k = 0; k < in; ++k) {
      double sum = 0, of_terms = 0;
      for (std::int64_t o = 0; o < out; ++o) {
        const double term = static_cast<double>(dy[static_cast<std::size_t>(n * out + o)]) *
                            weight[static_cast<std::size_t>(o * in + k)];
        sum += term;
        of_terms += std::abs(term);
      }
      expect_sum(dx[static_cast<std::size_t>(n * in + k)], sum, of_terms, out);
    }
  }
}

class SkinnyProductOf : public testing::TestWithParam<std::string> {};

TEST_P(SkinnyProductOf, AnyBatchUpTo64IsByItsDefinition) {
  for (std::int64_t rows = 1; rows <= kMostSkinnyRows; ++rows) {
    expect_forward(GetParam(), {rows, 37, 53});
    expect_input_gradient(GetParam(), {rows, 37, 53});
  }
}

TEST_P(SkinnyProductOf, AnyShapeIsByItsDefinition) {
  for (const Shape& shape : std::vector<Shape>{{1, 1, 1},
                                               {3, 128, 48},
                                               {4, 127, 49},
                                               {5, 129, 47},
                                               {2, 300, 97},
                                               {7, 24, 512},
                                               {32, 193, 513},
                                               {32, 1024, 6},
                                               {33, 48 * 9 + 1, 1030},
                                               {64, 385, 65}}) {
    expect_forward(GetParam(), shape);
    expect_input_gradient(GetParam(), shape);
  }
}

TEST_P(SkinnyProductOf, SharesOfThreadsAreTheSameBitsAsTheWhole) {
  for (const Shape& shape : std::vector<Shape>{{32, 500, 301}, {17, 1000, 600}, {9, 70, 21}}) {
    for (const std::int64_t shares : {2, 3, 7, 40}) {
      EXPECT_EQ(forward(GetParam(), shape, nullptr), forward(GetParam(), shape, nullptr, shares)) << shares;
      EXPECT_EQ(input_gradient(GetParam(), shape), input_gradient(GetParam(), shape, shares)) << shares;
    }
  }
}

TEST_P(SkinnyProductOf, ARowOfABatchIsTheSameBitsInEachBatch) {
  const auto whole = forward(GetParam(), {33, 200, 40}, nullptr), part = forward(GetParam(), {7, 200, 40}, nullptr);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin()));
}

TEST_P(SkinnyProductOf, ASmallerBatchAfterALargerOneIsNotOfItsRest) {
  const auto x = normals(64 * 90, 1), weight = normals(50 * 90, 2);
  SkinnyForward used(GetParam());
  SkinnyGradient used_gradient(GetParam());
  used.lay_out(x.data(), 64, 90);
  used_gradient.lay_out(x.data(), 64, 90);
  std::vector<float> y(3 * 50), dx(3 * 50);
  used.lay_out(normals(3 * 60, 1).data(), 3, 60);
  used.compute(normals(50 * 60, 2).data(), nullptr, 50, y.data(), 0, used.blocks(50));
  used_gradient.lay_out(normals(3 * 61, 3).data(), 3, 61);
  used_gradient.compute(normals(61 * 50, 2).data(), 50, dx.data(), 0, used_gradient.blocks(50));
  EXPECT_EQ(y, forward(GetParam(), {3, 60, 50}, nullptr));
  EXPECT_EQ(dx, input_gradient(GetParam(), {3, 50, 61}));
}

TEST(SkinnyProduct, IsTheSameBitsWithAllVectorsThatHaveFusedMultiplyAdds) {
  const auto kinds = vector_kinds();
  const Shape shape{33, 501, 301};
  for (std::size_t i = 1; i < kinds.size(); ++i) {
    EXPECT_EQ(forward(kinds[i], shape, nullptr), forward("", shape, nullptr)) << kinds[i];
    EXPECT_EQ(input_gradient(kinds[i], shape), input_gradient("", shape)) << kinds[i];
  }
}

INSTANTIATE_TEST_SUITE_P(EveryKind, SkinnyProductOf, testing::ValuesIn(vector_kinds()),
                         [](const auto& kind) { return kind.param; });

TEST(SkinnyLinear, HasTheGradientsThatLibTorchsLinearHas) {
  at::manual_seed(1);
  const at::Tensor weight = at::randn({203, 301}), factor = at::randn({32, 203});
  const auto results_of = [&](const auto& layer) {
    at::manual_seed(2);
    const at::Tensor x = at::randn({32, 301}).requires_grad_(), bias = at::randn({203}).requires_grad_();
    const at::Tensor y = layer(x, bias);
    auto gradients = torch::autograd::grad({(y * factor).sum()}, {x, bias});
    return std::vector<at::Tensor>{y.detach(), gradients[0], gradients[1]};
  };
  const auto ours = results_of([&](const auto& x, const auto& bias) { return skinny_linear(x, weight, bias); });
  const auto theirs = results_of([&](const auto& x, const auto& bias) { return at::linear(x, weight, bias); });
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_LT((ours[i] - theirs[i]).abs().max().item<double>(), 2e-5 * theirs[i].abs().max().item<double>()) << i;
  }
}

TEST(SkinnyLinear, AsksForNoGradientThatNobodyWants) {
  const at::Tensor weight = at::randn({203, 301}), bias = at::randn({203});
  EXPECT_FALSE(skinny_linear(at::randn({4, 301}), weight, bias).requires_grad());
  const at::Tensor wanted = bias.clone().requires_grad_();
  const auto gradients = torch::autograd::grad({skinny_linear(at::randn({4, 301}), weight, wanted).sum()}, {wanted});
  EXPECT_TRUE(at::equal(gradients[0], at::full({203}, 4)));
}

TEST(SkinnyLinear, TakesRowsThatAreNotContiguous) {
  at::manual_seed(1);
  const at::Tensor weight = at::randn({203, 301}), across = at::randn({301, 32});
  EXPECT_TRUE(at::equal(skinny_linear(across.t(), weight, {}), skinny_linear(across.t().contiguous(), weight, {})));
}

TEST(SkinnyLinear, IsTheSameBitsForAnyNumberOfThreads) {
  at::manual_seed(1);
  const at::Tensor x = at::randn({32, 301}), dy = at::randn({32, 203}), weight = at::randn({203, 301});
  std::vector<at::Tensor> y, dx;
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    y.push_back(skinny_linear(x, weight, {}));
    dx.push_back(skinny_input_gradient(dy, weight));
  }
  at::set_num_threads(1);
  for (const std::size_t i : {1, 2}) {
    EXPECT_TRUE(at::equal(y[0], y[i]));
    EXPECT_TRUE(at::equal(dx[0], dx[i]));
  }
}

TEST(SkinnyLinear, IsForFewRowsOfFloat32AndALargeWeight) {
  const at::Tensor weight = at::zeros({512, 1024});
  EXPECT_TRUE(is_skinny(at::zeros({64, 1024}), weight));
  EXPECT_FALSE(is_skinny(at::zeros({65, 1024}), weight));
  EXPECT_FALSE(is_skinny(at::zeros({7, 1024}), weight));
  EXPECT_FALSE(is_skinny(at::zeros({64, 1024}, at::kDouble), weight.to(at::kDouble)));
  EXPECT_FALSE(is_skinny(at::zeros({64, 1024}), at::zeros({1, 1024})));
  EXPECT_FALSE(is_skinny(at::zeros({64, 100}), at::zeros({100, 100})));
}

}  // namespace
}  // namespace plume
