// What every run left behind, run by run, as tidy CSV: for people who make their own tables and figures.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "results/journal.hpp"
#include "results/planned_runs.hpp"
#include "sweeps/sweep.hpp"

namespace results {

/// One line for each epoch of each committed job of the plans, in their order, each job once:
/// key,dataset,class,method,setting,seed,weights,epoch,auc,auc_low,auc_high,ap_normal,ap_anomalous,fpr95,total,classification,noise,kl,guidance,
/// learning_rate,threshold,outcome. `setting` is the job's setting_names, `weights` the name of its
/// sweeps::WeightsKind; a diverged job has the epochs before.
std::string epochs_csv(const std::vector<sweeps::Plan>& plans, const Ledger& ledger);

/// The same, some lines at a time: all of a large sweep are gigabytes.
using TakeLines = std::function<void(std::string_view lines)>;
void write_epochs(const std::vector<PlannedRun>& runs, const TakeLines& take);

/// For each finished training its best and its last epoch, a line a class: the share of the class's test rows on the
/// right side of the threshold (accepted for the normal class, rejected for every other one):
/// key,dataset,class,method,setting,seed,weights,mode,epoch,threshold,test_class,share.
std::string shares_csv(const std::vector<sweeps::Plan>& plans, const Ledger& ledger);

}  // namespace results
