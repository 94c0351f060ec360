// What a Slurm cluster allows, as sinfo and scontrol say, and what of a plan does not fit. Starts nothing but these
// two.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/ask_program.hpp"
#include "runner/cluster_settings.hpp"

namespace runner {

struct Partition {
  std::string name;
  bool is_default = false;
  bool is_up = true;
  std::optional<long> limit_seconds;  ///< longest job; absent: none, or it is not known
  int most_gpus = 0;                  ///< of one node
  bool operator==(const Partition&) const = default;
};

struct ClusterFacts {
  std::vector<Partition> partitions;   ///< in sinfo's order
  std::optional<long> max_array_size;  ///< no task of an array may have this number
  std::string trouble;                 ///< why nothing is known of a cluster that is there; one line
};

/// Of `sinfo --noheader --format "%P|%a|%l|%D|%G"`: a line for each kind of node of a partition. Other lines are passed
/// over.
std::vector<Partition> partitions_of(const std::string& sinfo_output);
/// Of `scontrol show config`.
std::optional<long> max_array_size_of(const std::string& scontrol_output);

/// Absent where no sinfo is on the PATH.
std::optional<ClusterFacts> ask_cluster(const Ask& ask);

/// What is to be run there.
struct ClusterWish {
  ClusterSettings settings;
  std::size_t jobs = 0;        ///< that are left
  double longest_seconds = 0;  ///< what the longest of them should take; 0: not known
  bool longest_is_guessed = false;
};
/// A line each, with what to write instead where something does not fit.
std::vector<std::string> cluster_lines(const ClusterFacts& facts, const ClusterWish& wish);

}  // namespace runner
