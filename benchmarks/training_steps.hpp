// One optimiser step of linear-map with full guidance, `released`, in three ways: as plume-bench makes it on the CPU,
// and as a LibTorch program would on either device. All begin with the same weights, rows and noise.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plume {
class StepDevice;
}

namespace benchmarks {

inline constexpr double kLearningRate = 1e-5, kBeta1 = 0.9;

/// Seconds of one step.
struct StepSeconds {
  struct Parts {
    double forward;   ///< with the loss
    double gradient;  ///< all else that autograd does
    double both;      ///< ours: the gradients of layers' inputs and the updates of their weights, in one
    double update;    ///< the optimiser; ours makes the other weights' gradients in it
  };
  double whole;                ///< on a device, which is waited for between the parts: of others in a row
  std::int64_t steps;          ///< that it is the mean of
  std::optional<Parts> parts;  ///< where there is a clock between them
  double loss;                 ///< before the first step or this one, to compare programs
};

class TimedStep {
 public:
  virtual ~TimedStep() = default;
  virtual StepSeconds once() = 0;
};

/// `way`: "ours", on the CPU alone (device_steps.hpp); "adamw": autograd and torch::optim::AdamW; "fused": autograd and
/// at::_fused_adamw_. `device`: null is the CPU; a device is waited for before each look at the clock.
std::unique_ptr<TimedStep> timed_step(const std::string& way, std::int64_t dimension, std::int64_t batch,
                                      const plume::StepDevice* device);

/// A linear layer of the networks and how often a step runs through it.
struct LayerShape {
  std::int64_t in, out;
  int layers;           ///< of that shape
  int passes;           ///< forward, of all of them
  int input_gradients;  ///< passes whose input needs a gradient
};
std::vector<LayerShape> layers_of(std::int64_t dimension);

}  // namespace benchmarks
