// Guessed seconds and counted parameters.
#include "sweeps/cost.hpp"

#include <gtest/gtest.h>

namespace sweeps {
namespace {

Job full_size() {
  Job job;
  job.dataset = "cifar10";
  job.normal_class = "cat";
  job.backbone = "resnet50";
  job.training.learning_rate = 1e-3;
  return job;
}

TEST(ParametersOf, CountEveryWeightAndBias) {
  Job job = full_size();
  EXPECT_EQ(parameters_of(job), 6.0 * 3072 * 3073 + 3072 * 1024 + 1024 * 512 + 512) << "60.3 million";
  job.training.perturbation = Perturbation::gaussian;
  EXPECT_EQ(parameters_of(job), 3072 * 1024 + 1024 * 512 + 512);
  job.method = Method::plad;
  job.training = {};
  EXPECT_EQ(parameters_of(job), 6.0 * 3072 * 3073 + 343'792);
  job.method = Method::knn;
  EXPECT_EQ(parameters_of(job), 0);
}

/// 157 steps an epoch.
double seconds_a_step(const Machine& machine) {
  Job job = full_size(), twice = full_size();
  twice.training.epochs = 2 * job.training.epochs;
  const auto seconds = [&](const Job& one) { return modelled_seconds(one, 5000, 0, 2048, machine); };
  return (seconds(twice) - seconds(job)) / (157.0 * job.training.epochs);
}

TEST(ModelledSeconds, OfAFullSizeStepAreThoseOfTheMachine) {
  EXPECT_NEAR(seconds_a_step(kCpuThread), 0.22, 0.03) << "measured: 0.20 to 0.24 s";
  EXPECT_NEAR(seconds_a_step(kH100), 0.9e-3, 0.1e-3) << "40 bytes a parameter at 3.0 TB/s, and the launches";
}

}  // namespace
}  // namespace sweeps
