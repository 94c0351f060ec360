// One optimiser step of linear-map with full guidance, `released`, in three ways: as plume-bench makes it, and as a
// LibTorch program would. All begin with the same weights, rows and noise.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace benchmarks {

/// Seconds of one step.
struct StepSeconds {
  double forward;   ///< with the loss
  double gradient;  ///< all that autograd does
  double update;    ///< the optimiser; ours makes the weights' gradients in it
  double loss;      ///< before the step, to compare programs
};

class TimedStep {
 public:
  virtual ~TimedStep() = default;
  virtual StepSeconds once() = 0;
};

/// `way`: "ours"; "adamw": autograd and torch::optim::AdamW; "fused": autograd and at::_fused_adamw_.
std::unique_ptr<TimedStep> timed_step(const std::string& way, std::int64_t dimension, std::int64_t batch);

/// A linear layer of the networks and how often a step runs through it.
struct LayerShape {
  std::int64_t in, out;
  int layers;           ///< of that shape
  int passes;           ///< forward, of all of them
  int input_gradients;  ///< passes whose input needs a gradient
};
std::vector<LayerShape> layers_of(std::int64_t dimension);

}  // namespace benchmarks
