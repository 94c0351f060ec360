// A training that is begun again from any of its states comes to the same bits: every record, every weight.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "plume/method.hpp"
#include "sweeps/checkpoint_size.hpp"
#include "tests/plume/small_jobs.hpp"

namespace {

using plume::TrainingState;
using results::JobResult;
using sweeps::Guidance;
using sweeps::Job;
using sweeps::Perturbation;
using testing::HasSubstr;

/// Every double of a result as its bits.
std::vector<std::uint64_t> bits_of(const JobResult& result) {
  std::vector<std::uint64_t> bits;
  const auto add = [&](double value) { bits.push_back(std::bit_cast<std::uint64_t>(value)); };
  add(result.found_learning_rate.value_or(-1));
  for (const auto& record : result.epochs) {
    const auto& r = record.ranking.value();
    const auto& l = record.losses.value();
    for (const double value :
         {r.auc, r.ap_normal, r.ap_anomalous, r.fpr95, r.auc_std_error.value_or(-1), l.total, l.classification, l.noise,
          l.kl, l.guidance, record.learning_rate.value(), record.threshold.value()}) {
      add(value);
    }
    for (const auto& share : record.shares) add(share.value_or(-1));
  }
  return bits;
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

/// As a file would have it.
TrainingState copy_of(TrainingState state) {
  for (auto& [name, tensor] : state.tensors) tensor = tensor.detach().clone();
  return state;
}

using Position = std::pair<int, std::int64_t>;
const auto kEverywhere = [](const Position&) { return true; };

struct Course {
  JobResult result;
  std::vector<int> reported;          ///< epochs
  std::vector<TrainingState> states;  ///< at the boundaries that were wanted
  TrainingState last;                 ///< at the last boundary: the final weights
};

template <typename Wanted>
Course course_of(const Job& job, const plume::JobData& data, const Wanted& wanted,
                 const TrainingState* from = nullptr) {
  Course course;
  plume::Observer observer;
  observer.on_epoch = [&](const auto& record) { course.reported.push_back(record.epoch); };
  observer.on_boundary = [&](const plume::Boundary& at) {
    if (wanted(Position{at.epoch, at.batches})) course.states.push_back(copy_of(at.state()));
    if (at.epoch + 1 == at.epochs && at.batches == at.batches_an_epoch) course.last = copy_of(at.state());
  };
  course.result = plume::run_job(job, data, observer, from);
  return course;
}

void expect_same(const Course& resumed, const Course& whole, const std::string& what) {
  EXPECT_EQ(resumed.result, whole.result) << what;
  EXPECT_EQ(bits_of(resumed.result), bits_of(whole.result)) << what;
  if (resumed.last.tensors.empty()) return;  // it was begun from its last state: only an evaluation was left
  ASSERT_EQ(resumed.last.tensors.size(), whole.last.tensors.size()) << what;
  for (std::size_t i = 0; i < whole.last.tensors.size(); ++i) {
    const auto& [name, tensor] = whole.last.tensors[i];
    EXPECT_EQ(resumed.last.tensors[i].first, name);
    EXPECT_TRUE(same_bits(resumed.last.tensors[i].second, tensor)) << what << ": " << name;
  }
}

std::string text_of(const TrainingState& state) {
  return "from epoch " + std::to_string(state.epoch) + " step " + std::to_string(state.progress.batches);
}

Job variant(Perturbation perturbation, Guidance guidance) {
  Job job = small::job();
  job.training.epochs = 3;
  job.training.perturbation = perturbation;
  job.training.guidance = guidance;
  return job;
}

struct Variant {
  const char* name;
  Job job;
};

void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.name;
}

std::vector<Variant> variants() {
  std::vector<Variant> all{{"LinearMapFull", variant(Perturbation::linear_map, Guidance::full)},
                           {"GaussianNone", variant(Perturbation::gaussian, Guidance::none)},
                           {"GaussianFull", variant(Perturbation::gaussian, Guidance::full)},
                           {"Mult", variant(Perturbation::mult, Guidance::none)}};
  Variant one_pass{"AddMultMeanInOnePass", variant(Perturbation::add_mult, Guidance::mean)};
  one_pass.job.training.classifier_passes = sweeps::ClassifierPasses::one;
  Variant paper{"AddFullOfThePaper", variant(Perturbation::add, Guidance::full)};
  paper.job.training.semantics = sweeps::Semantics::paper;
  Variant found{"LinearMapFullWithAFoundRate", variant(Perturbation::linear_map, Guidance::full)};
  found.job.training.learning_rate.reset();
  all.insert(all.end(), {one_pass, paper, found});
  return all;
}

class Resumed : public testing::TestWithParam<Variant> {};

TEST_P(Resumed, FromEveryBoundaryComesToTheSameBits) {
  const Job& job = GetParam().job;
  const auto data = small::rows_of(21, 10, 17);  // three batches an epoch, the last one short
  const Course whole = course_of(job, data, kEverywhere);
  ASSERT_EQ(whole.states.size(), 3U * 4 - 1);  // each batch and each epoch but the last
  for (const TrainingState& state : whole.states) {
    const Course resumed = course_of(job, data, kEverywhere, &state);
    expect_same(resumed, whole, text_of(state));
    std::vector<int> left;
    for (int epoch = state.epoch; epoch < 3; ++epoch) left.push_back(epoch);
    EXPECT_EQ(resumed.reported, left) << "those before were reported once";
  }
}

TEST_P(Resumed, TwiceInARowComesToTheSameBits) {
  const Job& job = GetParam().job;
  const auto data = small::rows_of(21, 10, 17);
  const Course whole = course_of(job, data, [](const Position& at) { return at == Position{0, 2}; });
  const Course once = course_of(
      job, data,
      [](const Position& at) {
        return at == Position{1, 1};
      },
      &whole.states.at(0));
  const Course twice = course_of(
      job, data,
      [](const Position& at) {
        return at == Position{2, 3};
      },
      &once.states.at(0));
  expect_same(twice, whole, "twice");
  EXPECT_EQ(bits_of(course_of(job, data, kEverywhere, &twice.states.at(0)).result), bits_of(whole.result))
      << "three times, with only an evaluation left";
}

TEST_P(Resumed, StateIsAsLargeAsThePlanSays) {
  const Course whole = course_of(GetParam().job, small::rows_of(21, 10, 17), kEverywhere);
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : whole.last.tensors) bytes += tensor.nbytes();
  EXPECT_EQ(static_cast<std::int64_t>(bytes), sweeps::checkpoint_bytes(GetParam().job));
}

INSTANTIATE_TEST_SUITE_P(Training, Resumed, testing::ValuesIn(variants()),
                         [](const auto& each) { return each.param.name; });

TEST(ResumedPlad, ComesToTheSameBits) {
  Job job = small::plad_job();
  job.training.epochs = 2;
  const auto data = small::images_of(7, 4);  // two batches an epoch
  const Course whole = course_of(job, data, [](const Position& at) { return at == Position{0, 1}; });
  const Course once = course_of(
      job, data,
      [](const Position& at) {
        return at == Position{1, 1};
      },
      &whole.states.at(0));
  expect_same(once, whole, "in the first epoch");
  expect_same(course_of(
                  job, data, [](const Position&) { return false; }, &once.states.at(0)),
              whole, "in the second");
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : whole.last.tensors) bytes += tensor.nbytes();
  EXPECT_EQ(static_cast<std::int64_t>(bytes), sweeps::checkpoint_bytes(job));
}

TEST(ResumedWithADroppedRow, ComesToTheSameBits) {
  const Job job = small::job();
  const auto data = small::rows_of(17, 4);  // two batches; the 17th row is left out
  const Course whole = course_of(job, data, kEverywhere);
  ASSERT_EQ(whole.states.size(), 5U);
  for (const TrainingState& state : whole.states)
    expect_same(course_of(job, data, kEverywhere, &state), whole, text_of(state));
}

TEST(ResumedThatDiverges, DoesSoAtTheSameEpoch) {
  Job job = small::job();
  job.training.epochs = 4;
  job.training.learning_rate = 1e30;
  const auto data = small::rows_of(20, 10);
  const Course whole = course_of(job, data, kEverywhere);
  ASSERT_EQ(whole.result.outcome, results::Outcome::diverged);
  ASSERT_FALSE(whole.states.empty());
  EXPECT_EQ(course_of(job, data, kEverywhere, &whole.states.back()).result, whole.result);
}

// ---- states that do not fit

std::string refusal(const Job& job, const plume::JobData& data, const TrainingState& state) {
  int moved = 0;
  plume::Observer observer;
  observer.on_progress = [&] { ++moved; };
  try {
    plume::run_job(job, data, observer, &state);
  } catch (const plume::StateRefused& error) {
    EXPECT_EQ(moved, 0) << "refused before anything was trained";
    return error.what();
  }
  return "not refused";
}

TEST(TrainingState, OfAnotherTrainingIsRefused) {
  const Job job = variant(Perturbation::linear_map, Guidance::full);
  const auto data = small::rows_of(21, 10, 17);
  const TrainingState good = course_of(job, data, [](const Position& at) { return at == Position{1, 1}; }).states.at(0);
  EXPECT_EQ(refusal(job, data, good), "not refused");
  const auto with = [&](const auto& change) {
    TrainingState state = good;
    change(state);
    return refusal(job, data, state);
  };
  EXPECT_THAT(with([](auto& s) { s.epoch = 3; }), HasSubstr("it is in epoch 3 of a training of 3"));
  EXPECT_THAT(with([](auto& s) { s.epoch = -1; }), HasSubstr("it is in epoch -1"));
  EXPECT_THAT(with([](auto& s) { s.progress.batches = 4; }), HasSubstr("it is 4 batches into an epoch of 3"));
  EXPECT_THAT(with([](auto& s) { s.progress.batches = -1; }), HasSubstr("it is -1 batches"));
  EXPECT_THAT(with([](auto& s) { s.epochs.clear(); }), HasSubstr("its records are not those of epochs 0 to 0"));
  EXPECT_THAT(with([](auto& s) { s.epochs[0].epoch = 1; }), HasSubstr("its records are not"));
  EXPECT_THAT(with([](auto& s) { s.found_learning_rate = 0.1; }), HasSubstr("it has a found learning rate"));
  EXPECT_THAT(with([](auto& s) { s.tensors.pop_back(); }), HasSubstr("tensors, this training has"));
  EXPECT_THAT(with([](auto& s) { s.tensors[0].first = "classifier.fc9.weight"; }),
              HasSubstr("its tensor classifier.fc9.weight is not the classifier.fc1.0.weight of this training"));
  EXPECT_THAT(with([](auto& s) { s.tensors[0].second = at::zeros({8, 23}); }), HasSubstr("its tensor"));
  EXPECT_THAT(with([](auto& s) { s.tensors[0].second = s.tensors[0].second.to(at::kDouble); }),
              HasSubstr("its tensor"));

  Job finding = job;
  finding.training.learning_rate.reset();
  EXPECT_THAT(refusal(finding, data, good), HasSubstr("it has no found learning rate"));
  EXPECT_THAT(refusal(variant(Perturbation::mult, Guidance::full), data, good), HasSubstr("its tensor vae.fc5.weight"));
  EXPECT_THAT(refusal(variant(Perturbation::gaussian, Guidance::full), data, good), HasSubstr("it has"));
}

TEST(TrainingState, CanEndATrainingByAnException) {
  struct Enough {};
  plume::Observer observer;
  int boundaries = 0;
  observer.on_boundary = [&](const plume::Boundary&) {
    if (++boundaries == 2) throw Enough{};
  };
  EXPECT_THROW(plume::run_job(small::job(), small::rows_of(20, 10), observer), Enough);
  EXPECT_EQ(boundaries, 2);
}

}  // namespace
