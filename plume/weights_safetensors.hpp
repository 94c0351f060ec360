// A safetensors file with its metadata: what the reader of weights leaves out. Knows no LibTorch.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plume/weights.hpp"

namespace plume {

struct SafetensorsFile {
  std::vector<std::pair<std::string, std::string>> metadata;  ///< sorted by name; empty where the file has none
  std::vector<WeightTensor> tensors;                          ///< in the order of their bytes
};

/// As read_safetensors (weights_formats.hpp), and refuses metadata that are no texts.
SafetensorsFile read_safetensors_file(std::string_view bytes, const std::string& origin);

}  // namespace plume
