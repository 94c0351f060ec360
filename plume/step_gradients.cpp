// Autograd is asked for the outputs of the noted passes in the weights' place.
#include "plume/step_gradients.hpp"

#include <ATen/ATen.h>

#include <utility>

#include "plume/training_step.hpp"

namespace plume {
namespace {

/// Has passes update their weights in a sweep of autograd.
class OnTheWay {
 public:
  OnTheWay(const std::vector<std::shared_ptr<LinearPasses>>& noted, const UpdateBehind& update)
      : noted_(noted), made_(noted.size(), 0) {
    if (!update) return;
    for (std::size_t i = 0; i < noted.size(); ++i) {
      if (!noted[i] || noted[i]->made.size() != 1) continue;
      noted[i]->backward = [this, i, &update, input = noted[i]->made.front().input](const at::Tensor& dy) {
        made_[i] = 1;
        return update(i, {dy, input});
      };
    }
  }
  ~OnTheWay() {
    for (const auto& noted : noted_) {
      if (noted) noted->backward = {};
    }
  }
  OnTheWay(const OnTheWay&) = delete;
  OnTheWay& operator=(const OnTheWay&) = delete;

  bool has_updated(std::size_t parameter) const { return made_[parameter] != 0; }

 private:
  const std::vector<std::shared_ptr<LinearPasses>>& noted_;
  std::vector<char> made_;
};

}  // namespace

StepGradients::StepGradients(Model& model) {
  for (const auto& [name, tensor] : model.parameters()) parameters_.push_back(tensor);
  if (model.dtype() == at::kFloat)
    noted_ = model.note_passes();
  else
    noted_.resize(parameters_.size());
}

std::vector<Gradient> StepGradients::of(const at::Tensor& loss, const UpdateBehind& update) const {
  std::vector<at::Tensor> wanted;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!noted_[i]) {
      wanted.push_back(parameters_[i]);
      continue;
    }
    TORCH_INTERNAL_ASSERT(!noted_[i]->made.empty(), "a layer that nothing ran through has no gradient");
    for (const auto& pass : noted_[i]->made) wanted.push_back(pass.output);
  }
  const OnTheWay on_the_way(noted_, update);
  const auto made = gradients_of(loss, wanted);
  std::vector<Gradient> gradients;
  auto next = made.begin();
  for (std::size_t i = 0; i < noted_.size(); ++i) {
    if (!noted_[i]) {
      gradients.emplace_back(*next++);
      continue;
    }
    FoldedGradient folded;
    for (const auto& pass : noted_[i]->made) folded.passes.push_back({*next++, pass.input});
    if (on_the_way.has_updated(i))
      gradients.emplace_back(UpdateMade{});
    else
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
