// The kernels and the captured steps of a GPU against the plain loops and the plain trainer of the CPU. Built where
// PLUME_WITH_CUDA is; fails without a GPU.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "plume/cuda/cuda_device.hpp"
#include "plume/device_draws.hpp"
#include "plume/device_training.hpp"
#include "plume/step_control.hpp"
#include "tests/plume/every_variant.hpp"
#include "tests/plume/golden_files.hpp"
#include "tests/plume/portable_device.hpp"
#include "tests/plume/small_jobs.hpp"
#include "workers/trainer_settings.hpp"

namespace {

/// Before the first call to CUDA: an operation that is refused there is refused here.
class AsInATrainer : public testing::Environment {
 public:
  void SetUp() override { workers::set_up_computation(1); }
};
[[maybe_unused]] const auto* const kSettings = testing::AddGlobalTestEnvironment(new AsInATrainer);

using plume::StepControl;

const plume::StepDevice& gpu() {
  static const auto device = plume::cuda_device();
  return *device;
}

at::Tensor to_gpu(const at::Tensor& tensor) {
  return tensor.to(gpu().device());
}

at::Tensor words_of(const StepControl& control) {
  at::Tensor words = at::empty({plume::kControlWords}, at::kLong);
  std::memcpy(words.data_ptr(), &control, sizeof(control));
  return words;
}

void expect_near_on_gpu(const at::Tensor& actual, const at::Tensor& expected, double relative,
                        const std::string& what) {
  golden::expect_near(actual.cpu(), expected, relative * expected.abs().max().item().toDouble(), 0, what);
}

TEST(CudaKernels, DrawTheNoiseOfTheStream) {
  const plume::StreamDraws draws(small::job());
  StepControl control;
  control.epoch = 3;
  control.batch = 7;
  at::Tensor noise = to_gpu(at::empty({5, 1023}));
  gpu().kernels().draw(draws.noise_key().value(), to_gpu(words_of(control)), noise);
  golden::expect_near(noise.cpu(), draws.noise(3, 7, 5, 1023), 1e-6, 1e-6, "noise");
}

TEST(CudaKernels, DrawTheInitialWeightsOfTheStreamToTheBit) {
  const plume::StreamDraws draws(small::job());
  const plume::DeviceDraws there(draws, gpu());
  EXPECT_TRUE(at::equal(there.initial_weight("vae.fc1.weight", {31, 1023}, 0.02).cpu(),
                        draws.initial_weight("vae.fc1.weight", {31, 1023}, 0.02)));
}

TEST(CudaDevice, FetchesWhatWasThereWhenItWasAskedFor) {
  at::Tensor value = to_gpu(at::full({1000}, 1.0));
  const auto fetched = gpu().fetch(value);
  value.fill_(2.0);
  EXPECT_TRUE(at::equal(fetched(), at::full({1000}, 1.0)));
}

struct Shape {
  std::int64_t out, in;
  std::vector<std::int64_t> passes;
};

TEST(CudaKernels, UpdateAWeightByAGradientThatIsNeverInMemory) {
  StepControl control;
  control.is_updated = 1;
  control.adamw = plume::adamw_step(1e-3, 0.9, 0.01, 3);
  for (const auto& [out, in, passes] : {Shape{128, 256, {32}}, Shape{64, 128, {32, 32}}, Shape{7, 19, {33, 31}},
                                        Shape{1, 512, {8}}, Shape{65, 132, {2}}, Shape{130, 1023, {100}}}) {
    SCOPED_TRACE(std::to_string(out) + " x " + std::to_string(in));
    plume::FoldedGradient gradient, there;
    std::uint32_t stream = 1;
    for (const std::int64_t rows : passes) {
      const at::Tensor dy = golden::fill({rows, out}, stream++, 1), x = golden::fill({rows, in}, stream++, 1);
      gradient.passes.push_back({dy, x});
      there.passes.push_back({to_gpu(dy), to_gpu(x)});
    }
    const auto state = [&] {
      return plume::ParameterTensors{golden::fill({out, in}, 50, 1), golden::fill({out, in}, 51, 0.1),
                                     golden::fill({out, in}, 52, 0.1).square()};
    };
    const auto expected = state(), start = state();
    const plume::ParameterTensors updated{to_gpu(start.parameter), to_gpu(start.first_moment),
                                          to_gpu(start.second_moment)};
    tests::PortableKernels().update(words_of(control), expected, gradient);
    gpu().kernels().update(to_gpu(words_of(control)), updated, there);
    expect_near_on_gpu(updated.first_moment, expected.first_moment, 1e-5, "first moment");
    expect_near_on_gpu(updated.second_moment, expected.second_moment, 1e-5, "second moment");
    expect_near_on_gpu(updated.parameter, expected.parameter, 1e-6, "weight");
  }
}

class CudaTraining : public testing::TestWithParam<tests::Variant> {
 protected:
  CudaTraining() {
    const auto given = job_.training;
    job_.training = tests::settings_of(GetParam(), kDimension);
    job_.training.epochs = 3;
    job_.training.batch_size = given.batch_size;
    job_.training.learning_rate = 1e-3;
  }
  plume::InputRows rows() const {
    return plume::InputRows::features(golden::fill({21, kDimension + 7}, 11, 1), kDimension);
  }
  plume::Model initial(const plume::Draws& draws) const {
    return plume::make_model(job_.training.perturbation, plume::widths_of(kDimension), draws);
  }

  static constexpr int kDimension = 24;
  sweeps::Job job_ = small::job();
};

TEST_P(CudaTraining, IsThePlainOneEpochByEpochAndTheSameBitsAgain) {
  const plume::StreamDraws draws(job_);
  plume::Trainer plain(job_.training, initial(draws), rows(), draws);
  plume::DeviceTrainer first(gpu(), job_.training, initial(draws), rows(), draws);
  plume::DeviceTrainer second(gpu(), job_.training, initial(draws), rows(), draws);
  for (int epoch = 0; epoch < 3; ++epoch) {
    const auto expected = plain.run_epoch(epoch, [](const auto&) {});
    const auto trained = first.run_epoch(epoch, [] {}), again = second.run_epoch(epoch, [] {});
    ASSERT_TRUE(expected && trained && again);
    EXPECT_EQ(trained->losses, again->losses);
    golden::expect_near(trained->losses.total, expected->losses.total, 1e-5, 1e-3, "total");
    const auto tensors = first.tensors(), twice = second.tensors(), reference = plain.tensors();
    for (std::size_t i = 0; i < reference.size(); ++i) {
      EXPECT_TRUE(at::equal(tensors[i].second, twice[i].second)) << tensors[i].first;
      golden::expect_near(tensors[i].second.detach().cpu(), reference[i].second.detach(), 1e-3, 1e-2, tensors[i].first);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryVariant, CudaTraining, tests::every_variant(), tests::variant_name);

TEST(CudaJob, OfPladComesToTheSameRecords) {
  const auto job = small::plad_job();
  const auto data = small::images_of(7, 4);
  const auto expected = small::run(job, data), result = plume::run_job(job, data, {}, nullptr, &gpu());
  ASSERT_EQ(result.epochs.size(), 1U);
  golden::expect_near(result.epochs[0].losses->total, expected.epochs[0].losses->total, 1e-5, 1e-3, "total");
}

}  // namespace
