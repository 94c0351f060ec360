// The training loop. No files, no clock: what is random comes from Draws, what happens goes to the caller.
#include "plume/training.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "plume/one_cycle.hpp"
#include "plume/training_step.hpp"

namespace plume {

TrainedEpoch mean_of(const EpochProgress& whole) {
  const auto count = static_cast<double>(whole.batches);
  const auto& sum = whole.sums;
  return {{sum.total / count, sum.classification / count, sum.noise / count, sum.kl / count, sum.guidance / count},
          whole.learning_rate};
}

Trainer::Trainer(const sweeps::TrainingSettings& settings, Model model, InputRows rows, const Draws& draws)
    : settings_(settings),
      learner_(settings, std::move(model)),
      rows_(std::move(rows)),
      batches_(rows_.size(), settings.batch_size),
      draws_(draws) {}

std::optional<Trainer::Epoch> Trainer::run_epoch(int epoch,
                                                 const std::function<void(const results::LossTerms&)>& on_batch) {
  const at::ScalarType dtype = model().dtype();
  const at::Tensor order = at::tensor(draws_.permutation(epoch, rows_.size()), at::kLong);
  const std::int64_t per_epoch = batches_.count(), total = settings_.epochs * per_epoch;
  while (progress_.batches < per_epoch) {
    const std::int64_t batch = progress_.batches, count = batches_.rows_of(batch);
    const at::Tensor input = rows_.select(order.narrow(0, batches_.begin(batch), count), dtype);
    const at::Tensor eps = draws_.noise(epoch, batch, count, rows_.dimension()).to(dtype);
    const OneCyclePoint point = one_cycle(settings_.learning_rate.value(), total, epoch * per_epoch + batch);
    const results::LossTerms terms = learner_.step(input, eps, point.learning_rate, point.beta1);
    if (!std::isfinite(terms.total)) return std::nullopt;
    progress_.add(terms, point.learning_rate);
    on_batch(terms);
  }
  return mean_of(std::exchange(progress_, {}));
}

void Trainer::restore(const TrainingState& state) {
  check_progress(state.progress, batches_.count());
  restore_tensors(state.tensors, learner_.state());
  progress_ = state.progress;
}

std::vector<double> Trainer::scores(const InputRows& rows, const std::function<void()>& on_progress) const {
  return scores_of(model(), rows, on_progress);
}

namespace {

/// [m] doubles, where the model is.
at::Tensor logits_of(const Model& model, const InputRows& rows, const std::function<void()>& on_progress) {
  std::vector<at::Tensor> pieces;
  for (std::int64_t begin = 0; begin < rows.size(); begin += kEvaluationRows) {
    const std::int64_t count = std::min(kEvaluationRows, rows.size() - begin);
    pieces.push_back(logits_in_evaluation(model, rows.slice(begin, count, model.dtype())).to(at::kDouble));
    on_progress();
  }
  return at::cat(pieces);
}

std::vector<double> numbers_in(const at::Tensor& host) {
  return {host.const_data_ptr<double>(), host.const_data_ptr<double>() + host.numel()};
}

}  // namespace

std::vector<double> scores_of(const Model& model, const InputRows& rows, const std::function<void()>& on_progress) {
  return numbers_in(logits_of(model, rows, on_progress).cpu());
}

ScoresUnderWay begin_scores(const Model& model, const InputRows& rows, const StepDevice* device,
                            const std::function<void()>& on_progress) {
  if (device == nullptr) {
    return [scores = scores_of(model, rows, on_progress)] { return scores; };
  }
  return [fetched = device->fetch(logits_of(model, rows, on_progress))] { return numbers_in(fetched()); };
}

}  // namespace plume
