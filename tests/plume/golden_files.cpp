// Fixture files, closed-form fill and comparisons of the golden tests.
#include "tests/plume/golden_files.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace golden {
namespace {

std::string read_bytes(const std::string& name) {
  const auto file = folder() / name;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error(file.string() + ": missing fixture");
  return {std::istreambuf_iterator<char>(stream), {}};
}

at::ScalarType dtype_of(const std::string& name) {
  static const std::map<std::string, at::ScalarType> kTypes{
      {"F16", at::kHalf}, {"F32", at::kFloat}, {"F64", at::kDouble}, {"I32", at::kInt}, {"U8", at::kByte}};
  return kTypes.at(name);
}

}  // namespace

std::filesystem::path folder() {
  const char* chosen = std::getenv("PLUME_GOLDEN_DIR");
  return chosen != nullptr ? std::filesystem::path(chosen) : std::filesystem::path(PLUME_SOURCE_DIR) / "tests/golden";
}

nlohmann::json read_json(const std::string& name) {
  return nlohmann::json::parse(read_bytes(name));
}

std::map<std::string, at::Tensor> read_safetensors(const std::string& name) {
  const std::string bytes = read_bytes(name);
  std::uint64_t header_length = 0;
  if (bytes.size() < 8) throw std::runtime_error(name + ": shorter than its header");
  std::memcpy(&header_length, bytes.data(), 8);
  if (header_length > bytes.size() - 8) throw std::runtime_error(name + ": shorter than its header");
  const std::string_view data = std::string_view(bytes).substr(8 + header_length);

  std::map<std::string, at::Tensor> tensors;
  const auto header = nlohmann::json::parse(bytes.substr(8, header_length));
  for (const auto& [key, entry] : header.items()) {
    const auto shape = entry.at("shape").get<std::vector<std::int64_t>>();
    at::Tensor tensor = at::empty(shape, dtype_of(entry.at("dtype")));
    const auto begin = entry.at("data_offsets")[0].get<std::size_t>(),
               end = entry.at("data_offsets")[1].get<std::size_t>();
    if (end > data.size() || begin > end || end - begin != tensor.nbytes())
      throw std::runtime_error(name + ": " + key + " does not fit");
    std::memcpy(tensor.data_ptr(), data.data() + begin, end - begin);
    tensors.emplace(key, tensor);
  }
  return tensors;
}

std::uint32_t hash(std::uint32_t i, std::uint32_t stream) {
  std::uint32_t x = i * 0x9E3779B1u + stream * 0x85EBCA77u + 0x165667B1u;
  x ^= x >> 15;
  x *= 0x2C1B3C6Du;
  x ^= x >> 12;
  x *= 0x297A2D39u;
  return x ^ (x >> 15);
}

double unit(std::uint32_t i, std::uint32_t stream) {
  return std::ldexp(hash(i, stream), -31) - 1;
}

at::Tensor fill(at::IntArrayRef shape, std::uint32_t stream, double scale) {
  at::Tensor tensor = at::empty(shape, at::kFloat);
  auto* values = tensor.data_ptr<float>();
  const auto count = static_cast<std::uint32_t>(tensor.numel());
  for (std::uint32_t i = 0; i < count; ++i) values[i] = static_cast<float>(scale * (hash(i, stream) * 0x1p-31 - 1));
  return tensor;
}

void expect_near(const at::Tensor& actual, const at::Tensor& expected, double absolute, double relative,
                 const std::string& what) {
  ASSERT_EQ(actual.sizes(), expected.sizes()) << what;
  const at::Tensor a = actual.detach().to(at::kDouble), e = expected.detach().to(at::kDouble);
  const at::Tensor excess = (a - e).abs() - (e.abs() * relative + absolute);
  // "not <=" also catches NaN.
  EXPECT_TRUE((excess <= 0).all().item<bool>()) << what << ": differs by up to " << (a - e).abs().max().item<double>()
                                                << ", allowed " << absolute << " + " << relative << " |expected|";
}

void expect_near(double actual, double expected, double absolute, double relative, const std::string& what) {
  EXPECT_TRUE(std::abs(actual - expected) <= absolute + relative * std::abs(expected))
      << what << ": " << actual << ", expected " << expected << ", difference " << actual - expected << ", allowed "
      << absolute + relative * std::abs(expected);
}

}  // namespace golden
