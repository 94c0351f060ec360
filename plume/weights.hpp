// Reads weight files without executing anything in them: names, dtypes, shapes, bytes. Knows no LibTorch, so that it
// can be fuzzed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace plume {

enum class Dtype { float32, float64, float16, bfloat16, int64, int32, int16, int8, uint8, boolean };
std::string_view name_of(Dtype dtype);  ///< torch's names: "float32", ...
std::size_t size_of(Dtype dtype);

/// One tensor, made contiguous (row-major, little-endian) whatever strides the file gave it.
struct WeightTensor {
  std::string name;
  Dtype dtype = Dtype::float32;
  std::vector<std::int64_t> shape;
  std::string bytes;
};

enum class WeightsFormat { zip, legacy, safetensors };
/// "PyTorch zip", "PyTorch legacy", "safetensors".
std::string_view name_of(WeightsFormat format);
/// Told from the content; says nothing of what comes after the first bytes. Throws storage::Error "<origin>: <what>"
/// for anything else, and says what it is where that helps.
WeightsFormat format_of(std::string_view bytes, const std::string& origin);

/// Reads the tensors of a PyTorch state dict, in the file's order. The format is told from the content, not from the
/// name. Throws storage::Error "<file>: <what>" for anything damaged, truncated, foreign or not a plain dictionary of
/// tensors; checks every size before allocating.
std::vector<WeightTensor> read_weights(const std::filesystem::path& file);
std::vector<WeightTensor> read_weights_from_bytes(std::string_view bytes, const std::string& origin);

}  // namespace plume
