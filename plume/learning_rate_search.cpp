// The range test's batches.
#include "plume/learning_rate_search.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "plume/batches.hpp"
#include "plume/device_learner.hpp"
#include "plume/learner.hpp"

namespace plume {
namespace {

constexpr double kBeta1 = 0.95;  // there is no schedule yet: AdamW keeps what the one-cycle would begin with

}  // namespace

RangeTest search_learning_rate(const sweeps::TrainingSettings& settings, const Model& initial, const InputRows& rows,
                               const Draws& draws, const std::function<void(const results::LossTerms&)>& on_batch) {
  Learner learner(settings, initial.clone());
  const at::ScalarType dtype = initial.dtype();
  const Batches batches(rows.size(), settings.batch_size);
  RangeTest test;
  at::Tensor order;
  for (int k = 0; k < RangeTest::kMostSteps; ++k) {
    const int epoch = k / static_cast<int>(batches.count());
    const std::int64_t batch = k % batches.count();
    if (batch == 0) order = at::tensor(draws.permutation(epoch, rows.size()), at::kLong);
    const std::int64_t count = batches.rows_of(batch);
    const at::Tensor input = rows.select(order.narrow(0, batches.begin(batch), count), dtype);
    const at::Tensor eps = draws.noise(epoch, batch, count, rows.dimension()).to(dtype);
    const results::LossTerms terms = learner.step(input, eps, RangeTest::learning_rate(k), kBeta1);
    on_batch(terms);
    if (!test.record(terms.total)) break;
  }
  return test;
}

RangeTest search_learning_rate(const StepDevice& device, const sweeps::TrainingSettings& settings, const Model& initial,
                               const InputRows& rows, const Draws& draws, const std::function<void()>& on_batch) {
  // A loss that is not finite ends nothing: the test goes on with the next batch.
  DeviceLearner learner(device, settings, initial, rows, draws, AfterBadLoss::go_on);
  const int per_epoch = static_cast<int>(learner.batches().count());
  RangeTest test;
  // The whole epoch is handed over before its losses are looked at; the steps behind the end change the copy alone.
  for (int first = 0; first < RangeTest::kMostSteps; first += per_epoch) {
    std::vector<SchedulePoint> schedule(static_cast<std::size_t>(per_epoch), {0, kBeta1});
    const int count = std::min(per_epoch, RangeTest::kMostSteps - first);
    for (int k = 0; k < count; ++k) {
      schedule[static_cast<std::size_t>(k)].learning_rate = RangeTest::learning_rate(first + k);
    }
    const int epoch = first / per_epoch;
    learner.begin_epoch(epoch, draws.permutation(epoch, rows.size()), schedule, 0);
    for (int k = 0; k < count; ++k) {
      learner.enqueue();
      on_batch();
    }
    for (const results::LossTerms& terms : learner.made().losses) {
      if (!test.record(terms.total)) return test;
    }
  }
  return test;
}

}  // namespace plume
