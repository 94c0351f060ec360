// Counts a plan's jobs.
#include "runner/plan_command.hpp"

#include <fmt/format.h>

#include <iostream>
#include <set>

#include "results/journal.hpp"
#include "runner/feature_plan.hpp"

namespace runner {

int print_plan(const std::filesystem::path& sweep_file, const sweeps::Substitutes& substitutes, const SiteFlags& site,
               const std::string& out) {
  const auto sweep = sweeps::read_sweep(sweep_file, substitutes);
  const FeaturePlan features(sweep, read_site(site));
  features.check_classes(sweep);
  const auto plan = sweeps::expand(sweep, features.class_names());
  results::Ledger ledger;
  if (!out.empty()) ledger = results::replay_journal(std::filesystem::path(out) / "journal.jsonl").ledger;
  const auto done = [&](std::size_t job) { return ledger.done.count(plan.keys[job]) > 0; };

  std::size_t all_done = 0, failed = 0;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    all_done += done(i) ? 1 : 0;
    failed += !done(i) && ledger.failed.contains(plan.keys[i]) ? 1 : 0;
  }
  const auto failures = failed == 0 ? "" : fmt::format("{} failed (run again with --retry-failed only), ", failed);
  std::cout << fmt::format("sweep {}: {} distinct jobs, {} done, {}{} to run\n", sweep.name, plan.jobs.size(), all_done,
                           failures, plan.jobs.size() - all_done - failed);
  std::set<std::size_t> seen;
  for (const auto& table : plan.tables) {
    std::set<std::size_t> jobs;
    for (const auto& row : table.rows) {
      for (const auto& cell : row.cells) jobs.insert(cell.jobs.begin(), cell.jobs.end());
    }
    std::size_t shared = 0;
    std::size_t table_done = 0;
    for (const auto job : jobs) {
      shared += seen.count(job);
      table_done += done(job) ? 1 : 0;
    }
    seen.insert(jobs.begin(), jobs.end());
    std::cout << fmt::format("  table {}: {} rows x {} columns, {} jobs ({} shared with tables above), {} done\n",
                             table.id, table.rows.size(), table.columns.size(), jobs.size(), shared, table_done);
  }
  return 0;
}

}  // namespace runner
