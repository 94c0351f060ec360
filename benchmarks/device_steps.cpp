// plume::DeviceLearner, fed as timed_step feeds the others.
#include "benchmarks/device_steps.hpp"

#include <ATen/ATen.h>

#include <chrono>
#include <numeric>
#include <utility>
#include <vector>

#include "benchmarks/formula.hpp"
#include "plume/device_learner.hpp"

namespace benchmarks {
namespace {

/// A device whose noise is the benchmark's.
class FormulaNoise : public plume::StepDevice {
 public:
  FormulaNoise(const plume::StepDevice& device, at::Tensor noise)
      : device_(device), kernels_(device.kernels(), std::move(noise)) {}
  at::Device device() const override { return device_.device(); }
  const plume::StepKernels& kernels() const override { return kernels_; }
  std::unique_ptr<plume::StepRunner> runner() const override { return device_.runner(); }
  std::function<at::Tensor()> fetch(const at::Tensor& of) const override { return device_.fetch(of); }

 private:
  class Kernels : public plume::StepKernels {
   public:
    Kernels(const plume::StepKernels& kernels, at::Tensor noise) : kernels_(kernels), noise_(std::move(noise)) {}
    void draw(const plume::NoiseKey& /*key*/, const at::Tensor& /*control*/, at::Tensor& out) const override {
      out.copy_(noise_);
    }
    void draw_weight(const plume::NoiseKey& key, double bound, at::Tensor& out) const override {
      kernels_.draw_weight(key, bound, out);
    }
    void decide(const at::Tensor& control, const at::Tensor& losses, const at::Tensor& schedule, double weight_decay,
                const at::Tensor& kept) const override {
      kernels_.decide(control, losses, schedule, weight_decay, kept);
    }
    void update(const at::Tensor& control, const plume::ParameterTensors& of,
                const plume::Gradient& gradient) const override {
      kernels_.update(control, of, gradient);
    }
    void advance(const at::Tensor& control) const override { kernels_.advance(control); }

   private:
    const plume::StepKernels& kernels_;
    at::Tensor noise_;
  };

  const plume::StepDevice& device_;
  Kernels kernels_;
};

sweeps::TrainingSettings settings_of(std::int64_t dimension, std::int64_t batch) {
  sweeps::TrainingSettings settings;
  settings.dimension = static_cast<int>(dimension);
  settings.batch_size = static_cast<int>(batch);
  return settings;
}

class OnDevice : public TimedStep {
 public:
  OnDevice(const plume::StepDevice& device, std::int64_t dimension, std::int64_t batch, int batches)
      : device_(device),
        dimension_(dimension),
        batch_(batch),
        first_loss_(loss_of_the_first_step()),
        learner_(learner(device, batches)) {}

  StepSeconds once() override {
    begin(learner_);
    device_.fetch(at::zeros({1}, device_.device()))();  // the beginning is done
    const auto start = std::chrono::steady_clock::now();
    const auto batches = learner_.batches().count();
    for (std::int64_t i = 0; i < batches; ++i) learner_.enqueue();
    const auto made = learner_.made();
    const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
    if (made.first_bad)
      throw std::runtime_error("a loss is not finite: updates were left out, and the time says little");
    return {all.count() / static_cast<double>(batches), batches, {}, first_loss_};
  }

 private:
  plume::DeviceLearner learner(const plume::StepDevice& device, int batches) const {
    const auto rows =
        plume::InputRows::features(formula({batch_, dimension_}, 1000, 1).repeat({batches, 1}), dimension_);
    return {device, settings_of(dimension_, batch_),   formula_model(dimension_),
            rows,   plume::StreamDraws(sweeps::Job{}), plume::AfterBadLoss::stop};
  }

  void begin(plume::DeviceLearner& learner) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(learner.rows()));
    std::iota(order.begin(), order.end(), 0);
    const std::vector<plume::SchedulePoint> schedule(static_cast<std::size_t>(learner.batches().count()),
                                                     {kLearningRate, kBeta1});
    learner.begin_epoch(epoch_++, order, schedule, 0);
  }

  double loss_of_the_first_step() {
    const FormulaNoise device(device_, formula({batch_, dimension_}, 1001, 1.7).to(device_.device()));
    plume::DeviceLearner first = learner(device, 1);
    begin(first);
    first.enqueue();
    return first.made().losses.at(0).total;
  }

  const plume::StepDevice& device_;
  std::int64_t dimension_, batch_;
  int epoch_ = 0;
  double first_loss_;  // of another learner, which is gone before this one: the peak of memory is of one training
  plume::DeviceLearner learner_;
};

}  // namespace

std::unique_ptr<TimedStep> timed_steps_on(const plume::StepDevice& device, std::int64_t dimension, std::int64_t batch,
                                          int batches) {
  return std::make_unique<OnDevice>(device, dimension, batch, batches);
}

}  // namespace benchmarks
