// The table of backbones (method.md 1.3).
#include "sweeps/backbones.hpp"

#include <charconv>

#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/nearest.hpp"

namespace sweeps {

const std::vector<BackboneFacts>& known_backbones() {
  static const std::vector<BackboneFacts> table = {
      {"efficientnet-lite0", "efficientnet-lite0-57934424.pth",
       "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db", false, 1280, 224},
      // torchvision's IMAGENET1K_V1; it gives the first eight digits, in the names.
      {"resnet50", "resnet50-0676ba61.pth", "0676ba61", true, 2048, 224},
      {"vgg16", "vgg16-397923af.pth", "397923af", true, 4096, 224},
      {"convnext-base", "convnext_base-6075fbad.pth", "6075fbad", true, 1024, 224},
  };
  return table;
}

std::vector<std::string> backbone_names() {
  std::vector<std::string> names;
  for (const auto& facts : known_backbones()) names.push_back(facts.name);
  return names;
}

const BackboneFacts& backbone_facts(const std::string& name) {
  static const BackboneFacts raw_images = {kRawImages, "", "", false, 3 * 32 * 32, 32};
  static const BackboneFacts own_features = {kOwnFeatures, "", "", false, 0, 0};
  if (name == kRawImages) return raw_images;
  if (name == kOwnFeatures) return own_features;
  for (const auto& facts : known_backbones()) {
    if (facts.name == name) return facts;
  }
  throw storage::UsageError("backbone \"" + name + "\" is not known" + storage::suggestion(name, backbone_names()));
}

std::string backbone_of(const Job& job) {
  return reads_images(job.method) ? kRawImages : job.backbone;
}

bool has_weights(const std::string& backbone) {
  return backbone != kRawImages && backbone != kOwnFeatures;
}

std::string why_no_backbone(const std::string& name) {
  if (name == kRawImages) return "\"raw32\" is no backbone: for the images themselves write \"method\": \"plad\"";
  return "unknown backbone " + storage::in_quotes(name) + storage::suggestion(name, backbone_names());
}

std::optional<std::uint32_t> random_weights_seed(const std::string& weights) {
  const std::string_view random = "random:";
  if (!weights.starts_with(random)) return std::nullopt;
  const char* first = weights.data() + random.size();
  const char* last = weights.data() + weights.size();
  std::uint32_t seed = 0;
  const auto [end, error] = std::from_chars(first, last, seed);
  const bool is_canonical = error == std::errc() && end == last && (*first != '0' || end == first + 1);
  if (is_canonical && seed <= kLastWeightsSeed) return seed;
  throw storage::UsageError("weights " + storage::in_quotes(weights) + ": expected random:SEED with a seed from 0 to " +
                            std::to_string(kLastWeightsSeed) + "; for a file of that name write " +
                            storage::in_quotes("./" + weights));
}

}  // namespace sweeps
