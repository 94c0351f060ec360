// ConvNeXt-Base: images in, 1024 features out. The classifier and the LayerNorm before it are not part of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plume/backbone.hpp"
#include "plume/backbone_parameters.hpp"
#include "plume/weights.hpp"

namespace plume {

/// Every entry of the published file (torchvision's convnext_base), in its order.
std::vector<ParameterSpec> convnext_base_entries();
/// How the names of those begin that the features do not need.
inline constexpr char kConvnextBaseClassifier[] = "classifier.";
/// From the tensors of that file. `origin` is what errors call it.
std::unique_ptr<Backbone> make_convnext_base(const std::vector<WeightTensor>& tensors, const std::string& origin);

}  // namespace plume
