// A real Slurm as a user types at it. The tests' programs run inside `slurm-cluster run`, one node of 8 pretend CPUs
// and 2 pretend GPUs.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/end_to_end/program.hpp"
#include "tests/end_to_end/small_run.hpp"

namespace tests {

/// Output of a command that must succeed, without its last line break.
std::string typed(const std::vector<std::string>& command, const std::filesystem::path& folder,
                  const std::vector<std::string>& environment = {});

/// A sweep and the scripts that `plume-bench slurm` writes for it.
class SlurmRun {
 public:
  /// `flags` of `slurm` after --out.
  SlurmRun(const SmallRun& sweep, const std::vector<std::string>& flags);

  /// sbatch on DIR/slurm/run.sbatch, and what is typed after it; the job's number. Jobs see pretended GPUs, and what
  /// `environment` adds.
  std::string submit(const std::vector<std::string>& environment = {},
                     const std::vector<std::string>& typed = {}) const;

  /// True once squeue knows of no job any more.
  bool all_jobs_ended(std::chrono::seconds limit) const;
  /// "RUNNING", "PENDING", ...; "" once the queue has forgotten the job.
  std::string state_of(const std::string& job) const;
  /// A value of `scontrol show job`, e.g. Restarts.
  std::string fact_of(const std::string& job, const std::string& name) const;
  /// What all scripts of DIR/slurm printed.
  std::string printed() const;
  bool has_printed(const std::string& text) const { return printed().find(text) != std::string::npos; }
  std::size_t allocations() const;
  /// A job has a result, and another is under way.
  bool is_in_the_middle() const;
  std::string type(const std::vector<std::string>& command) const { return typed(command, sweep_.folder()); }

 private:
  const SmallRun& sweep_;
};

}  // namespace tests
