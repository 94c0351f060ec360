// What a device brings to the training steps that device_learner.hpp hands to it: the arithmetic that LibTorch has no
// operation for, and a way to run the same step again and again. Knows no method.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "plume/adamw.hpp"
#include "plume/draws.hpp"

namespace plume {

/// A parameter with its moments, float32 and contiguous.
struct ParameterTensors {
  at::Tensor parameter, first_moment, second_moment;
};

/// `control` is a StepControl in a tensor of int64 words. Everything is in the device's memory, and the host waits for
/// nothing.
class StepKernels {
 public:
  virtual ~StepKernels() = default;
  /// Fills out [N, D] float32 with the normals of StreamDraws::noise for the epoch and the batch of `control`: from the
  /// same words, to the rounding of the logarithm and the cosine.
  virtual void draw(const NoiseKey& key, const at::Tensor& control, at::Tensor& out) const = 0;
  /// Fills out, a float32 weight of any shape, with what StreamDraws::initial_weight draws by this key and bound: the
  /// same bits.
  virtual void draw_weight(const NoiseKey& key, double bound, at::Tensor& out) const = 0;
  /// plume::decide on losses [5] float32, schedule [batches, 2] and kept [batches, 5] doubles.
  virtual void decide(const at::Tensor& control, const at::Tensor& losses, const at::Tensor& schedule,
                      double weight_decay, const at::Tensor& kept) const = 0;
  /// AdamW by the numbers of `control`, where it says that there is an update.
  virtual void update(const at::Tensor& control, const ParameterTensors& of, const Gradient& gradient) const = 0;
  /// To the next batch.
  virtual void advance(const at::Tensor& control) const = 0;
};

/// Steps of one training that differ in nothing but what is in the device's memory.
class StepRunner {
 public:
  virtual ~StepRunner() = default;
  /// Runs `step`, of a batch of `rows` rows, once; at first perhaps more often, but then with `state`, which is all
  /// that it changes and is used again, as it was before each further time. Waits for nothing once each size was there.
  virtual void run(std::int64_t rows, const std::function<void()>& step, const std::vector<at::Tensor>& state) = 0;
};

/// Runs `step` `times` times, each from the values that `state` has now, which are there again at the end.
void rehearse(const std::function<void()>& step, const std::vector<at::Tensor>& state, int times);

class StepDevice {
 public:
  virtual ~StepDevice() = default;
  virtual at::Device device() const = 0;
  virtual const StepKernels& kernels() const = 0;
  virtual std::unique_ptr<StepRunner> runner() const = 0;
  /// Begins to copy `of`, as all that was handed over so far leaves it, into the host's memory. What it returns waits
  /// for this copy, not for anything handed over after it.
  virtual std::function<at::Tensor()> fetch(const at::Tensor& of) const = 0;
};

}  // namespace plume
