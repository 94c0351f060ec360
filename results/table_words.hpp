// Enumerations of a table as its CSV and JSON write them.
#pragma once

#include <string_view>

#include "results/statistics.hpp"

namespace results {

std::string_view name_of(Verdict::Kind kind);       ///< "inside", "outside", "no-spread", "withheld", "no-number"
std::string_view name_of(Uncounted::Why why);       ///< "diverged", "failed", "undefined", "missing"
std::string_view name_of(sweeps::Statistic which);  ///< "mean", "max", "mean-and-max"
std::string_view name_of(sweeps::Metric metric);    ///< "percent", "fraction"
std::string_view name_of(sweeps::Columns columns);  ///< "classes", "mean", "chosen"

}  // namespace results
