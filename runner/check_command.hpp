// `plume-bench check weights`: finds the weights of a backbone and prints what they are.
#pragma once

#include <optional>
#include <string>

#include "runner/site.hpp"
#include "workers/weights_check.hpp"

namespace runner {

struct WeightsQuestion {
  std::string backbone;
  SiteFlags site;
  std::optional<int> threads;  ///< default: all CPUs of this process
  bool list_tensors = false;
};

/// workers::check_weights, which this folder's library cannot call itself.
using WeightsCheck = void (*)(const workers::WeightsToCheck& check, const workers::SayFact& say);

/// Prints an aligned line a fact and flushes each; returns 0. Throws UsageError for an unknown backbone and for weights
/// that are not there, Error for those that are of no use.
int print_weights_check(const WeightsQuestion& question, WeightsCheck check);

}  // namespace runner
