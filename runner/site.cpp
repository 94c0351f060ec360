// Reads the site file and lets flags override it.
#include "runner/site.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "storage/error.hpp"
#include "storage/json.hpp"
#include "sweeps/backbones.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> environment_path(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return fs::path(value);
}

fs::path home() {
  return environment_path("HOME").value_or(fs::path("/"));
}

/// Python's os.path.expanduser, but for ~USER.
fs::path with_home(const fs::path& path) {
  const auto text = path.string();
  return text == "~" || text.starts_with("~/") ? home() / fs::path(text.substr(std::min<std::size_t>(2, text.size())))
                                               : path;
}

/// Why a file cannot be read as weights; empty where it can.
std::string fault_of_file(const fs::path& file) {
  std::error_code error;
  const auto status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) return "is not there";
  if (error) return "cannot be looked at: " + error.message();
  if (fs::is_directory(status)) return "is a folder, not a file";
  if (!fs::is_regular_file(status)) return "is not a file";
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fmt::format("cannot be read: {}", std::strerror(errno));
  close(descriptor);
  return "";
}

std::optional<fs::path> site_file(const SiteFlags& flags) {
  if (flags.site) return flags.site;
  if (auto named = environment_path("PLUME_SITE")) return named;
  for (const fs::path& file : {fs::path("site.json"), home() / ".config" / "plume-bench" / "site.json"}) {
    std::error_code ignored;  // a home that may not be read has no site file for us
    if (fs::exists(file, ignored)) return file;
  }
  return std::nullopt;
}

fs::path default_cache() {
  return environment_path("XDG_CACHE_HOME").value_or(home() / ".cache") / "plume-bench";
}

/// Absolute, because workers on other hosts need not start in the same folder.
fs::path placed(const fs::path& folder, const std::string& path) {
  return (folder / path).lexically_normal();
}

/// The same of weights, but `random:SEED` is not a path.
fs::path placed_weights(const fs::path& folder, const std::string& weights) {
  return sweeps::random_weights_seed(weights) ? fs::path(weights) : placed(folder, weights);
}

void read_file(Site& site) {
  const auto root = storage::read_json(*site.file, storage::Blame::user);
  root.allow_only({"version", "data", "weights", "cache", "slurm"});
  if (root.at("version").integer() != 1) root.at("version").fail("expected 1, the only version of site files so far");
  const fs::path folder = fs::absolute(*site.file).parent_path();
  if (const auto data = root.find("data")) {
    for (const auto& [id, path] : data->members()) site.data[id] = placed(folder, path.string());
  }
  if (const auto weights = root.find("weights")) {
    const auto backbones = sweeps::backbone_names();
    for (const auto& [id, path] : weights->members()) {
      if (path.string().empty()) path.fail("expected the path of a weight file, or random:SEED, found \"\"");
      if (std::find(backbones.begin(), backbones.end(), id) == backbones.end()) path.fail(sweeps::why_no_backbone(id));
      try {
        site.weights[id] = placed_weights(folder, path.string());
      } catch (const storage::UsageError& error) {
        path.fail(error.what());
      }
    }
  }
  if (const auto cache = root.find("cache")) site.cache = placed(folder, cache->string());
  if (const auto slurm = root.find("slurm")) {
    site.cluster = read_cluster(*slurm);
    if (!site.cluster.container.empty()) site.cluster.container = placed(folder, site.cluster.container).string();
  }
}

}  // namespace

Site read_site(const SiteFlags& flags) {
  Site site;
  site.cache = default_cache();
  site.file = site_file(flags);
  if (site.file) read_file(site);
  const fs::path here = fs::current_path();
  for (const auto& [id, path] : flags.data) site.data[id] = placed(here, path);
  for (const auto& [id, weights] : flags.weights) {
    site.weights[id] = placed_weights(here, weights);
    site.weights_by_flag.insert(id);
  }
  if (flags.cache) site.cache = *flags.cache;
  site.cache = placed(here, site.cache);
  return site;
}

fs::path Site::data_root(const std::string& dataset) const {
  const auto found = data.find(dataset);
  if (found == data.end()) {
    throw storage::UsageError(
        fmt::format("data set \"{0}\": it is not known where it lies; give --data {0}=PATH, or \"data\": {{\"{0}\": "
                    "\"PATH\"}} in a site file ({1})",
                    dataset, file ? file->string() : "site.json"));
  }
  return found->second;
}

std::string Site::why_no_weights(const std::string& backbone, const std::string& published_name) const {
  if (weights.contains(backbone)) return "";
  const auto in_hub = torch_hub_folder() / published_name;
  const auto fault = fault_of_file(in_hub);
  if (fault.empty()) return "";
  return fmt::format("neither --weights nor {} names a file, and {} in torch's hub folder {}",
                     file ? file->string() : "a site file", in_hub.string(), fault);
}

FoundWeights Site::find_weights(const std::string& backbone, const std::string& published_name) const {
  const auto refuse = [&](const std::string& what, const std::string& last_way) {
    throw storage::UsageError(fmt::format(
        "weights of {0}: {1}; give --weights {0}=FILE, or \"weights\": {{\"{0}\": \"FILE\"}} in a site file, "
        "or {2}; --weights {0}=random:0 runs it untrained, to try the set-up",
        backbone, what, last_way));
  };
  const auto hub = torch_hub_folder();
  const auto given = weights.find(backbone);
  if (given == weights.end()) {
    if (const auto why = why_no_weights(backbone, published_name); !why.empty()) {
      refuse(why, "put the published file there");
    }
    return {hub / published_name, "its published name in torch's hub folder"};
  }
  const auto& path = given->second;
  const auto by = weights_by_flag.contains(backbone) ? "--weights" : file ? "site file " + file->string() : "site file";
  if (sweeps::random_weights_seed(path.string())) return {path, by};
  if (const auto fault = fault_of_file(path); !fault.empty()) {
    refuse(fmt::format("{} {} ({} names it)", path.string(), fault, by),
           fmt::format("{}, and put {} into torch's hub folder {}",
                       weights_by_flag.contains(backbone) ? "leave --weights out" : "take its name out of there",
                       published_name, hub.string()));
  }
  return {path, by};
}

fs::path Site::weights_file(const std::string& backbone, const std::string& published_name) const {
  return find_weights(backbone, published_name).file;
}

fs::path torch_hub_folder() {
  const char* torch_home = std::getenv("TORCH_HOME");
  const char* caches = std::getenv("XDG_CACHE_HOME");
  const fs::path folder =
      torch_home != nullptr ? fs::path(torch_home) : fs::path(caches != nullptr ? caches : "~/.cache") / "torch";
  return fs::current_path() / with_home(folder) / "hub" / "checkpoints";
}

std::pair<std::string, std::string> split_assignment(const std::string& flag, const std::string& text,
                                                     const char* form) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw storage::UsageError(fmt::format("{}: expected {}, found \"{}\"", flag, form, text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace runner
