// Which code makes each backbone. A new one is a row here, a row of facts in sweeps/backbones.cpp and a file of its
// own.
#include "plume/backbone.hpp"

#include "plume/convnext_base.hpp"
#include "plume/efficientnet_lite0.hpp"
#include "plume/random_weights.hpp"
#include "plume/resnet50.hpp"
#include "plume/vgg16.hpp"
#include "plume/weights.hpp"
#include "storage/error.hpp"
#include "storage/nearest.hpp"
#include "sweeps/backbones.hpp"

namespace plume {

namespace {

struct Maker {
  const char* name;
  std::vector<ParameterSpec> (*entries)();
  const char* classifier;  ///< how the names of unused entries begin
  std::unique_ptr<Backbone> (*make)(const std::vector<WeightTensor>& tensors, const std::string& origin);
};

constexpr Maker kMakers[] = {
    {"efficientnet-lite0", efficientnet_lite0_entries, kEfficientnetLite0Classifier, make_efficientnet_lite0},
    {"resnet50", resnet50_entries, kResnet50Classifier, make_resnet50},
    {"vgg16", vgg16_entries, kVgg16Classifier, make_vgg16},
    {"convnext-base", convnext_base_entries, kConvnextBaseClassifier, make_convnext_base}};

const Maker& maker_of(const std::string& name) {
  for (const Maker& maker : kMakers) {
    if (maker.name == name) return maker;
  }
  throw storage::UsageError("backbone \"" + name + "\" is not known" + storage::suggestion(name, backbone_names()));
}

}  // namespace

std::vector<std::string> backbone_names() {
  std::vector<std::string> names;
  for (const Maker& maker : kMakers) names.emplace_back(maker.name);
  return names;
}

int backbone_input_size(const std::string& name) {
  return sweeps::backbone_facts(name).input_size;
}
std::int64_t backbone_row_length(const std::string& name) {
  return sweeps::backbone_facts(name).row_length;
}
std::string backbone_weights_file(const std::string& name) {
  return sweeps::backbone_facts(name).weights_file;
}

std::unique_ptr<Backbone> load_backbone(const std::string& name, const std::filesystem::path& weights) {
  const auto seed = sweeps::random_weights_seed(weights.string());
  maker_of(name);  // before a file is read for nothing
  return make_backbone(name, seed ? random_backbone_weights(name, *seed) : read_weights(weights), weights.string());
}

std::vector<WeightTensor> random_backbone_weights(const std::string& name, std::uint32_t seed) {
  return random_weights(maker_of(name).entries(), seed);
}

std::unique_ptr<Backbone> make_backbone(const std::string& name, const std::vector<WeightTensor>& tensors,
                                        const std::string& origin) {
  return maker_of(name).make(tensors, origin);
}

WeightsUsage usage_of(const std::string& name, const std::vector<WeightTensor>& tensors) {
  const std::string classifier = maker_of(name).classifier;
  WeightsUsage usage;
  for (const WeightTensor& tensor : tensors) {
    ++(!is_passed_over(tensor.name, classifier) ? usage.used
       : tensor.name.starts_with(classifier)    ? usage.classifier
                                                : usage.counters);
  }
  return usage;
}

}  // namespace plume
