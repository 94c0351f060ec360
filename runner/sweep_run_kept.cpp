// What the sweep wants of trainings beside their results: models and dumps, of those to come and of those that are
// done.
#include <fmt/format.h>

#include "runner/sweep_run_state.hpp"
#include "workers/kept_files.hpp"

namespace runner {

sweeps::Keep SweepRun::State::wanted_of(const sweeps::JobKey& key) const {
  const auto found = keep.find(key);
  return found == keep.end() ? sweeps::Keep{} : found->second;
}

/// A result says nothing of files, and a training is not made again for them unless somebody says so. One that
/// diverged leaves none.
void SweepRun::State::check_kept() {
  std::size_t missing = 0;
  for (const auto i : selected) {
    const auto& key = plan.keys[i];
    const auto done = ledger.done.find(key);
    if (!plan.keep[i].anything() || done == ledger.done.end() || redo.contains(key)) continue;
    if (done->second.result.outcome == results::Outcome::diverged) continue;
    if (workers::are_there(options.out, plan.jobs[i], plan.keep[i])) continue;
    ++missing;
    if (!options.redo_unsaved) continue;
    redo.emplace(key, "its models or its dump are not there");
    --committed;
  }
  if (missing == 0 || options.redo_unsaved) return;
  warn(fmt::format(
      "{} of the trainings that are done left no models or dump, which the sweep now wants (\"save\", \"dump\"): give "
      "--redo-unsaved to train them again",
      missing));
}

}  // namespace runner
