// In the order of the plans, so that the order of the journal changes no byte of what is made from it.
#include "results/planned_runs.hpp"

#include <unordered_set>

namespace results {
namespace {

bool is_finished(const PlannedRun& run) {
  return run.done != nullptr && run.done->result.outcome == Outcome::finished;
}

}  // namespace

std::vector<PlannedRun> planned_runs(const std::vector<sweeps::Plan>& plans, const Ledger& ledger) {
  std::vector<sweeps::Job> jobs;
  std::vector<PlannedRun> runs;
  std::unordered_set<sweeps::JobKey> seen;
  for (const sweeps::Plan& plan : plans) {
    for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
      const sweeps::JobKey& key = plan.keys.at(i);
      if (!seen.insert(key).second) continue;
      const auto done = ledger.done.find(key);
      const auto failed = ledger.failed.find(key);
      jobs.push_back(plan.jobs[i]);
      runs.push_back({key, &plan.jobs[i], "", done == ledger.done.end() ? nullptr : &done->second,
                      failed == ledger.failed.end() ? nullptr : &failed->second});
    }
  }
  std::vector<std::string> settings = sweeps::setting_names(jobs);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].setting = std::move(settings[i]);
  return runs;
}

const char* outcome_of(const PlannedRun& run) {
  if (run.done != nullptr) return is_finished(run) ? "finished" : "diverged";
  return run.failed != nullptr ? "failed" : "missing";
}

const EpochRecord* best_epoch_of(const PlannedRun& run) {
  if (!is_finished(run)) return nullptr;
  const auto best = best_epoch(run.done->result.epochs);
  return best ? &run.done->result.epochs[*best] : nullptr;
}

const EpochRecord* last_epoch_of(const PlannedRun& run) {
  if (!is_finished(run) || run.done->result.epochs.empty()) return nullptr;
  return &run.done->result.epochs.back();
}

std::vector<std::pair<sweeps::Mode, const EpochRecord*>> shown_epochs_of(const PlannedRun& run) {
  std::vector<std::pair<sweeps::Mode, const EpochRecord*>> shown;
  if (const EpochRecord* best = best_epoch_of(run)) shown.emplace_back(sweeps::Mode::best, best);
  if (const EpochRecord* last = last_epoch_of(run)) shown.emplace_back(sweeps::Mode::last, last);
  return shown;
}

}  // namespace results
