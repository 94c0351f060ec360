// Which cluster the squeue at hand is of. Several clusters may see one disk: what the queue of one does not have may
// well be in that of another.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "runner/ask_program.hpp"

namespace runner {

class QueueCluster {
 public:
  explicit QueueCluster(Ask ask) : ask_(std::move(ask)) {}

  /// Whether it is another one than `cluster`, which the files name; "": they name none, and nobody is asked. Asks
  /// scontrol once; nothing where Slurm does not answer, which squeue would not do either. Where there is no scontrol,
  /// it is taken for that cluster.
  std::optional<bool> is_another_than(const std::string& cluster);

 private:
  Ask ask_;
  std::optional<std::string> name_;  ///< "": nobody can say
};

/// "ClusterName" of `scontrol show config`; "" where it is not there.
std::string cluster_named_in(const std::string& configuration);

}  // namespace runner
