// The benchmark's steps on a device compute what those of the CPU compute; with plain loops in the place of kernels.
#include "benchmarks/device_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/around_the_step.hpp"
#include "benchmarks/machine_limits.hpp"
#include "tests/plume/portable_device.hpp"

namespace {

constexpr std::int64_t kDimension = 48, kBatch = 8;

TEST(DeviceSteps, BeginWithTheLossOfEveryOtherWay) {
  const tests::PortableDevice device;
  const double expected = benchmarks::timed_step("ours", kDimension, kBatch, nullptr)->once().loss;
  EXPECT_NEAR(benchmarks::timed_steps_on(device, kDimension, kBatch, 3)->once().loss, expected, 1e-5 * expected);
  for (const char* way : {"adamw", "fused"}) {
    EXPECT_NEAR(benchmarks::timed_step(way, kDimension, kBatch, &device)->once().loss, expected, 1e-5 * expected);
  }
}

TEST(DeviceSteps, AreTimedByTheEpoch) {
  const tests::PortableDevice device;
  const auto steps = benchmarks::timed_steps_on(device, kDimension, kBatch, 3);
  for (int epoch = 0; epoch < 2; ++epoch) {
    const auto seconds = steps->once();
    EXPECT_EQ(seconds.steps, 3);
    EXPECT_GT(seconds.whole, 0);
    EXPECT_FALSE(seconds.parts) << "a graph has no clock in it";
  }
}

TEST(DeviceSteps, OfLibTorchsAreTimedInARowBesideOneWithAClockBetweenItsParts) {
  const tests::PortableDevice device;
  const auto step = benchmarks::timed_step("fused", kDimension, kBatch, &device);
  const double first = step->once().loss;
  const auto seconds = step->once();
  EXPECT_EQ(seconds.steps, 32);
  EXPECT_GT(seconds.whole, 0);
  ASSERT_TRUE(seconds.parts);
  EXPECT_GT(std::min({seconds.parts->forward, seconds.parts->gradient, seconds.parts->update}), 0);
  EXPECT_NE(seconds.loss, first) << "those in a row are steps, too";
}

TEST(DeviceSteps, OnTheCpuAreTimedOneByOneByTheirParts) {
  const auto seconds = benchmarks::timed_step("fused", kDimension, kBatch, nullptr)->once();
  EXPECT_EQ(seconds.steps, 1);
  ASSERT_TRUE(seconds.parts);
  EXPECT_NEAR(seconds.whole, seconds.parts->forward + seconds.parts->gradient + seconds.parts->update, 1e-9);
  EXPECT_EQ(seconds.parts->both, 0) << "LibTorch makes them one after the other";
}

TEST(StepsOfOurs, OnTheCpuSayWhatIsGradientAndUpdateInOne) {
  constexpr std::int64_t kLarge = 192;  // enough for products of our own
  const auto seconds = benchmarks::timed_step("ours", kLarge, 32, nullptr)->once();
  ASSERT_TRUE(seconds.parts);
  const auto [forward, gradient, both, update] = *seconds.parts;
  EXPECT_GT(std::min({forward, gradient, both, update}), 0);
  EXPECT_NEAR(seconds.whole, forward + gradient + both + update, 1e-9);
}

TEST(DeviceSteps, OfOursHaveNoPartsSoNoneAreMadeUp) {
  const tests::PortableDevice device;
  EXPECT_ANY_THROW(benchmarks::timed_step("ours", kDimension, kBatch, &device));
}

TEST(DeviceLimits, AreRates) {
  const tests::PortableDevice device;
  using benchmarks::Product;
  for (const auto product : {Product::forward, Product::input_gradient, Product::weight_gradient}) {
    EXPECT_GT(benchmarks::product_rate(device, product, kBatch, kDimension, 16, 2), 0);
  }
  EXPECT_GT(benchmarks::folded_seconds(device, kBatch, kDimension, 16, 2), 0);
}

TEST(AroundTheStepOnADevice, HasTheSameNames) {
  const tests::PortableDevice device;
  const auto here = benchmarks::around_the_step(kDimension, 256, 100, 1000, nullptr),
             there = benchmarks::around_the_step(kDimension, 256, 100, 1000, &device);
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i].first.starts_with("learning-rate")) continue;  // whole epochs are handed over
    EXPECT_EQ(here[i].first, there[i].first);
    EXPECT_GT(there[i].second, 0);
  }
}

}  // namespace
