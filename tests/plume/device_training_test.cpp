// A training whose order, schedule, noise and losses are in a device's memory comes to what the plain trainer comes to,
// but for float32 rounding, epoch by epoch: checked on the CPU with plain loops in the place of a GPU's kernels.
#include "plume/device_training.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "plume/device_draws.hpp"
#include "plume/learning_rate_search.hpp"
#include "plume/method.hpp"
#include "plume/training_step.hpp"
#include "tests/plume/every_variant.hpp"
#include "tests/plume/golden_files.hpp"
#include "tests/plume/portable_device.hpp"
#include "tests/plume/small_jobs.hpp"

namespace {

using plume::DeviceTrainer;
using plume::InputRows;
using plume::Model;
using plume::StreamDraws;
using plume::Trainer;
using plume::TrainingState;
using testing::ElementsAre;

constexpr int kDimension = 24;
constexpr std::int64_t kRows = 21;  // batches of 8, 8 and 5

sweeps::Job job_of(const tests::Variant& variant) {
  sweeps::Job job = small::job();
  const auto given = job.training;
  job.training = tests::settings_of(variant, kDimension);
  job.training.epochs = 3;
  job.training.batch_size = given.batch_size;
  job.training.learning_rate = 1e-3;
  return job;
}

/// Both ways to train a job from the same weights.
struct Pair {
  explicit Pair(const sweeps::Job& of, std::int64_t rows = kRows)
      : job(of),
        draws(of),
        table(golden::fill({rows, kDimension + 7}, 11, 1)),
        initial(plume::make_model(job.training.perturbation, plume::widths_of(kDimension), draws)) {}

  InputRows rows() const { return InputRows::features(table, kDimension); }
  Trainer plain() const { return {job.training, initial.clone(), rows(), draws}; }
  DeviceTrainer on_device() const { return {device, job.training, initial, rows(), draws}; }

  sweeps::Job job;
  StreamDraws draws;
  at::Tensor table;
  Model initial;
  tests::PortableDevice device;
};

/// Two ways to round: the product of a gradient is summed in another order, and AdamW divides by its root, so a weight
/// whose gradient is all rounding moves by another part of the learning rate (1e-3), at each of at most 9 steps.
constexpr double kWeightTolerance = 2e-4;

void expect_same_tensors(const plume::NamedTensors& actual, const plume::NamedTensors& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].first, expected[i].first);
    golden::expect_near(actual[i].second.detach(), expected[i].second.detach(), kWeightTolerance, 1e-3,
                        expected[i].first);
  }
}

void expect_same_epoch(const std::optional<plume::TrainedEpoch>& actual,
                       const std::optional<plume::TrainedEpoch>& expected) {
  ASSERT_TRUE(actual && expected);
  EXPECT_EQ(actual->learning_rate, expected->learning_rate) << "the schedule is the same to the bit";
  const auto near = [](double a, double b, const char* term) { golden::expect_near(a, b, 1e-6, 1e-4, term); };
  near(actual->losses.total, expected->losses.total, "total");
  near(actual->losses.classification, expected->losses.classification, "classification");
  near(actual->losses.noise, expected->losses.noise, "noise");
  near(actual->losses.kl, expected->losses.kl, "kl");
  near(actual->losses.guidance, expected->losses.guidance, "guidance");
}

void expect_same_epochs(Trainer& plain, DeviceTrainer& device, int first = 0, int end = 3) {
  for (int epoch = first; epoch < end; ++epoch) {
    SCOPED_TRACE("epoch " + std::to_string(epoch));
    const auto expected = plain.run_epoch(epoch, [](const auto&) {});
    expect_same_epoch(device.run_epoch(epoch, [] {}), expected);
    expect_same_tensors(device.tensors(), plain.tensors());
  }
}

class DeviceTraining : public testing::TestWithParam<tests::Variant> {};

TEST_P(DeviceTraining, IsThePlainOneEpochByEpoch) {
  const Pair pair(job_of(GetParam()));
  Trainer plain = pair.plain();
  DeviceTrainer device = pair.on_device();
  expect_same_epochs(plain, device);
  EXPECT_THAT(pair.device.rehearsed(), ElementsAre(8, 5)) << "one captured step for each size";
}

INSTANTIATE_TEST_SUITE_P(EveryVariant, DeviceTraining, tests::every_variant(), tests::variant_name);

const tests::Variant kReleased{};  // linear-map

TEST(DeviceTraining, LeavesOutASingleLastRow) {
  const Pair pair(job_of(kReleased), 17);
  Trainer plain = pair.plain();
  DeviceTrainer device = pair.on_device();
  EXPECT_TRUE(device.batches().drops_single_row());
  expect_same_epochs(plain, device);
  EXPECT_THAT(pair.device.rehearsed(), ElementsAre(8));
}

TEST(DeviceTraining, OfLessThanABatchIsThePlainOne) {
  const Pair pair(job_of(kReleased), 3);
  Trainer plain = pair.plain();
  DeviceTrainer device = pair.on_device();
  expect_same_epochs(plain, device);
  EXPECT_THAT(pair.device.rehearsed(), ElementsAre(3));
}

/// A pair in which the loss of batch `batch` of epoch 0 is not finite.
Pair with_a_bad_batch(std::int64_t batch) {
  Pair pair(job_of(kReleased));
  const auto order = pair.draws.permutation(0, kRows);
  pair.table[order[static_cast<std::size_t>(batch * 8 + 1)]].fill_(std::nanf(""));
  return pair;
}

TEST(DeviceTraining, EndsAtALossThatIsNotFiniteWithTheParametersOfTheBatchBefore) {
  for (const std::int64_t bad : {0, 1, 2}) {
    SCOPED_TRACE(bad);
    const Pair pair = with_a_bad_batch(bad);
    Trainer plain = pair.plain();
    DeviceTrainer device = pair.on_device();
    EXPECT_FALSE(plain.run_epoch(0, [](const auto&) {}));
    int handed_over = 0;
    EXPECT_FALSE(device.run_epoch(0, [&] { ++handed_over; }));
    EXPECT_EQ(handed_over, 3) << "nothing waits for a loss within the epoch";
    EXPECT_EQ(device.tensors().back().second.item<float>(), static_cast<float>(bad)) << "steps made";
    const auto parameters = device.model().parameters(), expected = plain.model().parameters();
    expect_same_tensors(parameters, expected);
    if (bad > 0) continue;
    const auto initial = pair.initial.parameters();
    for (std::size_t i = 0; i < initial.size(); ++i) EXPECT_TRUE(at::equal(parameters[i].second, initial[i].second));
  }
}

TEST(DeviceTraining, GivesNoStateBehindALossThatIsNotFinite) {
  const Pair pair = with_a_bad_batch(1);
  DeviceTrainer device = pair.on_device();
  std::vector<std::int64_t> known;
  EXPECT_FALSE(device.run_epoch(0, [&] { known.push_back(device.progress().batches); }));
  EXPECT_THAT(known, ElementsAre(1)) << "the second look ended the epoch";
}

TEST(DeviceTraining, LooksAtTheStateWithoutChangingTheTraining) {
  const Pair pair(job_of(kReleased));
  DeviceTrainer left_alone = pair.on_device(), watched = pair.on_device();
  const auto whole = left_alone.run_epoch(0, [] {});
  std::vector<std::int64_t> batches;
  const auto seen = watched.run_epoch(0, [&] {
    batches.push_back(watched.progress().batches);
    watched.tensors();
  });
  EXPECT_THAT(batches, ElementsAre(1, 2, 3));
  ASSERT_TRUE(whole && seen);
  EXPECT_EQ(whole->losses, seen->losses);
}

TrainingState copy_of(const plume::EpochProgress& progress, const plume::NamedTensors& tensors) {
  TrainingState state;
  state.progress = progress;
  for (const auto& [name, tensor] : tensors) state.tensors.emplace_back(name, tensor.detach().clone());
  return state;
}

TEST(DeviceTraining, GoesOnInTheMiddleOfAnEpochToTheSameBits) {
  const Pair pair(job_of(kReleased));
  DeviceTrainer whole = pair.on_device();
  whole.run_epoch(0, [] {});
  std::vector<TrainingState> states;
  const auto expected = whole.run_epoch(1, [&] { states.push_back(copy_of(whole.progress(), whole.tensors())); });
  ASSERT_EQ(states.size(), 3U);
  for (const TrainingState& state : states) {
    SCOPED_TRACE(state.progress.batches);
    DeviceTrainer resumed = pair.on_device();
    resumed.restore(state);
    const auto epoch = resumed.run_epoch(1, [] {});
    ASSERT_TRUE(epoch);
    EXPECT_EQ(epoch->losses, expected->losses);
    EXPECT_EQ(epoch->learning_rate, expected->learning_rate);
    const auto tensors = resumed.tensors(), last = whole.tensors();
    for (std::size_t i = 0; i < last.size(); ++i) EXPECT_TRUE(at::equal(tensors[i].second, last[i].second));
  }
}

TEST(DeviceTraining, GoesOnFromAStateOfThePlainOne) {
  const Pair pair(job_of(kReleased));
  Trainer plain = pair.plain();
  DeviceTrainer device = pair.on_device();
  plain.run_epoch(0, [](const auto&) {});
  bool is_first = true;
  plain.run_epoch(1, [&](const auto&) {
    if (std::exchange(is_first, false)) device.restore(copy_of(plain.progress(), plain.tensors()));
  });
  device.run_epoch(1, [] {});
  expect_same_tensors(device.tensors(), plain.tensors());
  expect_same_epochs(plain, device, 2);
}

TEST(DeviceTraining, RefusesAStateThatDoesNotFitAndIsAsItWas) {
  const Pair pair(job_of(kReleased));
  DeviceTrainer device = pair.on_device();
  TrainingState too_far = copy_of({4, {}, 0}, device.tensors());
  EXPECT_THROW(device.restore(too_far), plume::StateRefused);
  TrainingState too_few = copy_of({1, {}, 0}, device.tensors());
  too_few.tensors.pop_back();
  EXPECT_THROW(device.restore(too_few), plume::StateRefused);
  Trainer plain = pair.plain();
  expect_same_epochs(plain, device, 0, 1);
}

// ---- the range test

plume::RangeTest plain_search(const Pair& pair) {
  return search_learning_rate(pair.job.training, pair.initial, pair.rows(), StreamDraws(pair.job, "find/"),
                              [](const auto&) {});
}

plume::RangeTest search(const Pair& pair) {
  return search_learning_rate(pair.device, pair.job.training, pair.initial, pair.rows(), StreamDraws(pair.job, "find/"),
                              [] {});
}

TEST(SearchOnADevice, RecordsThePlainLosses) {
  const Pair pair(job_of(kReleased));
  const auto expected = plain_search(pair).recorded(), recorded = search(pair).recorded();
  ASSERT_EQ(recorded.size(), expected.size()) << "both end at the same batch";
  for (std::size_t k = 0; k < expected.size(); ++k) {
    // Rates near 1 amplify rounding: what is looked at lies before.
    golden::expect_near(recorded[k], expected[k], 1e-4, k < 80 ? 1e-3 : 5e-2, std::to_string(k));
  }
}

TEST(SearchOnADevice, GoesOnBehindALossThatIsNotFinite) {
  const Pair pair = [] {
    Pair bad(job_of(kReleased));
    bad.table[3].fill_(std::nanf(""));
    return bad;
  }();
  const auto expected = plain_search(pair).recorded(), recorded = search(pair).recorded();
  ASSERT_EQ(recorded.size(), expected.size());
  EXPECT_TRUE(std::isnan(expected.back()));
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(std::isnan(recorded[k]), std::isnan(expected[k])) << k;
  }
}

// ---- whole jobs

TEST(JobOnADevice, ComesToTheSameRecords) {
  sweeps::Job job = job_of(kReleased);
  const auto data = small::rows_of(21, 10, 17);
  const tests::PortableDevice device;
  const auto expected = small::run(job, data), result = plume::run_job(job, data, {}, nullptr, &device);
  ASSERT_EQ(result.epochs.size(), expected.epochs.size());
  EXPECT_EQ(result.dropped_single_row, expected.dropped_single_row);
  for (std::size_t i = 0; i < expected.epochs.size(); ++i) {
    golden::expect_near(result.epochs[i].losses->total, expected.epochs[i].losses->total, 1e-6, 1e-4, "total");
    golden::expect_near(result.epochs[i].ranking->auc, expected.epochs[i].ranking->auc, 0.05, 0, "AUROC of 5 and 5");
    EXPECT_EQ(result.epochs[i].learning_rate, expected.epochs[i].learning_rate);
  }
}

TEST(JobOnADevice, OfPladComesToTheSameRecords) {
  const sweeps::Job job = small::plad_job();
  const auto data = small::images_of(4, 4);
  const tests::PortableDevice device;
  const auto expected = small::run(job, data), result = plume::run_job(job, data, {}, nullptr, &device);
  ASSERT_EQ(result.epochs.size(), 1U);
  golden::expect_near(result.epochs[0].losses->total, expected.epochs[0].losses->total, 1e-6, 1e-3, "total");
}

TEST(JobOnADevice, DivergesWhereThePlainOneDoes) {
  sweeps::Job job = job_of(kReleased);
  job.training.learning_rate = 1e30;
  const auto data = small::rows_of(21, 10);
  const tests::PortableDevice device;
  const auto expected = small::run(job, data), result = plume::run_job(job, data, {}, nullptr, &device);
  EXPECT_EQ(result.outcome, results::Outcome::diverged);
  EXPECT_EQ(result.diverged_epoch, expected.diverged_epoch);
}

/// What a job's observer hears: "0" to "2" for a batch handed over of that epoch, "[0]" to "[2]" for a record.
std::string heard_of(const sweeps::Job& job, const plume::JobData& data, plume::ModelParts keep,
                     const plume::StepDevice* device) {
  std::string heard;
  plume::Observer observer;
  observer.keep = keep;
  observer.on_boundary = [&](const plume::Boundary& boundary) {
    if (boundary.batches > 0) heard += std::to_string(boundary.epoch);
  };
  observer.on_epoch = [&](const auto& epoch) { heard += "[" + std::to_string(epoch.epoch) + "]"; };
  plume::run_job(job, data, observer, nullptr, device);
  return heard;
}

TEST(JobOnADevice, JudgesAnEpochWhileTheNextOneIsTrained) {
  const auto data = small::rows_of(21, 10);
  const tests::PortableDevice device;
  EXPECT_EQ(heard_of(job_of(kReleased), data, plume::ModelParts::none, &device), "000111[0]222[1][2]");
  EXPECT_EQ(heard_of(job_of(kReleased), data, plume::ModelParts::none, nullptr), "000[0]111[1]222[2]");
}

TEST(JobOnADevice, JudgesAnEpochAtOnceWhereItsModelMayBeKept) {
  const auto data = small::rows_of(21, 10);
  const tests::PortableDevice device;
  EXPECT_EQ(heard_of(job_of(kReleased), data, plume::ModelParts::all, &device), "000[0]111[1]222[2]");
  plume::Observer keeps;
  keeps.keep = plume::ModelParts::all;
  EXPECT_EQ(plume::run_job(job_of(kReleased), data, keeps, nullptr, &device),
            plume::run_job(job_of(kReleased), data, {}, nullptr, &device))
      << "scores are by the weights that their epoch ended with, whenever they are looked at";
}

TEST(JobOnADevice, DivergesInTheEpochOfAScoreThatIsNotFiniteThoughTheNextWasBegun) {
  auto data = small::rows_of(21, 10);
  data.test[3].fill_(3e38F);
  const tests::PortableDevice device;
  const auto expected = small::run(job_of(kReleased), data),
             result = plume::run_job(job_of(kReleased), data, {}, nullptr, &device);
  ASSERT_EQ(expected.diverged_epoch, 1) << "neither the first nor the last of three";
  EXPECT_EQ(result.outcome, results::Outcome::diverged);
  EXPECT_EQ(result.diverged_epoch, 1);
  EXPECT_EQ(result.epochs.size(), 1U);
}

TEST(JobOnADevice, GoesOnFromEveryBoundaryToTheSameResult) {
  sweeps::Job job = job_of(kReleased);
  job.training.learning_rate.reset();
  const auto data = small::rows_of(21, 10);
  const tests::PortableDevice device;
  std::vector<TrainingState> states;
  plume::Observer observer;
  observer.on_boundary = [&](const plume::Boundary& boundary) {
    states.push_back(boundary.state());
    for (auto& [name, tensor] : states.back().tensors) tensor = tensor.detach().clone();
  };
  const auto whole = plume::run_job(job, data, observer, nullptr, &device);
  ASSERT_EQ(states.size(), 3U * 4 - 1);
  for (const TrainingState& state : states) {
    EXPECT_EQ(plume::run_job(job, data, {}, &state, &device), whole)
        << "from epoch " << state.epoch << " batch " << state.progress.batches;
  }
}

TEST(Rehearsal, LeavesNoTrace) {
  const at::Tensor weight = at::ones({2}), count = at::zeros({1}, at::kLong);
  std::vector<std::int64_t> seen;
  plume::rehearse(
      [&] {
        seen.push_back(count.item<std::int64_t>());
        at::Tensor(weight).mul_(2);
        at::Tensor(count).add_(1);
      },
      {weight, count}, 3);
  EXPECT_THAT(seen, ElementsAre(0, 0, 0)) << "each time from the beginning: no further batch is touched";
  EXPECT_EQ(weight[0].item<float>(), 1);
  EXPECT_EQ(count.item<std::int64_t>(), 0);
}

TEST(NoiseOfADevice, IsThatOfTheStream) {
  const StreamDraws draws(small::job());
  at::Tensor control = at::zeros({plume::kControlWords}, at::kLong), noise = at::empty({3, 7});
  control[0] = 2;                  // epoch
  control[plume::kBatchWord] = 5;  // batch
  tests::PortableKernels().draw(draws.noise_key().value(), control, noise);
  EXPECT_TRUE(at::equal(noise, draws.noise(2, 5, 3, 7)));
}

TEST(InitialWeightsOfADevice, AreThoseOfTheStreamToTheBit) {
  const StreamDraws draws(small::job(), "rotation/");
  const tests::PortableDevice device;
  const plume::DeviceDraws there(draws, device);
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{3, 7}, {1}, {5, 2, 5, 5}}) {
    EXPECT_TRUE(at::equal(there.initial_weight("vae.fc1.weight", shape, 0.125),
                          draws.initial_weight("vae.fc1.weight", shape, 0.125)));
  }
  EXPECT_FALSE(at::equal(there.initial_weight("vae.fc2.weight", {3, 7}, 0.125),
                         there.initial_weight("vae.fc1.weight", {3, 7}, 0.125)));
}

}  // namespace
