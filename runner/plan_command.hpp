// `plan`: what a sweep would run.
#pragma once

#include <filesystem>
#include <string>

#include "runner/site.hpp"
#include "sweeps/sweep.hpp"

namespace runner {

/// Prints jobs per table, jobs that tables share, and what the run directory `out` (may be empty) has done of them.
/// Returns 0.
int print_plan(const std::filesystem::path& sweep, const sweeps::Substitutes& substitutes, const SiteFlags& site,
               const std::string& out);

}  // namespace runner
