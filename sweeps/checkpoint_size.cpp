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

constexpr std::int64_t kBytes = 4;           // of a float32
constexpr std::int64_t kPladEmbedding = 64;  // what its last layer reads

Numbers classifier_of(const Job& job) {
  return job.method == Method::plad ? image_classifier() : classifier(job.training.dimension);
}
Numbers perturbator_of(const Job& job) {
  return job.method == Method::plad ? perturbator(kPaperDimension, Perturbation::add_mult)
                                    : perturbator(job.training.dimension, job.training.perturbation);
}

std::int64_t numbers_of_model(const Job& job, bool whole) {
  Numbers model = classifier_of(job);
  if (whole) model += perturbator_of(job);
  return kBytes * (model.parameters + model.statistics);
}

}  // namespace

std::int64_t checkpoint_bytes(const Job& job) {
  if (!is_trained(job.method)) return 0;
  Numbers all = classifier_of(job);
  all += perturbator_of(job);
  return kBytes * (3 * all.parameters + all.tensors + all.statistics);
}

std::int64_t best_epoch_bytes(const Job& job, const Keep& keep) {
  if (!is_trained(job.method) || !keep.anything()) return 0;
  return numbers_of_model(job, keep.save == Save::all || keep.dump > 0);
}

std::int64_t model_bytes(const Job& job, Save save) {
  if (!is_trained(job.method) || save == Save::none) return 0;
  return numbers_of_model(job, save == Save::all);
}

std::int64_t kept_bytes(const Job& job, const Keep& keep) {
  if (!is_trained(job.method)) return 0;
  const std::int64_t models = 2 * model_bytes(job, keep.save);
  const std::int64_t row = job.method == Method::plad ? kPaperDimension + kPladEmbedding
                                                      : job.training.dimension + job.training.dimension / 6;
  return models + 2 * 3 * keep.dump * row * kBytes;
}

}  // namespace sweeps
