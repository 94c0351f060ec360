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
  static const BackboneFacts raw_images = {kRawImages, "", 3 * 32 * 32, 32};
  if (name == kRawImages) return raw_images;
  for (const auto& facts : known_backbones()) {
    if (facts.name == name) return facts;
  }
  throw storage::UsageError("backbone \"" + name + "\" is not known" + storage::suggestion(name, backbone_names()));
}

std::string backbone_of(const Job& job) {
  return job.method == Method::plad ? kRawImages : job.backbone;
}

std::string why_no_backbone(const std::string& name) {
  if (name == kRawImages) return "\"raw32\" is no backbone: for the images themselves write \"method\": \"plad\"";
  return "unknown backbone " + storage::in_quotes(name) + storage::suggestion(name, backbone_names());
}

}  // namespace sweeps
