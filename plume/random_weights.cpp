// Integer hashing and one multiplication a value: the same bits on every machine.
#include "plume/random_weights.hpp"

#include <cmath>
#include <cstring>

namespace plume {

namespace {

/// More than any network has entries, so that no stream of one seed is one of another.
constexpr std::uint32_t kStreamsPerSeed = 100003;

/// Value i of a stream, in [-1, 1), a multiple of 2^-23.
double unit(std::uint32_t i, std::uint32_t stream) {
  std::uint32_t h = i * 0x9E3779B1u + (stream * 0x85EBCA77u + 0x2545F491u);
  h ^= h >> 16;
  h *= 0x7FEB352Du;
  h ^= h >> 15;
  h *= 0x846CA68Bu;
  h ^= h >> 16;
  return (static_cast<std::int32_t>(h >> 8) - 8388608) / 8388608.0;
}

std::int64_t product(const std::vector<std::int64_t>& sizes, std::size_t first) {
  std::int64_t product = 1;
  for (std::size_t i = first; i < sizes.size(); ++i) product *= sizes[i];
  return product;
}

/// Values lie in centre +- scale.
struct Range {
  double centre = 0;
  float scale = 0.1f;
};

/// Such that activations neither vanish nor grow from layer to layer. ResNet's last norm of a block is small, because
/// its blocks add up.
Range range_of(const ParameterSpec& spec) {
  const std::string& name = spec.name;
  if (name.ends_with("weight") && spec.shape.size() >= 2)
    return {0, static_cast<float>(std::sqrt(6.0 / static_cast<double>(product(spec.shape, 1))))};
  if (name.ends_with(".bn3.weight") || name.ends_with("layer_scale")) return {0.25};
  if (name.ends_with("weight") || name.ends_with("running_var")) return {1};
  return {};
}

WeightTensor filled(const ParameterSpec& spec, std::uint32_t stream) {
  const auto count = static_cast<std::size_t>(product(spec.shape, 0));
  if (spec.name.ends_with("num_batches_tracked"))
    return {spec.name, Dtype::int64, spec.shape, std::string(sizeof(std::int64_t), '\0')};
  WeightTensor tensor{spec.name, Dtype::float32, spec.shape, std::string(count * sizeof(float), '\0')};
  const Range range = range_of(spec);
  const double scale = range.scale;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(range.centre + scale * unit(static_cast<std::uint32_t>(i), stream));
    std::memcpy(tensor.bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return tensor;
}

}  // namespace

std::vector<WeightTensor> random_weights(const std::vector<ParameterSpec>& entries, std::uint32_t seed) {
  std::vector<WeightTensor> tensors;
  for (const ParameterSpec& spec : entries) {
    const auto number = static_cast<std::uint32_t>(tensors.size());
    tensors.push_back(filled(spec, number + kStreamsPerSeed * seed));
  }
  return tensors;
}

}  // namespace plume
