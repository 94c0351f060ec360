// One step in terms of the device's memory.
#include "plume/device_learner.hpp"

#include <ATen/ATen.h>

#include <cstring>
#include <utility>

#include "plume/learner.hpp"
#include "plume/training_state.hpp"
#include "plume/training_step.hpp"

namespace plume {
namespace {

/// Copies `count` values of `dtype` into `to`, which the device's steps read at this address.
void upload(const void* values, at::ScalarType dtype, const at::Tensor& to) {
  at::Tensor host = at::empty(to.sizes(), dtype);
  std::memcpy(host.data_ptr(), values, host.nbytes());
  at::Tensor(to).copy_(host);
}

/// [5], in the order of results::LossTerms.
at::Tensor terms_of(const StepLosses& losses) {
  const at::NoGradGuard no_grad;
  return at::stack({losses.total, losses.classification, losses.noise, losses.kl, losses.guidance});
}

}  // namespace

DeviceLearner::DeviceLearner(const StepDevice& device, const sweeps::TrainingSettings& settings, const Model& model,
                             const InputRows& rows, const Draws& draws, AfterBadLoss after_bad)
    : settings_(settings),
      kernels_(device.kernels()),
      rows_(rows.on(device.device())),
      batches_(rows.size(), settings.batch_size),
      noise_(draws.noise_key().value()),
      after_bad_(after_bad),
      model_(model.copy_on(device.device())),
      gradients_(model_),
      optimiser_(values_of(model_.parameters())),
      runner_(device.runner()) {
  TORCH_INTERNAL_ASSERT(model_.dtype() == at::kFloat, "a device trains in float32");
  const auto words = at::TensorOptions(device.device()).dtype(at::kLong);
  const auto doubles = words.dtype(at::kDouble);
  control_ = at::zeros({kControlWords}, words);
  order_ = at::zeros({rows_.size()}, words);
  schedule_ = at::zeros({batches_.count(), 2}, doubles);
  kept_ = at::zeros({batches_.count(), kLossTerms}, doubles);
  positions_ = at::arange(settings.batch_size, words);
  changed_by_a_step_ = values_of(training_tensors(model_, optimiser_));
  changed_by_a_step_.insert(changed_by_a_step_.end(), {control_, kept_});
  set(StepControl{});
}

StepControl DeviceLearner::control() const {
  const at::Tensor words = control_.to(at::kCPU);
  StepControl control;
  std::memcpy(&control, words.const_data_ptr(), sizeof(control));
  return control;
}

void DeviceLearner::set(const StepControl& control) {
  upload(&control, at::kLong, control_);
}

void DeviceLearner::begin_epoch(int epoch, const std::vector<std::int64_t>& order,
                                const std::vector<SchedulePoint>& schedule, std::int64_t first) {
  TORCH_INTERNAL_ASSERT(static_cast<std::int64_t>(order.size()) == rows_.size());
  TORCH_INTERNAL_ASSERT(static_cast<std::int64_t>(schedule.size()) == batches_.count());
  upload(order.data(), at::kLong, order_);
  upload(schedule.data(), at::kDouble, schedule_);
  StepControl next = control();
  next.epoch = epoch;
  next.batch = first;
  next.first_bad = -1;
  next.after_bad = after_bad_;
  set(next);
  first_ = next_ = first;
}

void DeviceLearner::enqueue() {
  const std::int64_t rows = batches_.rows_of(next_);
  runner_->run(
      rows, [this, rows] { step(rows); }, changed_by_a_step_);
  ++next_;
}

void DeviceLearner::step(std::int64_t rows) {
  const NothingLeft after(gradients_);
  at::Tensor input, eps;
  {
    const at::NoGradGuard no_grad;
    const at::Tensor begin = control_.narrow(0, kBatchWord, 1) * settings_.batch_size;
    input = rows_.select(order_.index_select(0, positions_.narrow(0, 0, rows) + begin), at::kFloat);
    eps = at::empty({rows, rows_.dimension()}, input.options());
    kernels_.draw(noise_, control_, eps);
  }
  const StepLosses losses = losses_of(forward_in_training(model_, settings_, input, eps), settings_);
  kernels_.decide(control_, terms_of(losses), schedule_, settings_.weight_decay, kept_);
  const std::vector<Gradient> gradients = gradients_.of(losses.total);
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    kernels_.update(control_, {optimiser_.parameters[i], optimiser_.first_moments[i], optimiser_.second_moments[i]},
                    gradients[i]);
  }
  kernels_.advance(control_);
}

DeviceLearner::Made DeviceLearner::made() const {
  const at::Tensor rows = kept_.to(at::kCPU);
  const auto* terms = rows.const_data_ptr<double>() + first_ * kLossTerms;
  Made made;
  for (std::int64_t batch = first_; batch < next_; ++batch, terms += kLossTerms) {
    made.losses.push_back({terms[0], terms[1], terms[2], terms[3], terms[4]});
  }
  if (const std::int64_t bad = control().first_bad; bad >= 0) made.first_bad = bad - first_;
  return made;
}

NamedTensors DeviceLearner::state() {
  // One count serves for all parameters while the training goes on.
  const at::NoGradGuard no_grad;
  const auto updates = static_cast<double>(control().updates);
  for (at::Tensor& count : optimiser_.steps) count.fill_(updates);
  return training_tensors(model_, optimiser_);
}

void DeviceLearner::restore(const NamedTensors& tensors) {
  restore_tensors(tensors, training_tensors(model_, optimiser_));
  StepControl restored = control();
  restored.updates = static_cast<std::int64_t>(optimiser_.steps.front().item().toDouble());
  set(restored);
}

}  // namespace plume
