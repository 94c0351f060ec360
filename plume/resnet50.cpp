// ResNet-50 (He et al. 2016) in the variant that torchvision publishes weights of: a block's stride sits in its 3x3
// convolution. Each BatchNorm is folded into its convolution.
#include "plume/resnet50.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <optional>

#include "plume/backbone_layers.hpp"

namespace plume {

namespace {

constexpr double kNormEps = 1e-5;
constexpr std::int64_t kExpansion = 4;  ///< a block gives four times the channels that it works on
constexpr std::int64_t kRowLength = 512 * kExpansion;

struct Stage {
  const char* name;
  std::int64_t width;  ///< channels that its blocks work on
  int blocks;
  std::int64_t stride;  ///< of its first block
};
constexpr Stage kStages[] = {{"layer1", 64, 3, 1}, {"layer2", 128, 4, 2}, {"layer3", 256, 6, 2}, {"layer4", 512, 3, 2}};

const ConvNormSpec kStem = {"conv1", "bn1", 3, 64, 7, 2};

/// A bottleneck: 1x1 to fewer channels, 3x3, 1x1 to more, added to the input or to what the shortcut makes of it.
struct BlockSpec {
  ConvNormSpec reduce, spatial, expand;
  std::optional<ConvNormSpec> shortcut;  ///< where shape changes
};

BlockSpec bottleneck(const std::string& prefix, std::int64_t in, std::int64_t width, std::int64_t stride) {
  const std::int64_t out = width * kExpansion;
  BlockSpec block;
  block.reduce = {prefix + "conv1", prefix + "bn1", in, width};
  block.spatial = {prefix + "conv2", prefix + "bn2", width, width, 3, stride};
  block.expand = {prefix + "conv3", prefix + "bn3", width, out};
  if (in != out) block.shortcut = {prefix + "downsample.0", prefix + "downsample.1", in, out, 1, stride};
  return block;
}

std::vector<BlockSpec> network() {
  std::vector<BlockSpec> blocks;
  std::int64_t channels = kStem.out;
  for (const Stage& stage : kStages) {
    for (int i = 0; i < stage.blocks; ++i) {
      blocks.push_back(
          bottleneck(fmt::format("{}.{}.", stage.name, i), channels, stage.width, i == 0 ? stage.stride : 1));
      channels = stage.width * kExpansion;
    }
  }
  return blocks;
}

struct Block {
  FusedConvolution reduce, spatial, expand;
  std::optional<FusedConvolution> shortcut;

  /// May take the input's memory for its result.
  at::Tensor operator()(const at::Tensor& input) const {
    at::Tensor sum = shortcut ? (*shortcut)(input) : input;
    expand.add_to(sum, spatial(reduce(input)));
    return sum;
  }
};

class ResNet50 : public Backbone {
 public:
  explicit ResNet50(Parameters parameters) : parameters_(std::move(parameters)) { to(at::kFloat); }

  at::Tensor forward(const at::Tensor& images) const override {
    check_images(images, "resnet50", 32);
    const at::NoGradGuard no_gradients;
    at::Tensor x = stem_(images.contiguous(at::MemoryFormat::ChannelsLast));
    x = at::max_pool2d(x, 3, 2, 1);
    for (const Block& block : blocks_) x = block(x);
    return x.mean({2, 3});
  }

  void to(at::Device device) override {
    move_to(device, parameters_);
    to(at::kFloat);
  }
  void to(at::ScalarType dtype) override {
    const at::NoGradGuard no_gradients;
    const auto folded = [&](const ConvNormSpec& spec, Activation activation) {
      const Folded layer = fold(spec, parameters_, kNormEps, dtype);
      return FusedConvolution(layer.weight, layer.bias, layer.shape, activation);
    };
    const Activation relu = Activation::relu;
    stem_ = folded(kStem, relu);
    blocks_.clear();
    for (const BlockSpec& spec : network()) {
      Block block{folded(spec.reduce, relu), folded(spec.spatial, relu), folded(spec.expand, relu), {}};
      if (spec.shortcut) block.shortcut = folded(*spec.shortcut, Activation::none);
      blocks_.push_back(std::move(block));
    }
  }

 private:
  Parameters parameters_;  ///< as published, so that every type is folded from the same numbers
  FusedConvolution stem_;
  std::vector<Block> blocks_;
};

}  // namespace

std::vector<ParameterSpec> resnet50_entries() {
  std::vector<ParameterSpec> entries;
  append_entries(kStem, entries);
  for (const BlockSpec& block : network()) {
    for (const ConvNormSpec* layer : {&block.reduce, &block.spatial, &block.expand}) append_entries(*layer, entries);
    if (block.shortcut) append_entries(*block.shortcut, entries);
  }
  entries.push_back({"fc.weight", {1000, kRowLength}});
  entries.push_back({"fc.bias", {1000}});
  return entries;
}

std::unique_ptr<Backbone> make_resnet50(const std::vector<WeightTensor>& tensors, const std::string& origin) {
  Parameters parameters = take_parameters(tensors, resnet50_entries(), kResnet50Classifier, origin);
  refuse_negative_variances(parameters, origin);
  return std::make_unique<ResNet50>(std::move(parameters));
}

}  // namespace plume
