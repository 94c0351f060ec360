// VGG16: images in, 4096 features out, those before the last layer of its classifier.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plume/backbone.hpp"
#include "plume/backbone_parameters.hpp"
#include "plume/weights.hpp"

namespace plume {

/// Every entry of the published file (torchvision's vgg16, without BatchNorm), in its order.
std::vector<ParameterSpec> vgg16_entries();
/// How the names of those begin that the features do not need.
inline constexpr char kVgg16Classifier[] = "classifier.6.";
/// From the tensors of that file. `origin` is what errors call it.
std::unique_ptr<Backbone> make_vgg16(const std::vector<WeightTensor>& tensors, const std::string& origin);

}  // namespace plume
