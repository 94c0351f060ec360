// EfficientNet-Lite0 (Tan & Le 2019, the Lite variant: ReLU6, no squeeze-and-excitation) on plain tensor operations. In
// evaluation mode each BatchNorm is folded into its convolution.
#include "plume/efficientnet_lite0.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plume/backbone_layers.hpp"
#include "storage/error.hpp"

namespace plume {

namespace {

constexpr double kNormEps = 1e-3;

struct LayerSpec {
  ConvNormSpec convolution;
  Activation activation = Activation::relu6;
};

struct BlockSpec {
  std::vector<LayerSpec> layers;
  bool skip = false;  ///< the block's input is added to its output
};

struct Stage {
  std::int64_t kernel, stride, expansion, in, out;
  int repeats;
};
constexpr Stage kStages[] = {{3, 1, 1, 32, 16, 1},  {3, 2, 6, 16, 24, 2},   {5, 2, 6, 24, 40, 2},  {3, 2, 6, 40, 80, 3},
                             {5, 1, 6, 80, 112, 3}, {5, 2, 6, 112, 192, 4}, {3, 1, 6, 192, 320, 1}};

/// An inverted bottleneck: 1x1 to more channels, depthwise, 1x1 back without activation.
BlockSpec bottleneck(const Stage& stage, std::int64_t in, std::int64_t stride, std::size_t number) {
  const std::string prefix = fmt::format("_blocks.{}.", number);
  const std::int64_t wide = in * stage.expansion;
  BlockSpec block;
  if (stage.expansion != 1) block.layers.push_back({{prefix + "_expand_conv", prefix + "_bn0", in, wide}});
  block.layers.push_back({{prefix + "_depthwise_conv", prefix + "_bn1", wide, wide, stage.kernel, stride, wide}});
  block.layers.push_back({{prefix + "_project_conv", prefix + "_bn2", wide, stage.out}, Activation::none});
  block.skip = stride == 1 && in == stage.out;
  return block;
}

/// Stem, bottlenecks, head.
std::vector<BlockSpec> network() {
  std::vector<BlockSpec> blocks = {{{{{"_conv_stem", "_bn0", 3, 32, 3, 2}}}}};
  for (const Stage& stage : kStages) {
    for (int i = 0; i < stage.repeats; ++i) {
      blocks.push_back(bottleneck(stage, i == 0 ? stage.in : stage.out, i == 0 ? stage.stride : 1, blocks.size() - 1));
    }
  }
  blocks.push_back({{{{"_conv_head", "_bn1", 320, 1280}}}});
  return blocks;
}

/// TensorFlow's SAME padding at stride 2 on an even side is one more behind than before: {0, 1} for kernel 3, {1, 2}
/// for 5. A row and a column of zeros in front of the kernel make it even, {1, 1} and {2, 2}, which spares a padded
/// copy of the images (7 % of the time).
FusedConvolution convolution_of(const LayerSpec& spec, const Parameters& parameters, at::ScalarType dtype) {
  Folded layer = fold(spec.convolution, parameters, kNormEps, dtype);
  if (spec.convolution.stride == 2) layer.weight = at::constant_pad_nd(layer.weight, {1, 0, 1, 0});
  return {layer.weight, layer.bias, layer.shape, spec.activation};
}

struct Block {
  std::vector<FusedConvolution> layers;
  bool skip = false;

  /// May take the input's memory for its result.
  at::Tensor operator()(const at::Tensor& input) const {
    at::Tensor x = input;
    for (std::size_t i = 0; i + 1 < layers.size(); ++i) x = layers[i](x);
    if (!skip) return layers.back()(x);
    at::Tensor sum = input;
    layers.back().add_to(sum, x);
    return sum;
  }
};

class EfficientNetLite0 : public Backbone {
 public:
  explicit EfficientNetLite0(Parameters parameters) : parameters_(std::move(parameters)) { to(at::kFloat); }

  at::Tensor forward(const at::Tensor& images) const override {
    if (images.dim() != 4 || images.size(1) != 3 || images.size(2) % 32 != 0 || images.size(3) % 32 != 0) {
      throw storage::Error(
          fmt::format("efficientnet-lite0: expected images [N, 3, H, W] with H and W divisible by 32, found [{}]",
                      fmt::join(images.sizes(), ", ")));
    }
    const at::NoGradGuard no_gradients;
    at::Tensor x = images.contiguous(at::MemoryFormat::ChannelsLast);
    for (const Block& block : blocks_) x = block(x);
    return x.mean({2, 3});
  }

  void to(at::Device device) override {
    move_to(device, parameters_);
    to(at::kFloat);
  }
  void to(at::ScalarType dtype) override {
    const at::NoGradGuard no_gradients;
    blocks_.clear();
    for (const BlockSpec& spec : network()) {
      Block block{{}, spec.skip};
      for (const LayerSpec& layer : spec.layers) block.layers.push_back(convolution_of(layer, parameters_, dtype));
      blocks_.push_back(std::move(block));
    }
  }

 private:
  Parameters parameters_;  ///< as published, so that every type is folded from the same numbers
  std::vector<Block> blocks_;
};

}  // namespace

std::vector<ParameterSpec> efficientnet_lite0_entries() {
  std::vector<ParameterSpec> entries;
  for (const BlockSpec& block : network()) {
    for (const LayerSpec& layer : block.layers) append_entries(layer.convolution, entries);
  }
  entries.push_back({"_fc.weight", {1000, 1280}});
  entries.push_back({"_fc.bias", {1000}});
  return entries;
}

std::unique_ptr<Backbone> make_efficientnet_lite0(const std::vector<WeightTensor>& tensors, const std::string& origin) {
  Parameters parameters = take_parameters(tensors, efficientnet_lite0_entries(), kEfficientnetLite0Classifier, origin);
  refuse_negative_variances(parameters, origin);
  return std::make_unique<EfficientNetLite0>(std::move(parameters));
}

}  // namespace plume
