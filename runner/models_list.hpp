// Which of the models beside a report's runs is of which training: report/models.csv, for `plume-bench score`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/journal.hpp"
#include "sweeps/sweep.hpp"

namespace runner {

/// <report>/models.csv
std::filesystem::path models_list(const std::filesystem::path& report);

/// A line for each model file (DIR/models of each of `directories`, the first that has it) of the finished trainings of
/// `plans`, in their order: data set, class, setting, seed, best or last, epoch (from 0), AUROC, path. Without any the
/// list is removed. Nothing is looked into. Throws storage::Error naming the list where it cannot be written.
void write_models_list(const std::filesystem::path& report, const std::vector<std::string>& directories,
                       const std::vector<sweeps::Plan>& plans, const results::Ledger& ledger);

}  // namespace runner
