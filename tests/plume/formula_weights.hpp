// The weights and images of tests/golden/backbones/README.md section 1, made without a weight file, and reading of its
// raw files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plume/weights.hpp"

namespace plume::golden {

std::filesystem::path backbones_folder();
/// A JSON file of that folder.
nlohmann::json read_json(const std::string& name);
/// Little-endian numbers of a raw file of that folder; fails the test when their count is not `count`.
std::vector<float> read_floats(const std::string& name, std::size_t count);
std::vector<double> read_doubles(const std::string& name, std::size_t count);
std::vector<std::uint8_t> read_bytes(const std::string& name, std::size_t count);

/// Every entry of keys_NET.json filled by the formula. Fails the test where a CRC-32 disagrees.
std::vector<WeightTensor> formula_weights(const std::string& net);
/// Input batch [batch, 3, height, width], row-major.
std::vector<float> formula_images(int batch, int height, int width);

std::string crc_text(const void* data, std::size_t bytes);

}  // namespace plume::golden
