// Autograd is asked for the outputs of the noted passes in the weights' place.
#include "plume/step_gradients.hpp"

#include <ATen/ATen.h>

#include <utility>

#include "plume/training_step.hpp"

namespace plume {

StepGradients::StepGradients(Model& model) {
  for (const auto& [name, tensor] : model.parameters()) parameters_.push_back(tensor);
  if (model.dtype() == at::kFloat)
    noted_ = model.note_passes();
  else
    noted_.resize(parameters_.size());
}

std::vector<Gradient> StepGradients::of(const at::Tensor& loss) const {
  std::vector<at::Tensor> wanted;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!noted_[i]) {
      wanted.push_back(parameters_[i]);
      continue;
    }
    TORCH_INTERNAL_ASSERT(!noted_[i]->made.empty(), "a layer that nothing ran through has no gradient");
    for (const auto& pass : noted_[i]->made) wanted.push_back(pass.output);
  }
  const auto made = gradients_of(loss, wanted);
  std::vector<Gradient> gradients;
  auto next = made.begin();
  for (const auto& noted : noted_) {
    if (!noted) {
      gradients.emplace_back(*next++);
      continue;
    }
    FoldedGradient folded;
    for (const auto& pass : noted->made) folded.passes.push_back({*next++, pass.input});
    gradients.emplace_back(std::move(folded));
  }
  return gradients;
}

void StepGradients::forget() {
  for (const auto& noted : noted_) {
    if (noted) noted->made.clear();
  }
}

}  // namespace plume
