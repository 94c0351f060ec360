// Weight files of the right names and shapes that nobody published.
#pragma once

#include <filesystem>
#include <string>

namespace tests {

/// Writes the tensors of tests/golden/backbones/keys_NET.json, filled by the fixtures' formula times `scale`, as
/// safetensors in bfloat16: half the size of what they stand for (51 MB for resnet50).
void write_formula_weights(const std::filesystem::path& file, const std::string& net, float scale = 1);

}  // namespace tests
