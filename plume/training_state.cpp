// Puts kept tensors back into a training.
#include "plume/training_state.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace plume {

void EpochProgress::add(const results::LossTerms& terms, double rate) {
  sums.total += terms.total;
  sums.classification += terms.classification;
  sums.noise += terms.noise;
  sums.kl += terms.kl;
  sums.guidance += terms.guidance;
  learning_rate = rate;
  ++batches;
}

void check_progress(const EpochProgress& progress, std::int64_t batches) {
  if (progress.batches < 0 || progress.batches > batches) {
    throw StateRefused(fmt::format("it is {} batches into an epoch of {}", progress.batches, batches));
  }
}

void restore_tensors(const NamedTensors& from, const NamedTensors& to) {
  if (from.size() != to.size()) {
    throw StateRefused(fmt::format("it has {} tensors, this training has {}", from.size(), to.size()));
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto& [name, tensor] = to[i];
    const bool fits = from[i].first == name && from[i].second.sizes() == tensor.sizes() &&
                      from[i].second.scalar_type() == tensor.scalar_type();
    if (!fits) throw StateRefused(fmt::format("its tensor {} is not the {} of this training", from[i].first, name));
  }
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < to.size(); ++i) at::Tensor(to[i].second).copy_(from[i].second);
}

}  // namespace plume
