// ConvNeXt-Base (Liu et al. 2022). Everything stays channels-last, so that LayerNorm sees the channels side by side;
// the fully connected layers of a block are 1x1 convolutions, the layer scale is folded into the last one, in double.
#include "plume/convnext_base.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "plume/backbone_layers.hpp"

namespace plume {

namespace {

constexpr double kNormEps = 1e-6;
constexpr std::int64_t kExpansion = 4;

struct Stage {
  std::int64_t channels;
  int blocks;
};
constexpr Stage kStages[] = {{128, 3}, {256, 3}, {512, 27}, {1024, 3}};
constexpr int kStageCount = 4;

/// Published names: features.0 is the stem, then a stage at every odd number and a downsampling at every even one.
std::string block_prefix(int stage, int block) {
  return fmt::format("features.{}.{}.", 2 * stage + 1, block);
}
/// The layers that change the resolution: the stem (convolution 4x4, norm), later ones (norm, convolution 2x2).
struct ResampleNames {
  std::string convolution, norm;
};
ResampleNames resample_names(int stage) {
  const std::string prefix = fmt::format("features.{}.", 2 * stage);
  return stage == 0 ? ResampleNames{prefix + "0", prefix + "1"} : ResampleNames{prefix + "1", prefix + "0"};
}

struct WeightAndBias {
  at::Tensor weight, bias;
};

struct Block {
  FusedConvolution spatial;  ///< depthwise 7x7
  WeightAndBias norm;
  FusedConvolution widen, narrow;
};

struct StageLayers {
  FusedConvolution resample;
  WeightAndBias norm;
  std::vector<Block> blocks;
};

/// Over the channels of images [N, C, H, W] that are channels-last in memory: both permutations are views.
at::Tensor layer_norm(const at::Tensor& x, const WeightAndBias& norm) {
  const at::Tensor rows = x.permute({0, 2, 3, 1});
  return at::layer_norm(rows, norm.weight.sizes(), norm.weight, norm.bias, kNormEps).permute({0, 3, 1, 2});
}

/// input + narrow(gelu(widen(norm(spatial(input))))), into the input's memory.
void run(const Block& block, at::Tensor& input) {
  block.narrow.add_to(input, block.widen(layer_norm(block.spatial(input), block.norm)));
}

class ConvNextBase : public Backbone {
 public:
  explicit ConvNextBase(Parameters parameters) : parameters_(std::move(parameters)) { to(at::kFloat); }

  at::Tensor forward(const at::Tensor& images) const override {
    check_images(images, "convnext-base", 32);
    const at::NoGradGuard no_gradients;
    at::Tensor x = images.contiguous(at::MemoryFormat::ChannelsLast);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const StageLayers& stage = stages_[i];
      x = i == 0 ? layer_norm(stage.resample(x), stage.norm) : stage.resample(layer_norm(x, stage.norm));
      for (const Block& block : stage.blocks) run(block, x);
    }
    return x.mean({2, 3});
  }

  void to(at::Device device) override {
    move_to(device, parameters_);
    to(at::kFloat);
  }
  void to(at::ScalarType dtype) override {
    const at::NoGradGuard no_gradients;
    stages_.clear();
    for (int stage = 0; stage < kStageCount; ++stage) {
      const ResampleNames names = resample_names(stage);
      const ConvolutionShape resample{stage == 0 ? 4 : 2};
      StageLayers layers{convolution(plain(names.convolution, dtype), resample), plain(names.norm, dtype), {}};
      for (int i = 0; i < kStages[stage].blocks; ++i) layers.blocks.push_back(block(stage, i, dtype));
      stages_.push_back(std::move(layers));
    }
  }

 private:
  WeightAndBias plain(const std::string& prefix, at::ScalarType dtype) const {
    return {parameters_.at(prefix + ".weight").to(dtype), parameters_.at(prefix + ".bias").to(dtype)};
  }
  static FusedConvolution convolution(const WeightAndBias& layer, const ConvolutionShape& shape) {
    return {layer.weight, layer.bias, shape, Activation::none};
  }
  /// A fully connected layer of the channels: [out, in] becomes [out, in, 1, 1].
  static FusedConvolution pointwise(const WeightAndBias& layer, Activation activation) {
    return {layer.weight.unsqueeze(-1).unsqueeze(-1), layer.bias, {}, activation};
  }
  Block block(int stage, int number, at::ScalarType dtype) const {
    const std::string prefix = block_prefix(stage, number);
    const WeightAndBias narrow = plain(prefix + "block.5", at::kDouble);
    const at::Tensor scale = parameters_.at(prefix + "layer_scale").to(at::kDouble).view(-1);
    const WeightAndBias scaled{(narrow.weight * scale.view({-1, 1})).to(dtype), (narrow.bias * scale).to(dtype)};
    return {convolution(plain(prefix + "block.0", dtype), {1, 3, kStages[stage].channels}),
            plain(prefix + "block.2", dtype), pointwise(plain(prefix + "block.3", dtype), Activation::gelu),
            pointwise(scaled, Activation::none)};
  }

  Parameters parameters_;  ///< as published, so that every type is folded from the same numbers
  std::vector<StageLayers> stages_;
};

}  // namespace

std::vector<ParameterSpec> convnext_base_entries() {
  std::vector<ParameterSpec> entries;
  const auto append = [&](const std::string& prefix, const std::vector<std::int64_t>& weight) {
    entries.push_back({prefix + ".weight", weight});
    entries.push_back({prefix + ".bias", {weight[0]}});
  };
  std::int64_t before = 3;
  for (int stage = 0; stage < kStageCount; ++stage) {
    const std::int64_t channels = kStages[stage].channels;
    const ResampleNames names = resample_names(stage);
    if (stage == 0) append(names.convolution, {channels, before, 4, 4});
    append(names.norm, {stage == 0 ? channels : before});
    if (stage > 0) append(names.convolution, {channels, before, 2, 2});
    for (int i = 0; i < kStages[stage].blocks; ++i) {
      const std::string prefix = block_prefix(stage, i);
      entries.push_back({prefix + "layer_scale", {channels, 1, 1}});
      append(prefix + "block.0", {channels, 1, 7, 7});
      append(prefix + "block.2", {channels});
      append(prefix + "block.3", {channels * kExpansion, channels});
      append(prefix + "block.5", {channels, channels * kExpansion});
    }
    before = channels;
  }
  append("classifier.0", {before});
  append("classifier.2", {1000, before});
  return entries;
}

std::unique_ptr<Backbone> make_convnext_base(const std::vector<WeightTensor>& tensors, const std::string& origin) {
  return std::make_unique<ConvNextBase>(
      take_parameters(tensors, convnext_base_entries(), kConvnextBaseClassifier, origin));
}

}  // namespace plume
