// `slurm`: writes batch scripts for a sweep and a cluster.
#pragma once

#include <string>
#include <vector>

#include "runner/ask_program.hpp"
#include "runner/cluster_settings.hpp"
#include "runner/site.hpp"
#include "sweeps/substitutes.hpp"

namespace runner {

struct SlurmQuestion {
  std::string sweep, scale, only;
  sweeps::Substitutes substitutes;
  std::string out;
  SiteFlags site;
  ClusterFlags cluster;
  std::vector<std::string> run_flags;  ///< further flags of `run`, after "--"
  bool force = false;                  ///< replace scripts that were changed
  std::string why_gpus_idle = {};      ///< why this program does not use GPUs; "": it does
  Ask ask = {};                        ///< instead of starting programs, in tests
};

/// Writes DIR/slurm/*, and prints which files, what they ask for, how long that should take, which data and weights are
/// missing so far, what of it the cluster at hand has not, and what to type. Nothing is submitted. Throws UsageError
/// for what `run` would refuse of the sweep, and for scripts that differ from what is to be written.
int write_slurm_scripts(const SlurmQuestion& question);

}  // namespace runner
