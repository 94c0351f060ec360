// What of a cluster a batch script must know: flags of `slurm`, over "slurm" of the site file, over defaults.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "storage/json.hpp"

namespace runner {

/// How workers are started.
enum class Form {
  mpirun,  ///< Open MPI's launcher inside the allocation: a lost rank does not end the others
  srun,    ///< Slurm's own, with PMIx: a lost rank ends the step, and the next allocation goes on
  array,   ///< no MPI: an array of shares
};

/// What a batch script does when work is left at its end.
enum class Next {
  resubmit,  ///< submits itself again
  requeue,   ///< has Slurm start the same job again: where jobs may not submit jobs, and always for the form array
  stop,      ///< nothing
};

struct ClusterSettings {
  Form form = Form::mpirun;
  std::string partition, account, qos;  ///< "": the cluster's default
  int nodes = 1;
  int gpus_per_node = 1;
  int workers_per_node = 0;  ///< 0: one for each GPU
  int cpus_per_task = 4;     ///< threads of a worker
  std::string memory;        ///< of a node, as Slurm writes it; "": the cluster's default
  std::string time = "24:00:00";
  int drain_seconds = 0;  ///< 0: 300, or a sixth of the time limit where that is less
  int shares = 8;         ///< of the form array
  int at_once = 0;        ///< shares that may run at once; 0: all
  std::string container;
  std::vector<std::string> modules;
  std::vector<std::string> setup;       ///< lines of shell, before the run
  std::vector<std::string> directives;  ///< further options of sbatch, "--constraint=a100"
  Next next = Next::resubmit;

  /// Workers of a node.
  int workers() const { return workers_per_node > 0 ? workers_per_node : gpus_per_node; }
};

/// Flags as typed; absent: not given.
struct ClusterFlags {
  std::optional<std::string> form, partition, account, qos, memory, time, container, next;
  std::optional<int> nodes, gpus_per_node, workers_per_node, cpus_per_task, drain_seconds, shares, at_once;
  std::vector<std::string> modules, setup, directives;  ///< given: in place of the site file's
};

/// "slurm" of a site file into settings. Throws what `value` throws: file, key, what was expected.
ClusterSettings read_cluster(const storage::JsonValue& value);

/// Flags over settings; throws UsageError naming the flag or the key and what to write.
ClusterSettings with_flags(ClusterSettings settings, const ClusterFlags& flags);

/// Seconds of a time limit as sbatch takes it: M, M:S, H:M:S, D-H, D-H:M, D-H:M:S. Nothing for other texts.
std::optional<long> seconds_of_time_limit(const std::string& text);

}  // namespace runner
