// The table of backbones. A new one is a row here and a file of its own.
#include "plume/backbone.hpp"

#include <fmt/format.h>

#include "plume/efficientnet_lite0.hpp"
#include "plume/weights.hpp"
#include "storage/error.hpp"
#include "storage/nearest.hpp"

namespace plume {

namespace {

struct BackboneEntry {
  const char* name;
  int input_size;
  std::int64_t row_length;
  const char* weights_file;
  std::unique_ptr<Backbone> (*make)(const std::vector<WeightTensor>& tensors, const std::string& origin);
};

constexpr BackboneEntry kBackbones[] = {
    {"efficientnet-lite0", 224, 1280, "efficientnet-lite0-57934424.pth", make_efficientnet_lite0},
};

const BackboneEntry& entry_of(const std::string& name) {
  for (const BackboneEntry& entry : kBackbones) {
    if (entry.name == name) return entry;
  }
  throw storage::UsageError(
      fmt::format("backbone \"{}\": unknown backbone{}", name, storage::suggestion(name, backbone_names())));
}

}  // namespace

std::vector<std::string> backbone_names() {
  std::vector<std::string> names;
  for (const BackboneEntry& entry : kBackbones) names.emplace_back(entry.name);
  return names;
}

int backbone_input_size(const std::string& name) {
  return entry_of(name).input_size;
}
std::int64_t backbone_row_length(const std::string& name) {
  return entry_of(name).row_length;
}
std::string backbone_weights_file(const std::string& name) {
  return entry_of(name).weights_file;
}

std::unique_ptr<Backbone> load_backbone(const std::string& name, const std::filesystem::path& weights) {
  const BackboneEntry& entry = entry_of(name);
  return entry.make(read_weights(weights), weights.string());
}

}  // namespace plume
