// One line a file.
#include "runner/models_list.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <system_error>

#include "results/csv.hpp"
#include "results/result.hpp"
#include "storage/atomic_file.hpp"
#include "storage/is_there.hpp"
#include "storage/json.hpp"
#include "workers/kept_files.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// Where a model lies; empty where there is none.
fs::path found_in(const std::vector<std::string>& directories, const sweeps::JobKey& key, const std::string& which) {
  for (const auto& directory : directories) {
    auto file = workers::model_file(directory, key, which);
    if (storage::is_there(file)) return file;
  }
  return {};
}

std::string line_of(const sweeps::Job& job, const std::string& setting, const std::string& which,
                    const results::EpochRecord& epoch, const fs::path& file) {
  return fmt::format("{},{},{},{},{},{},{},{}\n", results::csv_field(job.dataset), results::csv_field(job.normal_class),
                     results::csv_field(setting), job.seed, which, epoch.epoch,
                     epoch.auc() ? storage::shortest(*epoch.auc()) : "", results::csv_field(file.string()));
}

}  // namespace

fs::path models_list(const fs::path& report) {
  return report / "models.csv";
}

void write_models_list(const fs::path& report, const std::vector<std::string>& directories,
                       const std::vector<sweeps::Plan>& plans, const results::Ledger& ledger) {
  std::string lines;
  std::set<sweeps::JobKey> seen;
  for (const auto& plan : plans) {
    const auto settings = sweeps::setting_names(plan.jobs);
    for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
      const auto done = ledger.done.find(plan.keys[i]);
      if (done == ledger.done.end() || !sweeps::is_trained(plan.jobs[i].method)) continue;
      if (!seen.insert(plan.keys[i]).second) continue;
      const auto& epochs = done->second.result.epochs;
      const auto best = results::best_epoch(epochs);
      for (const std::string which : {"best", "last"}) {
        const auto file = found_in(directories, plan.keys[i], which);
        if (file.empty() || epochs.empty() || (which == "best" && !best)) continue;
        lines += line_of(plan.jobs[i], settings[i], which, which == "best" ? epochs[*best] : epochs.back(), file);
      }
    }
  }
  if (lines.empty()) {
    std::error_code ignored;
    fs::remove(models_list(report), ignored);
    return;
  }
  storage::write_atomically(models_list(report), "dataset,class,setting,seed,weights,epoch,auroc,model\n" + lines);
}

}  // namespace runner
