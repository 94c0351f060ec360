// Compares hashes with the table of backbones.
#include "sweeps/published_weights.hpp"

#include <optional>

#include "storage/error.hpp"

namespace sweeps {
namespace {

constexpr std::size_t kShownDigits = 8;  ///< as many as torchvision puts into a name
constexpr std::size_t kSha256Digits = 64;

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_random(const std::string& text) {
  try {
    return random_weights_seed(text).has_value();
  } catch (const storage::UsageError&) {
    return false;  // random: without a proper seed
  }
}

std::optional<std::string> promised_hash(const BackboneFacts& backbone, const std::string& file_name) {
  if (file_name == backbone.weights_file) return backbone.weights_hash.substr(0, kShownDigits);
  const std::string_view end = ".pth";
  if (!file_name.ends_with(end) || file_name.size() <= 1 + kShownDigits + end.size()) return std::nullopt;
  const std::string digits = file_name.substr(file_name.size() - end.size() - kShownDigits, kShownDigits);
  const bool after_dash = file_name[file_name.size() - end.size() - kShownDigits - 1] == '-';
  const bool has_letter = digits.find_first_of("abcdef") != std::string::npos;
  return after_dash && is_hex(digits) && has_letter ? std::optional(digits) : std::nullopt;
}

}  // namespace

bool is_weights_identity(const std::string& text) {
  return text.empty() || is_random(text) || (text.size() == kSha256Digits && is_hex(text));
}

std::string short_name_of_weights(const std::string& identity) {
  return is_random(identity) ? identity : identity.substr(0, kShownDigits);
}

WeightsKind kind_of_weights(const std::string& backbone, const std::string& identity) {
  if (identity.empty()) return WeightsKind::none;
  if (is_random(identity)) return WeightsKind::untrained;
  const BackboneFacts& facts = backbone_facts(backbone);
  return facts.in_paper && is_published(facts, identity) ? WeightsKind::paper : WeightsKind::other;
}

std::string_view name_of(WeightsKind kind) {
  constexpr std::string_view kNames[] = {"", "paper", "other", "untrained"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool is_published(const BackboneFacts& backbone, const std::string& identity) {
  return identity.size() == kSha256Digits && !backbone.weights_hash.empty() &&
         identity.starts_with(backbone.weights_hash);
}

std::string broken_promise(const BackboneFacts& backbone, const std::string& file_name, const std::string& identity) {
  const auto promised = promised_hash(backbone, file_name);
  if (!promised || identity.starts_with(*promised)) return "";
  return "its name promises " + *promised + ": a damaged download, or another file under that name";
}

}  // namespace sweeps
