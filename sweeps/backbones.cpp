// The table of backbones (method.md 1.3).
#include "sweeps/backbones.hpp"

#include "storage/error.hpp"
#include "storage/nearest.hpp"

namespace sweeps {

const std::vector<BackboneFacts>& known_backbones() {
  static const std::vector<BackboneFacts> table = {
      {"efficientnet-lite0", "efficientnet-lite0-57934424.pth", 1280, 224},
  };
  return table;
}

std::vector<std::string> backbone_names() {
  std::vector<std::string> names;
  for (const auto& facts : known_backbones()) names.push_back(facts.name);
  return names;
}

const BackboneFacts& backbone_facts(const std::string& name) {
  for (const auto& facts : known_backbones()) {
    if (facts.name == name) return facts;
  }
  throw storage::UsageError("backbone \"" + name + "\" is not known" + storage::suggestion(name, backbone_names()));
}

}  // namespace sweeps
