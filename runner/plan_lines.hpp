// What `plan` and `run --dry-run` print of a plan: jobs per table, features and steps, and what that takes of time,
// memory, disk and a cluster.
#pragma once

#include <string>
#include <vector>

#include "results/journal.hpp"
#include "runner/ask_program.hpp"
#include "runner/cluster_settings.hpp"
#include "runner/feature_plan.hpp"
#include "runner/job_times.hpp"
#include "runner/plan_estimate.hpp"
#include "sweeps/sweep.hpp"
#include "workers/trainer_options.hpp"

namespace runner {

struct PlanView {
  const sweeps::Sweep& sweep;
  const sweeps::Plan& plan;
  const FeaturePlan& features;
  const results::Ledger& ledger;  ///< what is done
  const MeasuredTimes& measured;
  std::vector<std::size_t> selected;  ///< of plan.jobs: what a run is about
  std::vector<bool> left;             ///< of plan.jobs: what it would do
  std::string selected_by;            ///< the flags that chose, e.g. "--only class=cat"; "": every job is selected
  std::string out;                    ///< directory of the run, or ""
  int workers = 0;                    ///< 0: nobody says
  ClusterSettings cluster;
  double checkpoint_minutes = workers::kCheckpointMinutes;
  bool features_are_made = false;         ///< the cache is known to hold all that is needed
  std::vector<std::string> missing = {};  ///< what a run would miss, a line each
};

/// The selected jobs, with their rows and what those took that are done.
std::vector<PlannedJob> planned_jobs(const PlanView& view);

/// Indented lines under a first one. Asks Slurm, where there is one.
std::vector<std::string> plan_lines(const PlanView& view, const Ask& ask);

}  // namespace runner
