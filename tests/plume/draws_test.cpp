// The draws of a job as tensors.
#include "plume/draws.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace plume {
namespace {

struct Drawn {
  at::Tensor weight, noise;
};

Drawn drawn_with(int threads) {
  sweeps::Job job;
  job.dataset = "cifar10";
  job.normal_class = "cat";
  const StreamDraws draws(job);
  at::set_num_threads(threads);
  const Drawn drawn{draws.initial_weight("w", {131, 257}, 0.5), draws.noise(3, 7, 5, 2731)};
  at::set_num_threads(1);
  return drawn;
}

TEST(StreamDraws, AreTheSameNumbersForAnyNumberOfThreads) {
  const Drawn alone = drawn_with(1);
  for (const int threads : {2, 3}) {
    const Drawn shared = drawn_with(threads);
    EXPECT_TRUE(shared.weight.equal(alone.weight)) << threads;
    EXPECT_TRUE(shared.noise.equal(alone.noise)) << threads;
  }
}

TEST(StreamDraws, BeginWithTheSameNumbersWhateverTheShape) {
  sweeps::Job job;
  job.dataset = "cifar10";
  job.normal_class = "cat";
  const StreamDraws draws(job);
  const at::Tensor whole = draws.noise(0, 0, 32, 3072), row = draws.noise(0, 0, 1, 3072);
  EXPECT_TRUE(whole[0].equal(row[0]));
}

}  // namespace
}  // namespace plume
