// The safetensors format in a dozen lines: the length of a JSON header, the header, the bytes.
#include "tests/end_to_end/weight_files.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/plume/formula_weights.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

/// The upper half of each float32: bfloat16, rounded towards zero.
std::string halved(const std::string& floats, float scale) {
  std::string bytes(floats.size() / 2, '\0');
  for (std::size_t i = 0; i < floats.size() / 4; ++i) {
    float value = 0;
    std::memcpy(&value, floats.data() + 4 * i, 4);
    value *= scale;
    std::memcpy(bytes.data() + 2 * i, reinterpret_cast<const char*>(&value) + 2, 2);
  }
  return bytes;
}

}  // namespace

void write_formula_weights(const std::filesystem::path& file, const std::string& net, float scale) {
  nlohmann::json header;
  std::string data;
  for (const auto& tensor : plume::golden::formula_weights(net)) {
    if (tensor.dtype != plume::Dtype::float32) continue;  // the counters, which a file may lack
    const auto begin = data.size();
    data += halved(tensor.bytes, scale);
    header[tensor.name] = {{"dtype", "BF16"}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  write_text(file, std::string(reinterpret_cast<const char*>(&length), 8) + text + data);
}

}  // namespace tests
