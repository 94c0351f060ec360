// Where things are on this machine: data roots, weight files, the cache. Sweeps hold no paths.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace runner {

/// What --site, --data, --weights and --cache may give; empty where not given.
struct SiteFlags {
  std::optional<std::filesystem::path> site;
  std::map<std::string, std::string> data;     ///< data set id -> folder
  std::map<std::string, std::string> weights;  ///< backbone -> file, or random:SEED
  std::optional<std::filesystem::path> cache;
};

struct Site {
  std::optional<std::filesystem::path> file;  ///< the site file that was read, if any
  std::map<std::string, std::filesystem::path> data;
  std::map<std::string, std::filesystem::path> weights;  ///< random:SEED stays as it is
  std::filesystem::path cache;

  /// Throws UsageError naming every way to give the folder of a data set / the weights of a backbone.
  std::filesystem::path data_root(const std::string& dataset) const;
  /// Sought in this order: --weights, the site file, torch's hub folder ($TORCH_HOME or ~/.cache/torch,
  /// hub/checkpoints). `random:SEED` is returned as it is.
  std::filesystem::path weights_file(const std::string& backbone, const std::string& published_name) const;
};

/// Reads the first of --site, $PLUME_SITE, ./site.json, ~/.config/plume-bench/site.json that is given or exists; flags
/// override it. Relative paths in a site file are relative to its folder. The cache is --cache, the file's, else
/// $XDG_CACHE_HOME (~/.cache) /plume-bench.
Site read_site(const SiteFlags& flags);

/// "ID=PATH" -> pair; UsageError naming the flag otherwise.
std::pair<std::string, std::string> split_assignment(const std::string& flag, const std::string& text);

}  // namespace runner
