// Once it runs, a training takes no memory of a weight's size: no gradient, no copy.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "plume/learner.hpp"
#include "tests/plume/golden_files.hpp"
#include "tests/plume/large_allocations.hpp"

namespace {

constexpr std::int64_t kDimension = 384, kBatch = 32;

plume::Learner learner(const sweeps::TrainingSettings& settings) {
  golden::GivenDraws draws;
  draws.weight = [stream = 100U](const std::string&, at::IntArrayRef shape) mutable {
    return golden::fill(shape, stream++, 0.05);
  };
  return {settings, plume::make_model(settings.perturbation, plume::widths_of(kDimension), draws)};
}

TEST(SteadyState, AllocationsAreCounted) {
  tests::count_allocations_of(1000);
  const at::Tensor small = at::empty({100}), large = at::empty({1000});
  EXPECT_EQ(tests::counted_allocations(), 1);
}

TEST(SteadyState, AStepTakesNoMemoryOfAWeightsSize) {
  sweeps::TrainingSettings settings;
  settings.dimension = kDimension;
  plume::Learner trained = learner(settings);
  const at::Tensor rows = golden::fill({kBatch, kDimension}, 1, 1), eps = golden::fill({kBatch, kDimension}, 2, 1.7);
  const auto steps = [&](int count) {
    for (int i = 0; i < count; ++i) trained.step(rows, eps, 1e-4, 0.9);
  };
  steps(2);
  // Of the VAE's layers; twelve times what a pass of 32 rows makes.
  tests::count_allocations_of(kDimension * kDimension * sizeof(float));
  steps(3);
  EXPECT_EQ(tests::counted_allocations(), 0);
}

}  // namespace
