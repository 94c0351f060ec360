#include "tests/plume/formula_weights.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "plume/weights_zip_archive.hpp"
#include "storage/atomic_file.hpp"

namespace plume::golden {

namespace {

/// In [-1, 1), a multiple of 2^-23.
double unit(std::uint32_t i, std::uint32_t j) {
  std::uint32_t h = i * 0x9E3779B1u + (j * 0x85EBCA77u + 0x2545F491u);
  h ^= h >> 16;
  h *= 0x7FEB352Du;
  h ^= h >> 15;
  h *= 0x846CA68Bu;
  h ^= h >> 16;
  return (static_cast<std::int32_t>(h >> 8) - 8388608) / 8388608.0;
}

template <typename T>
std::vector<T> read_numbers(const std::string& name, std::size_t count) {
  const std::string bytes = storage::read_file(backbones_folder() / name);
  EXPECT_EQ(bytes.size(), count * sizeof(T)) << name;
  std::vector<T> numbers(count);
  std::memcpy(numbers.data(), bytes.data(), std::min(bytes.size(), count * sizeof(T)));
  return numbers;
}

WeightTensor filled(const nlohmann::json& entry) {
  WeightTensor tensor{entry.at("key"), Dtype::float32, entry.at("shape").get<std::vector<std::int64_t>>(), {}};
  if (entry.at("dtype") == "int64") {
    tensor.dtype = Dtype::int64;
    tensor.bytes = std::string(8, '\0');
    return tensor;
  }
  std::uint32_t count = 1;
  for (const std::int64_t size : tensor.shape) count *= static_cast<std::uint32_t>(size);
  const auto j = entry.at("j").get<std::uint32_t>();
  const double centre = entry.at("centre"), scale = entry.at("scale");
  std::vector<float> values(count);
  for (std::uint32_t i = 0; i < count; ++i) values[i] = static_cast<float>(centre + scale * unit(i, j));
  tensor.bytes.assign(reinterpret_cast<const char*>(values.data()), count * sizeof(float));
  return tensor;
}

}  // namespace

std::filesystem::path backbones_folder() {
  const char* golden = std::getenv("PLUME_GOLDEN_DIR");
  return std::filesystem::path(golden ? golden : PLUME_SOURCE_DIR "/tests/golden") / "backbones";
}

nlohmann::json read_json(const std::string& name) {
  return nlohmann::json::parse(storage::read_file(backbones_folder() / name));
}
std::vector<float> read_floats(const std::string& name, std::size_t count) {
  return read_numbers<float>(name, count);
}
std::vector<double> read_doubles(const std::string& name, std::size_t count) {
  return read_numbers<double>(name, count);
}
std::vector<std::uint8_t> read_bytes(const std::string& name, std::size_t count) {
  return read_numbers<std::uint8_t>(name, count);
}

std::vector<WeightTensor> formula_weights(const std::string& net) {
  std::vector<WeightTensor> tensors;
  const nlohmann::json keys = read_json("keys_" + net + ".json");
  for (const auto& entry : keys.at("state_dict")) {
    tensors.push_back(filled(entry));
    EXPECT_EQ(crc_text(tensors.back().bytes.data(), tensors.back().bytes.size()), entry.at("crc32")) << entry.at("key");
  }
  return tensors;
}

std::vector<float> formula_images(int batch, int height, int width) {
  std::vector<float> values;
  for (int b = 0; b < batch; ++b) {
    for (int c = 0; c < 3; ++c) {
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          const int t = ((b + 2) * y * (c + 1) + (5 + 2 * b) * x + 13 * c) % 61;
          values.push_back(static_cast<float>((t - 30) * 0.0234375 +
                                              0.5 * unit(static_cast<std::uint32_t>(values.size()), 1000000)));
        }
      }
    }
  }
  return values;
}

std::string crc_text(const void* data, std::size_t bytes) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", crc32_ieee({static_cast<const char*>(data), bytes}));
  return text;
}

}  // namespace plume::golden
