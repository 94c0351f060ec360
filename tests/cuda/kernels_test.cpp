// What the kernels of a GPU compute, on the CPU: their source with a block's threads as threads.
#include "plume/cuda/kernels.cu"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "sweeps/random_stream.hpp"

namespace {

using plume::SchedulePoint;
using plume::StepControl;
using plume::cuda::Passes;

std::vector<float> numbers(std::int64_t count, const std::string& name) {
  std::vector<float> values(static_cast<std::size_t>(count));
  sweeps::RandomStream(1, "data", "class", name).fill_uniform(0, 0, -1, 1, values);
  return values;
}

StepControl updating() {
  StepControl control;
  control.is_updated = 1;
  control.adamw = plume::adamw_step(1e-3, 0.9, 0.01, 3);
  return control;
}

/// A weight with its moments.
struct State {
  explicit State(std::int64_t count) : p(numbers(count, "p")), m(numbers(count, "m")), v(numbers(count, "v")) {
    for (float& value : v) value *= value;
  }
  plume::WeightState addresses() { return {p.data(), m.data(), v.data()}; }
  std::vector<float> p, m, v;
};

/// By the definition in doubles: moments and weight within the rounding of a float32 sum of at most 100 products.
void expect_updated(const State& actual, const State& before, const std::vector<double>& gradient,
                    const plume::AdamWStep& step) {
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double g = gradient[i];
    const double m = before.m[i] + step.one_minus_beta1 * (g - before.m[i]);
    const double v = before.v[i] * static_cast<double>(step.beta2) + step.one_minus_beta2 * g * g;
    const double p = before.p[i] * static_cast<double>(step.decay) -
                     step.step_size * (m / (std::sqrt(v) * step.root_scale + step.eps));
    ASSERT_NEAR(actual.m[i], m, 1e-5) << i;
    ASSERT_NEAR(actual.v[i], v, 1e-5) << i;
    // 1e-5 of m over a root that is 0.02 or more of it, times the step size of 4e-3
    ASSERT_NEAR(actual.p[i], p, 1e-5) << i;
  }
}

struct Shape {
  std::int64_t out, in;
  std::vector<std::int64_t> passes;
};

TEST(FoldedUpdateOfAGpu, IsAdamWOnTheSumOfProductsForAnyShape) {
  for (const auto& [out, in, rows] : {Shape{64, 128, {32}}, Shape{65, 132, {32, 32}}, Shape{1, 512, {8}},
                                      Shape{7, 19, {33, 31}}, Shape{70, 130, {100}}, Shape{130, 257, {2}}}) {
    SCOPED_TRACE(std::to_string(out) + " x " + std::to_string(in));
    std::vector<std::vector<float>> kept;
    Passes passes;
    std::vector<double> gradient(static_cast<std::size_t>(out * in));
    for (const std::int64_t count : rows) {
      const auto dy = kept.emplace_back(numbers(count * out, "dy" + std::to_string(passes.count)));
      const auto x = kept.emplace_back(numbers(count * in, "x" + std::to_string(passes.count)));
      for (std::int64_t k = 0; k < count; ++k) {
        for (std::int64_t r = 0; r < out; ++r) {
          for (std::int64_t c = 0; c < in; ++c) {
            gradient[static_cast<std::size_t>(r * in + c)] +=
                static_cast<double>(dy[static_cast<std::size_t>(k * out + r)]) *
                x[static_cast<std::size_t>(k * in + c)];
          }
        }
      }
      passes.pass[passes.count++].rows = count;
    }
    for (int i = 0; i < passes.count; ++i) {
      passes.pass[i].output_gradient = kept[static_cast<std::size_t>(2 * i)].data();
      passes.pass[i].input = kept[static_cast<std::size_t>(2 * i + 1)].data();
    }
    const StepControl control = updating();
    const State before(out * in);
    State updated = before;
    plume::cuda::update_folded(&control, updated.addresses(), passes, out, in, nullptr);
    expect_updated(updated, before, gradient, control.adamw);
  }
}

TEST(UpdateOfAGpu, IsAdamWOnTheGradient) {
  constexpr std::int64_t kCount = 1000;
  const auto gradient = numbers(kCount, "g");
  const StepControl control = updating();
  const State before(kCount);
  State updated = before;
  plume::cuda::update(&control, updated.addresses(), gradient.data(), kCount, nullptr);
  expect_updated(updated, before, {gradient.begin(), gradient.end()}, control.adamw);
}

TEST(UpdatesOfAGpu, ChangeNothingWhereTheBatchIsNotUpdated) {
  StepControl control = updating();
  control.is_updated = 0;
  const auto values = numbers(64, "g");
  const State before(64);
  State same = before;
  plume::cuda::update(&control, same.addresses(), values.data(), 64, nullptr);
  Passes passes;
  passes.count = 1;
  passes.pass[0] = {values.data(), values.data(), 1};
  plume::cuda::update_folded(&control, same.addresses(), passes, 8, 8, nullptr);
  EXPECT_EQ(same.p, before.p);
  EXPECT_EQ(same.m, before.m);
  EXPECT_EQ(same.v, before.v);
}

TEST(NoiseOfAGpu, IsThatOfTheStream) {
  const sweeps::RandomStream stream(7, "data", "class", "noise");
  StepControl control;
  control.epoch = 2;
  control.batch = 5;
  for (const std::size_t count : {1U, 4U, 1023U, 5000U}) {
    std::vector<float> expected(count), drawn(count + 1, 9);
    stream.fill_normal(2, 5, expected);
    plume::cuda::draw(stream.key()[0], stream.key()[1], &control, drawn.data(), static_cast<std::int64_t>(count),
                      nullptr);
    EXPECT_EQ(drawn[count], 9) << "nothing behind the end";
    drawn.pop_back();
    EXPECT_EQ(drawn, expected);
  }
}

TEST(InitialWeightsOfAGpu, AreThoseOfTheStream) {
  const sweeps::RandomStream stream(7, "data", "class", "init/vae.fc1.weight");
  for (const std::size_t count : {1U, 6U, 5000U}) {
    std::vector<float> expected(count), drawn(count + 1, 9);
    stream.fill_uniform(0, 0, -0.3F, 0.3F, expected);
    plume::cuda::draw_weight(stream.key()[0], stream.key()[1], 0.3F, drawn.data(), static_cast<std::int64_t>(count),
                             nullptr);
    EXPECT_EQ(drawn[count], 9) << "nothing behind the end";
    drawn.pop_back();
    EXPECT_EQ(drawn, expected);
  }
}

TEST(DecisionOfAGpu, NotesLossesAndStopsAtTheFirstThatIsNotFinite) {
  const std::vector<SchedulePoint> schedule{{1e-3, 0.95}, {2e-3, 0.9}, {3e-3, 0.85}};
  std::vector<double> kept(3 * plume::kLossTerms);
  const float good[] = {1, 2, 3, 4, 5}, bad[] = {std::numeric_limits<float>::infinity(), 2, 3, 4, 5};
  StepControl control;
  std::vector<std::int64_t> updated;
  for (const float* losses : {good, bad, good}) {
    plume::cuda::decide(&control, losses, schedule.data(), 0.01, kept.data(), nullptr);
    plume::cuda::advance(&control, nullptr);
    updated.push_back(control.is_updated);
  }
  EXPECT_EQ(updated, (std::vector<std::int64_t>{1, 0, 0}));
  EXPECT_EQ(control.first_bad, 1);
  EXPECT_EQ(control.batch, 3);
  EXPECT_EQ(control.updates, 1);
  const plume::AdamWStep expected = plume::adamw_step(1e-3, 0.95, 0.01, 1);
  EXPECT_EQ(std::memcmp(&control.adamw, &expected, sizeof(expected)), 0);
  EXPECT_EQ(kept[4], 5);
  EXPECT_TRUE(std::isinf(kept[5]));
  EXPECT_EQ(kept[14], 5);
}

}  // namespace
