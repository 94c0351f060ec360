// Reads a weight file as a trainer would, counts, and sends a batch of made-up images through the network.
#include "workers/weights_check.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>
#include <map>

#include "plume/backbone.hpp"
#include "results/text_layout.hpp"
#include "storage/atomic_file.hpp"
#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "storage/printable.hpp"
#include "sweeps/published_weights.hpp"
#include "workers/one_line.hpp"
#include "workers/trainer_settings.hpp"

namespace workers {
namespace {

using results::grouped;

constexpr std::int64_t kImages = 32;
constexpr std::size_t kShownName = 80;  ///< bytes of a name from a file

std::string whose(const sweeps::BackboneFacts& facts, const std::string& identity) {
  const auto also = facts.in_paper ? "" : "; no backbone of the paper";
  if (!sweeps::is_published(facts, identity)) {
    return fmt::format("not {}: those begin with {}{}", facts.in_paper ? "the paper's" : "the published ones",
                       facts.weights_hash.substr(0, 8), also);
  }
  return facts.in_paper ? "the paper's weights" : fmt::format("the published {}{}", facts.weights_file, also);
}

/// What else the hash tells of a file that is not the published one.
std::vector<std::string> hints(const sweeps::BackboneFacts& facts, const std::string& file_name,
                               const std::string& identity) {
  std::vector<std::string> hints;
  for (const auto& other : sweeps::known_backbones()) {
    if (other.name == facts.name || !sweeps::is_published(other, identity)) continue;
    hints.push_back(fmt::format("they are the published {} of {}", other.weights_file, other.name));
  }
  auto promise = sweeps::broken_promise(facts, file_name, identity);
  if (!promise.empty()) hints.push_back(std::move(promise));
  return hints;
}

/// Size and hash; of random weights that they are none of a file's.
void say_file(const WeightsToCheck& check, const SayFact& say) {
  if (sweeps::random_weights_seed(check.weights)) return say("SHA-256", "none: untrained, filled by a formula");
  const std::filesystem::path file = check.weights;
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  if (error) throw storage::Error(fmt::format("{}: its size cannot be read: {}", file.string(), error.message()));
  say("size", fmt::format("{:.1f} MiB ({} bytes)", static_cast<double>(bytes) / (1 << 20), grouped(bytes)));
  const auto& facts = sweeps::backbone_facts(check.backbone);
  const auto identity = storage::hex(storage::sha256_of_file(file));
  say("SHA-256", identity);
  say("", whose(facts, identity));
  for (const auto& hint : hints(facts, file.filename().string(), identity)) say("", hint);
}

std::vector<plume::WeightTensor> read(const WeightsToCheck& check, const SayFact& say) {
  if (const auto seed = sweeps::random_weights_seed(check.weights)) {
    return plume::random_backbone_weights(check.backbone, *seed);
  }
  const auto bytes = storage::read_file(check.weights);
  say("format", std::string(plume::name_of(plume::format_of(bytes, check.weights))));
  return plume::read_weights_from_bytes(bytes, check.weights);
}

void say_tensors(const std::vector<plume::WeightTensor>& tensors, const SayFact& say) {
  std::map<plume::Dtype, std::size_t> count_by_dtype;
  std::uint64_t numbers = 0;
  for (const auto& tensor : tensors) {
    ++count_by_dtype[tensor.dtype];
    numbers += tensor.bytes.size() / plume::size_of(tensor.dtype);
  }
  std::vector<std::string> dtypes;
  for (const auto& [dtype, count] : count_by_dtype)
    dtypes.push_back(fmt::format("{} {}", count, plume::name_of(dtype)));
  say("tensors", fmt::format("{} ({}), {} numbers in all", tensors.size(), fmt::join(dtypes, ", "), grouped(numbers)));
}

void list(const std::vector<plume::WeightTensor>& tensors, const SayFact& say) {
  std::vector<std::string> names;
  std::size_t width = 0;
  for (const auto& tensor : tensors) {
    names.push_back(storage::printable_line(tensor.name, kShownName));
    width = std::max(width, results::display_width(names.back()));
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    say("", fmt::format("{}  {:<8}  [{}]", results::pad_right(names[i], width), plume::name_of(tensors[i].dtype),
                        fmt::join(tensors[i].shape, ", ")));
  }
}

void say_usage(const plume::WeightsUsage& usage, const SayFact& say) {
  const auto passed_over = usage.classifier + usage.counters;
  say("used", fmt::format("{} tensors; {} passed over ({} of the classifier, {} counters)", usage.used, passed_over,
                          usage.classifier, usage.counters));
}

/// Noise in [-2, 2), about the range of normalised images, another picture each; the same at every call.
at::Tensor made_up_images(std::int64_t square) {
  const auto i = at::arange(kImages * 3 * square * square, at::kDouble);
  const auto noise = i.mul(12.9898).sin_().mul_(43758.5453);
  return noise.sub(noise.floor()).mul_(4).sub_(2).view({kImages, 3, square, square}).to(at::kFloat);
}

void check_outputs(const at::Tensor& rows, const WeightsToCheck& check, const SayFact& say) {
  const auto useless = [&](const std::string& what) {
    throw storage::Error(
        fmt::format("{}: {} with these weights {}: they are of no use", check.weights, check.backbone, what));
  };
  const auto bad = rows.numel() - at::isfinite(rows).sum().item<std::int64_t>();
  if (bad > 0) useless(fmt::format("gives {} of {} outputs that are not finite", grouped(bad), grouped(rows.numel())));
  if (rows.eq(rows[0]).all().item<bool>()) useless(fmt::format("gives the same outputs for all of {} images", kImages));
  say("outputs",
      fmt::format("finite, not constant: from {:.3g} to {:.3g}", rows.min().item<double>(), rows.max().item<double>()));
}

void try_forward(const plume::Backbone& backbone, const WeightsToCheck& check, const SayFact& say) {
  const auto images = made_up_images(plume::backbone_input_size(check.backbone));
  const auto start = std::chrono::steady_clock::now();
  const auto rows = backbone.forward(images);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  say("forward", fmt::format("[{}] -> [{}] in {:.2f} s: {:.1f} images/s on {} thread{}",
                             fmt::join(images.sizes(), ", "), fmt::join(rows.sizes(), ", "), seconds,
                             static_cast<double>(kImages) / seconds, check.threads, check.threads == 1 ? "" : "s"));
  check_outputs(rows, check, say);
}

std::unique_ptr<plume::Backbone> load(const WeightsToCheck& check, const SayFact& say) {
  const auto tensors = read(check, say);
  say_tensors(tensors, say);
  if (check.list_tensors) list(tensors, say);
  auto backbone = plume::make_backbone(check.backbone, tensors, check.weights);
  say_usage(plume::usage_of(check.backbone, tensors), say);
  return backbone;
}

}  // namespace

void check_weights(const WeightsToCheck& check, const SayFact& say) {
  set_up_computation(check.threads);
  say_file(check, say);
  try {
    try_forward(*load(check, say), check, say);
  } catch (const c10::Error& error) {
    throw storage::Error(fmt::format("{}: {}", check.weights, one_line(error.what_without_backtrace())));
  }
}

}  // namespace workers
