// `plan`: what a sweep would run.
#pragma once

#include <filesystem>
#include <string>

#include "runner/site.hpp"
#include "sweeps/sweep.hpp"

namespace runner {

struct PlanQuestion {
  std::filesystem::path sweep;
  sweeps::Substitutes substitutes;
  std::string scale;
  SiteFlags site;
  std::string out;  ///< directory of a run, or empty
};

/// Prints jobs per table, jobs that tables share, what the run directory has done of them, and what features and
/// optimiser steps they come to. Needs no data for kinds that fix their classes. Returns 0.
int print_plan(const PlanQuestion& question);

}  // namespace runner
