// Looks for the data sets and weights of a sweep.
#include "runner/missing_inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "datasets/official.hpp"
#include "runner/weights_warning.hpp"
#include "storage/error.hpp"
#include "storage/nearest.hpp"
#include "sweeps/backbones.hpp"

namespace runner {
namespace {

/// "" where the data set lies where somebody says.
std::string why_no_data(const sweeps::DatasetSpec& spec, const Site& site, const SiteFlags& flags) {
  if (spec.kind == "synthetic") return "";
  const auto found = site.data.find(spec.id);
  if (found == site.data.end()) {
    try {
      site.data_root(spec.id);
    } catch (const storage::UsageError& error) {
      return error.what();
    }
  }
  std::error_code error;
  if (std::filesystem::exists(found->second, error)) return "";
  return fmt::format(
      "data set \"{0}\": {1} is not there ({2} names it); put it there, or give --data {0}=PATH, or \"data\": "
      "{{\"{0}\": \"PATH\"}} in a site file",
      spec.id, found->second.string(),
      flags.data.contains(spec.id) || !site.file ? std::string("--data") : "site file " + site.file->string());
}

std::string why_no_weights(const std::string& backbone, const std::string& scale, const Site& site) {
  const auto& published = sweeps::backbone_facts(backbone).weights_file;
  if (const auto nowhere = site.why_no_weights(backbone, published); !scale.empty() && !nowhere.empty()) {
    return warning_about_missing_weights(backbone, scale, nowhere);
  }
  try {
    site.weights_file(backbone, published);
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "";
}

std::set<std::string> backbones_with_weights(const sweeps::Sweep& sweep) {
  std::set<std::string> backbones;
  for (const auto& block : sweep.blocks) {
    for (const auto& job : block.jobs_without_class) {
      if (sweeps::has_weights(sweeps::backbone_of(job))) backbones.insert(job.backbone);
    }
  }
  return backbones;
}

/// A mistyped id would otherwise leave its path unused without a word.
void refuse_unused(const char* flag, const char* what, const std::map<std::string, std::string>& given,
                   const std::vector<std::string>& ids) {
  for (const auto& [id, path] : given) {
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
    throw storage::UsageError(
        fmt::format("{} {}={}: {} \"{}\"{}", flag, id, path, what, id, storage::suggestion(id, ids)));
  }
}

}  // namespace

void refuse_unused_sites(const SiteFlags& flags, const sweeps::Sweep& sweep) {
  std::vector<std::string> ids;
  for (const auto& spec : sweep.datasets) ids.push_back(spec.id);
  refuse_unused("--data", "the sweep names no data set", flags.data, ids);
  refuse_unused("--weights", "there is no backbone", flags.weights, sweeps::backbone_names());
}

MissingInputs missing_inputs(const sweeps::Sweep& sweep, const Site& site, const SiteFlags& flags) {
  MissingInputs missing;
  for (const auto& spec : sweep.datasets) {
    const auto why = why_no_data(spec, site, flags);
    if (why.empty()) continue;
    missing.lines.push_back(why);
    missing.data.insert(spec.id);
    missing.classes_are_unknown = missing.classes_are_unknown || datasets::official_dataset(spec.kind) == nullptr;
  }
  for (const auto& backbone : backbones_with_weights(sweep)) {
    const auto why = why_no_weights(backbone, sweep.scale, site);
    if (!why.empty()) missing.lines.push_back(why);
  }
  return missing;
}

std::vector<std::string> missing_weights_in_short(const sweeps::Sweep& sweep, const Site& site) {
  std::vector<std::string> nowhere, lines;
  for (const auto& backbone : backbones_with_weights(sweep)) {
    if (!site.why_no_weights(backbone, sweeps::backbone_facts(backbone).weights_file).empty()) {
      nowhere.push_back(backbone);
    } else if (const auto why = why_no_weights(backbone, sweep.scale, site); !why.empty()) {
      lines.push_back(why);
    }
  }
  if (nowhere.empty()) return lines;
  const auto then = sweep.scale.empty()
                        ? fmt::format("give --weights {}=FILE, or name it in a site file", nowhere.front())
                        : fmt::format("at the scale {} they run untrained", sweep.scale);
  lines.insert(lines.begin(), fmt::format("weights of {} (no file is named, and torch's hub folder has none): {}",
                                          fmt::join(nowhere, ", "), then));
  return lines;
}

}  // namespace runner
