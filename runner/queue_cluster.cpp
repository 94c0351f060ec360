// Asks scontrol.
#include "runner/queue_cluster.hpp"

#include <sstream>

namespace runner {

std::optional<bool> QueueCluster::is_another_than(const std::string& cluster) {
  if (cluster.empty()) return false;
  if (!name_) {
    const auto answer = ask_({"scontrol", "show", "config"}, {});
    if (answer.found && !answer.why.empty()) return std::nullopt;
    name_ = answer.found ? cluster_named_in(answer.output) : "";
  }
  return !name_->empty() && *name_ != cluster;
}

std::string cluster_named_in(const std::string& configuration) {
  std::istringstream text(configuration);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string key, equals, value;
    if (words >> key >> equals >> value && key == "ClusterName" && equals == "=") return value;
  }
  return "";
}

}  // namespace runner
