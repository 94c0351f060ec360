// Whether what is asked for fits a Slurm cluster. Pure.
#pragma once

#include <string>
#include <vector>

#include "runner/cluster_facts.hpp"
#include "runner/cluster_settings.hpp"

namespace runner {

/// What is to be run there.
struct ClusterWish {
  ClusterSettings settings;
  std::size_t jobs = 0;        ///< that are left
  double longest_seconds = 0;  ///< what the longest of them should take; 0: not known
  bool longest_is_guessed = false;
};

/// What Slurm would refuse or never start of what a batch script asks for: partition, time, nodes, GPUs, CPUs, memory,
/// the size of an array. Indented lines with what to write instead; of a cluster that does not answer the one that says
/// so. Memory in units that Slurm does not document is not looked at.
std::vector<std::string> cluster_objections(const ClusterFacts& facts, const ClusterSettings& settings);

/// These, whether the longest job fits into an allocation, and how an array would split the jobs.
std::vector<std::string> cluster_lines(const ClusterFacts& facts, const ClusterWish& wish);

}  // namespace runner
