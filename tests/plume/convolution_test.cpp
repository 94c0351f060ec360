// A convolution by hand, and the same in floats (fused by oneDNN) and in doubles (plain operations).
#include "plume/convolution.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace plume {
namespace {

/// Two pixels of two channels, [1, 2, 1, 2] channels-last: (1, 2) and (3, -4).
at::Tensor two_pixels(at::ScalarType dtype) {
  return at::tensor({1.0, 2.0, 3.0, -4.0}).to(dtype).view({1, 1, 2, 2}).permute({0, 3, 1, 2});
}

/// Channels a + b + 0.5 and 2a - b - 3: (3.5, -3) and (-0.5, 7) of the two pixels.
FusedConvolution pointwise(at::ScalarType dtype, Activation activation) {
  const at::Tensor weight = at::tensor({1.0, 1.0, 2.0, -1.0}).to(dtype).view({2, 2, 1, 1});
  return {weight, at::tensor({0.5, -3.0}).to(dtype), {}, activation};
}

std::vector<double> pixel_by_pixel(const at::Tensor& images) {
  const at::Tensor values = images.permute({0, 2, 3, 1}).contiguous().to(at::kDouble);
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
}

class ConvolutionOf : public testing::TestWithParam<at::ScalarType> {};

TEST_P(ConvolutionOf, TwoPixelsIsWhatTheHandGives) {
  const auto run = [](Activation activation) {
    return pixel_by_pixel(pointwise(GetParam(), activation)(two_pixels(GetParam())));
  };
  const auto gelu = [](double x) { return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0))); };

  expect_near(run(Activation::none), {3.5, -3, -0.5, 7});
  expect_near(run(Activation::relu), {3.5, 0, 0, 7});
  expect_near(run(Activation::relu6), {3.5, 0, 0, 6});
  expect_near(run(Activation::gelu), {gelu(3.5), gelu(-3), gelu(-0.5), gelu(7)});
}

TEST_P(ConvolutionOf, TwoPixelsIsAddedInPlaceBeforeTheActivation) {
  const auto run = [](Activation activation) {
    at::Tensor sum = at::tensor({-4.0, 10.0, 1.0, -8.0}).to(GetParam()).view({1, 1, 2, 2}).permute({0, 3, 1, 2});
    const at::Tensor same_memory = sum;
    pointwise(GetParam(), activation).add_to(sum, two_pixels(GetParam()));
    return pixel_by_pixel(same_memory);
  };

  expect_near(run(Activation::none), {-0.5, 7, 0.5, -1});
  expect_near(run(Activation::relu), {0, 7, 0.5, 0});
  expect_near(run(Activation::relu6), {0, 6, 0.5, 0});
}

INSTANTIATE_TEST_SUITE_P(Types, ConvolutionOf, testing::Values(at::kFloat, at::kDouble),
                         [](const auto& given) { return std::string(at::toString(given.param)); });

TEST(FusedConvolution, InFloatsIsThatInDoublesRounded) {
  at::manual_seed(0);
  struct Case {
    std::int64_t in, out, kernel;
    ConvolutionShape shape;
  };
  for (const Case& c : {Case{3, 20, 7, {2, 3, 1}}, Case{24, 24, 5, {1, 2, 24}}, Case{24, 24, 6, {2, 2, 24}}}) {
    const at::Tensor weight = at::randn({c.out, c.in / c.shape.groups, c.kernel, c.kernel}, at::kDouble);
    const at::Tensor bias = at::randn({c.out}, at::kDouble);
    const at::Tensor images = at::randn({2, c.in, 13, 18}, at::kDouble).contiguous(at::MemoryFormat::ChannelsLast);

    const at::Tensor doubles = FusedConvolution(weight, bias, c.shape, Activation::none)(images);
    const at::Tensor floats =
        FusedConvolution(weight.to(at::kFloat), bias.to(at::kFloat), c.shape, Activation::none)(images.to(at::kFloat));

    ASSERT_EQ(floats.sizes(), doubles.sizes());
    EXPECT_TRUE(floats.is_contiguous(at::MemoryFormat::ChannelsLast));
    EXPECT_LT((floats.to(at::kDouble) - doubles).norm().item<double>(), 1e-6 * doubles.norm().item<double>());
  }
}

}  // namespace
}  // namespace plume
