// A backbone without a weights file: entries filled by a closed formula, so that the path from images to tables can be
// tried anywhere. Such a network is untrained. Knows no network.
#pragma once

#include <cstdint>
#include <vector>

#include "plume/backbone_parameters.hpp"
#include "plume/weights.hpp"

namespace plume {

/// Every one of `entries` filled by the formula of tests/golden/backbones/README.md section 1, where entry number j
/// counts as number j + 100003 seed (modulo 2^32). Seed 0 is that formula itself.
std::vector<WeightTensor> random_weights(const std::vector<ParameterSpec>& entries, std::uint32_t seed);

}  // namespace plume
