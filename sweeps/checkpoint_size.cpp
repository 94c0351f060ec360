// Counts the numbers in a training's networks.
#include "sweeps/checkpoint_size.hpp"

namespace sweeps {
namespace {

struct Numbers {
  std::int64_t parameters = 0;  ///< numbers in all of them
  std::int64_t tensors = 0;     ///< how many they are: each has a step count
  std::int64_t statistics = 0;

  Numbers& operator+=(const Numbers& other) {
    parameters += other.parameters;
    tensors += other.tensors;
    statistics += other.statistics;
    return *this;
  }
};

/// Five linear layers with biases; the last is twice as wide where the perturbation has two halves.
Numbers perturbator(std::int64_t d, Perturbation perturbation) {
  if (perturbation == Perturbation::gaussian) return {};
  const bool has_two_halves = perturbation == Perturbation::linear_map || perturbation == Perturbation::add_mult;
  return {(has_two_halves ? 6 : 5) * d * (d + 1), 10, 0};
}

Numbers classifier(std::int64_t d) {
  const std::int64_t h = d / 3, e = d / 6;
  return {d * h + h * e + e, 3, 2 * (d + h + e)};
}

/// Four 5x5 convolutions (3, 16, 32, 64, 128 channels), each with a batch norm, and 512 -> 128 -> 64 -> 1.
Numbers image_classifier() {
  return {25 * (3 * 16 + 16 * 32 + 32 * 64 + 64 * 128) + 512 * 128 + 128 * 64 + 64, 7, 2 * (16 + 32 + 64 + 128)};
}

}  // namespace

std::int64_t checkpoint_bytes(const Job& job) {
  if (!is_trained(job.method)) return 0;
  Numbers all;
  if (job.method == Method::plad) {
    all += image_classifier();
    all += perturbator(kPaperDimension, Perturbation::add_mult);
  } else {
    all += classifier(job.training.dimension);
    all += perturbator(job.training.dimension, job.training.perturbation);
  }
  return 4 * (3 * all.parameters + all.tensors + all.statistics);
}

}  // namespace sweeps
