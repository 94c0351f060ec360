// The jobs of several plans, each once and in their order, beside what a ledger has of them: what everything that lists
// runs one by one is made from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "results/journal.hpp"
#include "sweeps/sweep.hpp"

namespace results {

/// Refers to the plans and the ledger that it was made from.
struct PlannedRun {
  sweeps::JobKey key;
  const sweeps::Job* job = nullptr;
  std::string setting;             ///< its name among all planned jobs: it does not change while a sweep is under way
  const Done* done = nullptr;      ///< where it is committed
  const Failed* failed = nullptr;  ///< where it is given up; neither: missing
};

std::vector<PlannedRun> planned_runs(const std::vector<sweeps::Plan>& plans, const Ledger& ledger);

/// "finished", "diverged", "failed" or "missing".
const char* outcome_of(const PlannedRun& run);

/// Of a finished run: those with the highest AUROC and the last; null where there is none. A diverged run is in no
/// mean, so it has neither.
const EpochRecord* best_epoch_of(const PlannedRun& run);
const EpochRecord* last_epoch_of(const PlannedRun& run);

/// Those two, as far as they are there, with their modes.
std::vector<std::pair<sweeps::Mode, const EpochRecord*>> shown_epochs_of(const PlannedRun& run);

}  // namespace results
