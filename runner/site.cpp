// Reads the site file and lets flags override it.
#include "runner/site.hpp"

#include <fmt/format.h>

#include <cstdlib>

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
  root.allow_only({"version", "data", "weights", "cache"});
  if (root.at("version").integer() != 1) root.at("version").fail("expected 1, the only version of site files so far");
  const fs::path folder = fs::absolute(*site.file).parent_path();
  if (const auto data = root.find("data")) {
    for (const auto& [id, path] : data->members()) site.data[id] = placed(folder, path.string());
  }
  if (const auto weights = root.find("weights")) {
    for (const auto& [id, path] : weights->members()) {
      try {
        site.weights[id] = placed_weights(folder, path.string());
      } catch (const storage::UsageError& error) {
        path.fail(error.what());
      }
    }
  }
  if (const auto cache = root.find("cache")) site.cache = placed(folder, cache->string());
}

}  // namespace

Site read_site(const SiteFlags& flags) {
  Site site;
  site.cache = default_cache();
  site.file = site_file(flags);
  if (site.file) read_file(site);
  const fs::path here = fs::current_path();
  for (const auto& [id, path] : flags.data) site.data[id] = placed(here, path);
  for (const auto& [id, weights] : flags.weights) site.weights[id] = placed_weights(here, weights);
  if (flags.cache) site.cache = *flags.cache;
  site.cache = placed(here, site.cache);
  return site;
}

fs::path Site::data_root(const std::string& dataset) const {
  const auto found = data.find(dataset);
  if (found == data.end()) {
    throw storage::UsageError(
        fmt::format("data set \"{0}\": its folder is not known; give --data {0}=FOLDER, or \"data\": {{\"{0}\": "
                    "\"FOLDER\"}} in a site file ({1})",
                    dataset, file ? file->string() : "site.json"));
  }
  return found->second;
}

fs::path Site::weights_file(const std::string& backbone, const std::string& published_name) const {
  const auto found = weights.find(backbone);
  if (found != weights.end() && sweeps::random_weights_seed(found->second.string())) return found->second;
  const fs::path hub =
      environment_path("TORCH_HOME").value_or(home() / ".cache" / "torch") / "hub" / "checkpoints" / published_name;
  const fs::path file_name = found != weights.end() ? found->second : hub;
  std::error_code error;
  if (fs::is_regular_file(file_name, error)) return file_name;
  throw storage::UsageError(fmt::format(
      "weights of {0}: {1} {2}; give --weights {0}=FILE (published as {3}), or \"weights\": {{\"{0}\": \"FILE\"}} in a "
      "site file",
      backbone, file_name.string(), fs::exists(file_name, error) ? "is not a file" : "is not there", published_name));
}

std::pair<std::string, std::string> split_assignment(const std::string& flag, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw storage::UsageError(fmt::format("{}: expected NAME=PATH, found \"{}\"", flag, text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace runner
