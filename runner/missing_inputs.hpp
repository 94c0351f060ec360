// What a sweep needs that is not there yet: data sets and weights. To say so before a job waits for its turn in a
// queue.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runner/site.hpp"
#include "sweeps/sweep.hpp"

namespace runner {

struct MissingInputs {
  std::vector<std::string> lines;    ///< each says what is missing and which flag or key of a site file mends it
  std::set<std::string> data;        ///< ids of the data sets that are missing
  bool classes_are_unknown = false;  ///< one of them is of a kind that has no official classes: no plan without it
};

/// For the weights alone, in short: one line names all backbones of which nobody says where their weights are.
std::vector<std::string> missing_weights_in_short(const sweeps::Sweep& sweep, const Site& site);

/// Looks only whether things are there. Synthetic data needs nothing, and at a scale weights that are nowhere are no
/// fault: such a backbone runs untrained.
MissingInputs missing_inputs(const sweeps::Sweep& sweep, const Site& site, const SiteFlags& flags);

/// Throws UsageError for --data of an id that the sweep does not name, and for --weights of no backbone.
void refuse_unused_sites(const SiteFlags& flags, const sweeps::Sweep& sweep);

}  // namespace runner
