// What is known of each backbone without its weights and without LibTorch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sweeps {

struct BackboneFacts {
  std::string name;          ///< as written in a sweep
  std::string weights_file;  ///< the published file's name
  std::int64_t row_length;   ///< L of its feature rows
  int input_size;            ///< side of its square input, pixels
};

const std::vector<BackboneFacts>& known_backbones();
std::vector<std::string> backbone_names();
/// Throws storage::UsageError with the nearest right name.
const BackboneFacts& backbone_facts(const std::string& name);

}  // namespace sweeps
