// The epochs of a training on a device.
#include "plume/device_training.hpp"

#include <utility>

#include "plume/one_cycle.hpp"

namespace plume {
namespace {

/// Thrown by a look at a training that diverged, caught by the epoch.
struct LossNotFinite {};

}  // namespace

DeviceTrainer::DeviceTrainer(const StepDevice& device, const sweeps::TrainingSettings& settings, const Model& model,
                             const InputRows& rows, const Draws& draws)
    : settings_(settings), draws_(draws), learner_(device, settings, model, rows, draws, AfterBadLoss::stop) {}

std::optional<TrainedEpoch> DeviceTrainer::run_epoch(int epoch, const std::function<void()>& on_batch,
                                                     const std::function<void()>& on_handed_over) {
  const std::int64_t per_epoch = batches().count(), total = settings_.epochs * per_epoch;
  schedule_.clear();
  for (std::int64_t batch = 0; batch < per_epoch; ++batch) {
    const OneCyclePoint point = one_cycle(settings_.learning_rate.value(), total, epoch * per_epoch + batch);
    schedule_.push_back({point.learning_rate, point.beta1});
  }
  learner_.begin_epoch(epoch, draws_.permutation(epoch, learner_.rows()), schedule_, made_);
  try {
    while (made_ < per_epoch) {
      learner_.enqueue();
      ++made_;
      on_batch();
    }
    on_handed_over();
    const EpochProgress whole = progress();
    made_ = 0;
    begun_from_ = {};
    return mean_of(whole);
  } catch (const LossNotFinite&) {
    return std::nullopt;
  }
}

EpochProgress DeviceTrainer::progress() const {
  EpochProgress progress = begun_from_;
  if (made_ == progress.batches) return progress;
  const DeviceLearner::Made made = learner_.made();
  if (made.first_bad) throw LossNotFinite{};
  for (const results::LossTerms& terms : made.losses) {
    progress.add(terms, schedule_[static_cast<std::size_t>(progress.batches)].learning_rate);
  }
  return progress;
}

NamedTensors DeviceTrainer::tensors() {
  return learner_.state();
}

void DeviceTrainer::restore(const TrainingState& state) {
  check_progress(state.progress, batches().count());
  learner_.restore(state.tensors);
  begun_from_ = state.progress;
  made_ = state.progress.batches;
}

}  // namespace plume
