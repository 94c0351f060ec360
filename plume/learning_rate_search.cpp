// The range test's batches.
#include "plume/learning_rate_search.hpp"

#include <ATen/ATen.h>

#include "plume/batches.hpp"
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

}  // namespace plume
