// `plan`: what a sweep would run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/ask_program.hpp"
#include "runner/site.hpp"
#include "sweeps/sweep.hpp"

namespace runner {

struct PlanQuestion {
  std::filesystem::path sweep;
  sweeps::Substitutes substitutes;
  std::string scale;
  SiteFlags site;
  std::vector<std::string> out;    ///< directories of runs, whose results are done
  std::vector<std::string> times;  ///< of others, for their times alone
  int workers = 0;                 ///< to say how long that many take; 0: leave it out
  Ask ask = {};                    ///< instead of starting programs, in tests
};

/// Prints plan_lines() of the whole sweep against what the directories hold. Needs no data for kinds that fix their
/// classes. Returns 0.
int print_plan(const PlanQuestion& question);

}  // namespace runner
