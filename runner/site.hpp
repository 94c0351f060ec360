// Where things are on this machine: data roots, weight files, the cache. Sweeps hold no paths.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "runner/cluster_settings.hpp"

namespace runner {

/// What --site, --data, --weights and --cache may give; empty where not given.
struct SiteFlags {
  std::optional<std::filesystem::path> site;
  std::map<std::string, std::string> data;     ///< data set id -> folder
  std::map<std::string, std::string> weights;  ///< backbone -> file, or random:SEED
  std::optional<std::filesystem::path> cache;
};

/// Where weights were found.
struct FoundWeights {
  std::filesystem::path file;  ///< or random:SEED
  std::string by;  ///< what led to it, "--weights", "site file /x/site.json" or what is in torch's hub folder
};

struct Site {
  std::optional<std::filesystem::path> file;  ///< the site file that was read, if any
  std::map<std::string, std::filesystem::path> data;
  std::map<std::string, std::filesystem::path> weights;  ///< random:SEED stays as it is
  std::set<std::string> weights_by_flag;                 ///< backbones whose weights --weights gave
  std::filesystem::path cache;
  ClusterSettings cluster;  ///< what `slurm` takes where no flag says otherwise

  /// Throws UsageError naming every way to give the folder of a data set.
  std::filesystem::path data_root(const std::string& dataset) const;
  /// Sought in this order: --weights, the site file, torch's hub folder under its published name. The first that names
  /// weights decides. `random:SEED` is returned as it is. Throws UsageError naming the file, where it was sought and
  /// every way to give it; or what is wrong with a folder or an unreadable file.
  /// Why no flag, no site file and not torch's hub folder has weights of the backbone; empty where one has, for good or
  /// bad.
  std::string why_no_weights(const std::string& backbone, const std::string& published_name) const;
  FoundWeights find_weights(const std::string& backbone, const std::string& published_name) const;
  std::filesystem::path weights_file(const std::string& backbone, const std::string& published_name) const;
};

/// Reads the first of --site, $PLUME_SITE, ./site.json, ~/.config/plume-bench/site.json that is given or exists; flags
/// override it. Relative paths in a site file are relative to its folder. The cache is --cache, the file's, else
/// $XDG_CACHE_HOME (~/.cache) /plume-bench.
Site read_site(const SiteFlags& flags);

/// Where torch.hub keeps weights: hub/checkpoints in $TORCH_HOME, else in torch of $XDG_CACHE_HOME, else in
/// ~/.cache/torch. As torch does, a leading ~ is the home folder, and a variable that is set but empty counts.
std::filesystem::path torch_hub_folder();

/// "ID=PATH" -> pair; UsageError naming the flag otherwise.
std::pair<std::string, std::string> split_assignment(const std::string& flag, const std::string& text,
                                                     const char* form = "NAME=PATH");

}  // namespace runner
