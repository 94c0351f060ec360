// Which code makes each backbone. A new one is a row here, a row of facts in sweeps/backbones.cpp and a file of its
// own.
#include "plume/backbone.hpp"

#include "plume/efficientnet_lite0.hpp"
#include "plume/weights.hpp"
#include "storage/error.hpp"
#include "storage/nearest.hpp"
#include "sweeps/backbones.hpp"

namespace plume {

namespace {

struct Maker {
  const char* name;
  std::unique_ptr<Backbone> (*make)(const std::vector<WeightTensor>& tensors, const std::string& origin);
};

constexpr Maker kMakers[] = {{"efficientnet-lite0", make_efficientnet_lite0}};

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
  for (const Maker& maker : kMakers) {
    if (maker.name == name) return maker.make(read_weights(weights), weights.string());
  }
  throw storage::UsageError("backbone \"" + name + "\" is not known" + storage::suggestion(name, backbone_names()));
}

}  // namespace plume
