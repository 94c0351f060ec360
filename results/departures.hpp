// What makes trainings incomparable with the paper's numbers.
#pragma once

#include <string>
#include <vector>

#include "sweeps/job.hpp"

namespace results {

/// Settings of the trainings among `jobs` that are not the paper's, in words and in a fixed order: "dimension 384
/// (reduced)", "1000 training rows per class", "100 test rows per class", "10 epochs", "backbone efficientnet-lite0".
/// Empty for baselines, which the paper does not have, and where all is as in the paper. Settings that the paper varies
/// or leaves open are not among them: the caption states those.
std::vector<std::string> departures_of(const std::vector<const sweeps::Job*>& jobs);

/// The same for a verdict that is withheld: what only makes a training smaller is one "reduced", in front.
std::vector<std::string> short_departures_of(const std::vector<const sweeps::Job*>& jobs);

}  // namespace results
