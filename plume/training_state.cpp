// Puts kept tensors back into a training.
#include "plume/training_state.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

namespace plume {

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
