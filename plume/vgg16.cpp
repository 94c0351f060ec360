// VGG16 (Simonyan & Zisserman 2015, configuration D): five groups of 3x3 convolutions, each group ending in a pooling,
// then two fully connected layers of three. In evaluation mode their dropout does nothing.
#include "plume/vgg16.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "plume/backbone_layers.hpp"

namespace plume {

namespace {

struct Group {
  std::int64_t channels;
  int convolutions;
};
constexpr Group kGroups[] = {{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}};

constexpr std::int64_t kPooledSide = 7;  ///< whatever the images' size
constexpr std::int64_t kPooled = 512 * kPooledSide * kPooledSide;
constexpr std::int64_t kRowLength = 4096;

struct LayerSpec {
  std::string prefix;
  std::int64_t in;
  std::int64_t out;
  bool pool = false;  ///< 2x2 pooling after its ReLU
};

/// The published names count convolutions, ReLUs and poolings: 0, 2, pool 4, 5, 7, pool 9, ...
std::vector<LayerSpec> convolutions() {
  std::vector<LayerSpec> layers;
  int number = 0;
  std::int64_t channels = 3;
  for (const Group& group : kGroups) {
    for (int i = 0; i < group.convolutions; ++i, number += 2) {
      layers.push_back({fmt::format("features.{}", number), channels, group.channels, i + 1 == group.convolutions});
      channels = group.channels;
    }
    ++number;
  }
  return layers;
}

const LayerSpec kHidden[] = {{"classifier.0", kPooled, kRowLength}, {"classifier.3", kRowLength, kRowLength}};

struct Layer {
  FusedConvolution convolution;
  bool pool;
};

struct Linear {
  at::Tensor weight, bias;
};

class Vgg16 : public Backbone {
 public:
  explicit Vgg16(Parameters parameters) : parameters_(std::move(parameters)) { to(at::kFloat); }

  at::Tensor forward(const at::Tensor& images) const override {
    check_images(images, "vgg16", 32);
    const at::NoGradGuard no_gradients;
    at::Tensor x = images.contiguous(at::MemoryFormat::ChannelsLast);
    for (const Layer& layer : layers_) {
      x = layer.convolution(x);
      if (layer.pool) x = at::max_pool2d(x, 2, 2);
    }
    x = at::adaptive_avg_pool2d(x, {kPooledSide, kPooledSide});
    x = x.contiguous().flatten(1);  // channel by channel, as the weights are
    for (const Linear& layer : hidden_) x = at::linear(x, layer.weight, layer.bias).relu_();
    return x;
  }

  void to(at::Device device) override {
    move_to(device, parameters_);
    to(at::kFloat);
  }
  void to(at::ScalarType dtype) override {
    const at::NoGradGuard no_gradients;
    const auto cast = [&](const std::string& name) { return parameters_.at(name).to(dtype); };
    layers_.clear();
    for (const LayerSpec& spec : convolutions()) {
      const at::Tensor weight = cast(spec.prefix + ".weight"), bias = cast(spec.prefix + ".bias");
      layers_.push_back({FusedConvolution(weight, bias, {1, 1, 1}, Activation::relu), spec.pool});
    }
    hidden_.clear();
    for (const LayerSpec& spec : kHidden)
      hidden_.push_back({cast(spec.prefix + ".weight"), cast(spec.prefix + ".bias")});
  }

 private:
  Parameters parameters_;  ///< as published; the large ones are shared with hidden_ where the type is the same
  std::vector<Layer> layers_;
  std::vector<Linear> hidden_;
};

}  // namespace

std::vector<ParameterSpec> vgg16_entries() {
  std::vector<ParameterSpec> entries;
  const auto append = [&](const std::string& prefix, const std::vector<std::int64_t>& weight) {
    entries.push_back({prefix + ".weight", weight});
    entries.push_back({prefix + ".bias", {weight[0]}});
  };
  for (const LayerSpec& layer : convolutions()) append(layer.prefix, {layer.out, layer.in, 3, 3});
  for (const LayerSpec& layer : kHidden) append(layer.prefix, {layer.out, layer.in});
  append("classifier.6", {1000, kRowLength});
  return entries;
}

std::unique_ptr<Backbone> make_vgg16(const std::vector<WeightTensor>& tensors, const std::string& origin) {
  return std::make_unique<Vgg16>(take_parameters(tensors, vgg16_entries(), kVgg16Classifier, origin));
}

}  // namespace plume
