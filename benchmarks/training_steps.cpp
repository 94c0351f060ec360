// The three ways, each with a clock between its parts.
#include "benchmarks/training_steps.hpp"

#include <ATen/ATen.h>
#include <torch/optim/adamw.h>

#include <chrono>
#include <utility>

#include "benchmarks/formula.hpp"
#include "plume/adamw.hpp"
#include "plume/step_device.hpp"
#include "plume/step_gradients.hpp"
#include "plume/training_step.hpp"
#include "storage/error.hpp"

namespace benchmarks {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kDecay = 0.01;
// On a device, where the host waits for none of them: as a training loop goes, and as ours is timed.
constexpr int kStepsInARow = 32;

double seconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

std::vector<at::Tensor> parameters_of(const plume::Model& model) {
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : model.parameters()) tensors.push_back(tensor);
  return tensors;
}

/// What all have in common: the networks. A way says how gradients and update are made; only in ours, which notes the
/// passes of linear layers, are their products our own.
class Step : public TimedStep {
 public:
  Step(std::int64_t dimension, std::int64_t batch, const plume::StepDevice* device)
      : device_(device),
        model_(device != nullptr ? formula_model(dimension).copy_on(where()) : formula_model(dimension)),
        rows_(formula({batch, dimension}, 1000, 1).to(where())),
        eps_(formula({batch, dimension}, 1001, 1.7).to(where())) {
    settings_.dimension = static_cast<int>(dimension);
  }

  StepSeconds once() override {
    StepSeconds step = with_a_clock();
    if (device_ == nullptr) return step;
    const auto start = now();
    for (int i = 0; i < kStepsInARow; ++i) {
      differentiate(loss_now());
      update();
    }
    step.whole = seconds(start, now()) / kStepsInARow;
    step.steps = kStepsInARow;
    return step;
  }

 protected:
  virtual void differentiate(const at::Tensor& total) = 0;
  virtual void update() = 0;

  const plume::StepDevice* device_;
  plume::Model model_;
  double both_ = 0;  ///< of the differentiation: StepSeconds::Parts

 private:
  at::Tensor loss_now() const {
    return losses_of(forward_in_training(model_, settings_, rows_, eps_), settings_).total;
  }
  StepSeconds with_a_clock() {
    const auto start = now();
    const at::Tensor total = loss_now();
    const double loss = total.item().toDouble();
    const auto forward = now();
    differentiate(total);
    const auto differentiated = now();
    update();
    const auto end = now();
    return {seconds(start, end), 1,
            StepSeconds::Parts{seconds(start, forward), seconds(forward, differentiated) - both_, both_,
                               seconds(differentiated, end)},
            loss};
  }
  at::Device where() const { return device_ != nullptr ? device_->device() : at::kCPU; }
  Clock::time_point now() const {
    if (device_ != nullptr) device_->fetch(rows_.flatten().narrow(0, 0, 1))();
    return Clock::now();
  }

  sweeps::TrainingSettings settings_;
  at::Tensor rows_, eps_;
};

/// The parts of plume::Learner::step.
class Ours : public Step {
 public:
  Ours(std::int64_t dimension, std::int64_t batch)
      : Step(dimension, batch, nullptr), gradients_(model_), optimiser_(parameters_of(model_), kDecay) {}

 private:
  void differentiate(const at::Tensor& total) override {
    both_ = 0;
    optimiser_.begin(kLearningRate, kBeta1);
    made_ = gradients_.of(total, [this](std::size_t parameter, const plume::FoldedGradient::Pass& pass) {
      const auto start = Clock::now();
      at::Tensor dx = optimiser_.update_behind(parameter, pass);
      both_ += seconds(start, Clock::now());
      return dx;
    });
  }
  void update() override {
    optimiser_.finish(made_);
    made_.clear();
    gradients_.forget();
  }

  plume::StepGradients gradients_;
  plume::AdamW optimiser_;
  std::vector<plume::Gradient> made_;
};

class Fused : public Step {
 public:
  Fused(std::int64_t dimension, std::int64_t batch, const plume::StepDevice* device)
      : Step(dimension, batch, device), parameters_(parameters_of(model_)), optimiser_(parameters_, kDecay) {}

 private:
  void differentiate(const at::Tensor& total) override { made_ = plume::gradients_of(total, parameters_); }
  void update() override {
    optimiser_.step(made_, kLearningRate, kBeta1);
    made_.clear();
  }

  std::vector<at::Tensor> parameters_, made_;
  plume::AdamW optimiser_;
};

class Plain : public Step {
 public:
  Plain(std::int64_t dimension, std::int64_t batch, const plume::StepDevice* device)
      : Step(dimension, batch, device),
        optimiser_(parameters_of(model_),
                   torch::optim::AdamWOptions(kLearningRate).betas({kBeta1, 0.999}).weight_decay(kDecay)) {}

 private:
  void differentiate(const at::Tensor& total) override {
    optimiser_.zero_grad();
    total.backward();
  }
  void update() override { optimiser_.step(); }

  torch::optim::AdamW optimiser_;
};

}  // namespace

std::unique_ptr<TimedStep> timed_step(const std::string& way, std::int64_t dimension, std::int64_t batch,
                                      const plume::StepDevice* device) {
  if (way == "ours" && device == nullptr) return std::make_unique<Ours>(dimension, batch);
  if (way == "adamw") return std::make_unique<Plain>(dimension, batch, device);
  if (way == "fused") return std::make_unique<Fused>(dimension, batch, device);
  throw storage::UsageError("expected ours, adamw or fused, found " + way);
}

std::vector<LayerShape> layers_of(std::int64_t dimension) {
  const auto [row, hidden, embedding] = plume::widths_of(static_cast<int>(dimension));
  return {{row, hidden, 1, 2, 1},  // of the normals' rows nobody asks a gradient
          {hidden, embedding, 1, 2, 2}, {embedding, 1, 1, 2, 2},
          {row, row, 1, 1, 0},  // fc1 of the VAE: its input are the rows
          {row, row, 3, 3, 3},  // fc2, fc3, fc4
          {row, 2 * row, 1, 1, 1}};
}

}  // namespace benchmarks
