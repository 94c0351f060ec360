// ResNet-50: images in, 2048 features out. The classifier is not part of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plume/backbone.hpp"
#include "plume/backbone_parameters.hpp"
#include "plume/weights.hpp"

namespace plume {

/// Every entry of the published file (torchvision's resnet50), in its order.
std::vector<ParameterSpec> resnet50_entries();
/// How the names of those begin that the features do not need.
inline constexpr char kResnet50Classifier[] = "fc.";
/// From the tensors of that file. `origin` is what errors call it.
std::unique_ptr<Backbone> make_resnet50(const std::vector<WeightTensor>& tensors, const std::string& origin);

}  // namespace plume
