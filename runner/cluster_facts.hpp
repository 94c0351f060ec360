// What a Slurm cluster has and allows, as sinfo and scontrol say. Starts nothing but these two.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/ask_program.hpp"

namespace runner {

/// What a partition does with jobs. Slurm keeps the jobs of one that is down until it is up; one that drains or is
/// inactive takes none.
enum class PartitionState { up, down, takes_none };

struct Partition {
  std::string name;
  bool is_default = false;
  PartitionState state = PartitionState::up;
  std::optional<long> limit_seconds;       ///< longest job; absent: none, or it is not known
  int most_gpus = 0;                       ///< of one node
  int most_cpus = 0;                       ///< of one node; 0: not known
  long most_megabytes = 0;                 ///< memory of one node, of 2^20 bytes; 0: not known
  long nodes = 0;                          ///< 0: not known
  long nodes_away = 0;                     ///< of these: down, drained, or about to be
  std::vector<std::string> features = {};  ///< of any of its nodes, sorted: what --constraint names
  bool operator==(const Partition&) const = default;
};

struct ClusterFacts {
  std::vector<Partition> partitions;   ///< in sinfo's order
  std::optional<long> max_array_size;  ///< no task of an array may have this number
  std::string trouble;                 ///< why nothing is known of a cluster that is there; one line
};

/// Of `sinfo --noheader --exact --format "%P|%a|%l|%D|%G|%c|%m|%T|%f"`: a line for each kind of node of a partition.
/// Other lines are passed over.
std::vector<Partition> partitions_of(const std::string& sinfo_output);
/// Of `scontrol show config`.
std::optional<long> max_array_size_of(const std::string& scontrol_output);

/// Absent where no sinfo is on the PATH.
std::optional<ClusterFacts> ask_cluster(const Ask& ask);

}  // namespace runner
