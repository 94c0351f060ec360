// Copies a model when its epoch is the best so far.
#include "plume/kept_models.hpp"

#include <utility>
#include <vector>

namespace plume {
namespace {

NamedTensors tensors_of(const Model& model) {
  NamedTensors list = model.parameters();
  for (auto& named : model.running_statistics()) list.push_back(std::move(named));
  return list;
}

}  // namespace

Model copy_of_parts(const Model& model, ModelParts parts) {
  Model handles = model;
  if (parts == ModelParts::classifier) handles.vae.reset();
  return handles.clone();
}

void BestModel::see(const results::EpochRecord& epoch, const Model& model) {
  if (parts_ == ModelParts::none || !epoch.ranking) return;
  if (best_ && best_->epoch.ranking->auc >= epoch.ranking->auc) return;
  best_ = ModelOfEpoch{epoch, copy_of_parts(model, parts_)};
}

void BestModel::restore(const TrainingState& state, const Model& model) {
  if (parts_ == ModelParts::none) return;
  const auto best = results::best_epoch(state.epochs);
  if (!best) return;
  if (state.best.empty()) {
    throw StateRefused("it has no weights of the best epoch before it, which this training is to save");
  }
  Model copy = copy_of_parts(model, parts_);
  restore_tensors(state.best, tensors_of(copy));
  best_ = ModelOfEpoch{state.epochs.at(*best), std::move(copy)};
}

NamedTensors BestModel::tensors() const {
  return best_ ? tensors_of(best_->model) : NamedTensors{};
}

}  // namespace plume
