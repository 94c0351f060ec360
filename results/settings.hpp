// The facts about the jobs of a table that its caption states, one string a fact. Rounds found learning rates only.
#pragma once

#include <string>
#include <vector>

#include "results/journal.hpp"
#include "sweeps/sweep.hpp"

namespace results {

/// Facts about `jobs` and, where they are committed, their `results`, in a fixed order; values in the order of the
/// jobs; substitutes and settings of the data set are those of `table`. Example: "data set spark2022 (in place of
/// spark2021), size 512", "normal set satellites (Aquarius, Terra)", "backbone resnet50", "epochs 100", "lambda 5, 10",
/// "dimension 384 (reduced; the paper uses 3072)", "learning rate found by a range test (5.0e-04 to 6.3e-04)", "device
/// cpu, 1 thread". A setting is stated only if it has an effect on one of the jobs.
std::vector<std::string> settings_of(const std::vector<const sweeps::Job*>& jobs,
                                     const std::vector<const JobResult*>& results,
                                     const sweeps::PlannedTable& table = {});

}  // namespace results
