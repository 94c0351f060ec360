// Counts a plan's jobs, and what they need.
#include "runner/plan_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "results/journal.hpp"
#include "results/text_layout.hpp"
#include "runner/feature_plan.hpp"
#include "runner/plan_needs.hpp"
#include "runner/size_text.hpp"
#include "sweeps/backbones.hpp"
#include "sweeps/checkpoint_size.hpp"
#include "workers/trainer_options.hpp"

namespace runner {
namespace {

using results::grouped;

struct TableJobs {
  std::size_t named = 0;  ///< by its rows, one by one
  std::set<std::size_t> distinct;
};

TableJobs jobs_of(const sweeps::PlannedTable& table) {
  TableJobs jobs;
  for (const auto& row : table.rows) {
    std::set<std::size_t> of_row;
    for (const auto& cell : row.cells) of_row.insert(cell.jobs.begin(), cell.jobs.end());
    jobs.named += of_row.size();
    jobs.distinct.insert(of_row.begin(), of_row.end());
  }
  return jobs;
}

/// Counts of one plan against what is done.
class Counter {
 public:
  Counter(const sweeps::Plan& plan, const results::Ledger& ledger) : plan_(plan), ledger_(ledger) {}

  void print_total(const sweeps::Sweep& sweep) const {
    std::size_t done = 0, failed = 0;
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
      done += is_done(i) ? 1 : 0;
      failed += !is_done(i) && ledger_.failed.contains(plan_.keys[i]) ? 1 : 0;
    }
    const auto failures = failed == 0 ? "" : fmt::format("{} failed (run again with --retry-failed only), ", failed);
    std::cout << fmt::format("sweep {}{}: {} distinct jobs out of {} named, {} done, {}{} to run\n", sweep.name,
                             sweep.scale.empty() ? "" : fmt::format(" at scale {}", sweep.scale),
                             grouped(plan_.jobs.size()), grouped(named()), grouped(done), failures,
                             grouped(plan_.jobs.size() - done - failed));
  }

  void print_tables() const {
    std::set<std::size_t> seen;
    for (const auto& table : plan_.tables) {
      const auto jobs = jobs_of(table);
      std::size_t shared = 0, done = 0;
      for (const auto job : jobs.distinct) {
        shared += seen.count(job);
        done += is_done(job) ? 1 : 0;
      }
      seen.insert(jobs.distinct.begin(), jobs.distinct.end());
      std::cout << fmt::format(
          "  table {}: {} rows x {} columns, {} named, {} jobs ({} shared with tables above), {} done\n", table.id,
          table.rows.size(), table.columns.size(), grouped(jobs.named), grouped(jobs.distinct.size()), grouped(shared),
          grouped(done));
    }
  }

 private:
  bool is_done(std::size_t job) const { return ledger_.done.count(plan_.keys[job]) > 0; }

  /// By the rows of all tables; a job that no row names counts once.
  std::size_t named() const {
    std::size_t count = 0;
    std::set<std::size_t> in_tables;
    for (const auto& table : plan_.tables) {
      const auto jobs = jobs_of(table);
      count += jobs.named;
      in_tables.insert(jobs.distinct.begin(), jobs.distinct.end());
    }
    return count + plan_.jobs.size() - in_tables.size();
  }

  const sweeps::Plan& plan_;
  const results::Ledger& ledger_;
};

std::string rows_in_words(const FeatureNeed& need) {
  if (!need.rows[0]) return "rows not known before its files are at hand";
  return fmt::format("{}{} training and {} test rows, {} MB", need.at_least ? "at least " : "",
                     grouped(static_cast<std::uint64_t>(*need.rows[0])),
                     grouped(static_cast<std::uint64_t>(need.rows[1].value_or(0))),
                     need.megabytes < 10 ? fmt::format("{:.1f}", need.megabytes)
                                         : grouped(static_cast<std::uint64_t>(need.megabytes + 0.5)));
}

std::string source_in_words(const std::string& backbone) {
  if (backbone == sweeps::kRawImages) return "as images of 32x32";
  return backbone == sweeps::kOwnFeatures ? "as they are" : "through " + backbone;
}

/// One line, or nothing where nothing is trained.
std::string checkpoints_in_words(const std::vector<sweeps::Job>& jobs) {
  std::int64_t bytes = 0;
  for (const auto& job : jobs) bytes = std::max(bytes, sweeps::checkpoint_bytes(job));
  if (bytes == 0) return "";
  return fmt::format("  checkpoints: at most {} a training, of those that take longer than {:g} minutes\n",
                     size_text(bytes), workers::kCheckpointMinutes);
}

void print_needs(const sweeps::Plan& plan, const FeaturePlan& features) {
  for (const auto& need : feature_needs(plan.jobs, features)) {
    std::cout << fmt::format("  features of {} {}: {}{}\n", need.dataset, source_in_words(need.backbone),
                             need.sets == 1 ? "" : fmt::format("{} sets, ", need.sets), rows_in_words(need));
  }
  const auto count = optimiser_steps(plan.jobs, features);
  const auto steps = count.steps < 1'000'000 ? grouped(static_cast<std::uint64_t>(count.steps))
                                             : fmt::format("{:.2f} million", static_cast<double>(count.steps) / 1e6);
  const auto without =
      count.not_known.empty() ? "" : fmt::format(", those on {} not counted", fmt::join(count.not_known, ", "));
  std::cout << fmt::format("  optimiser steps: {}{}\n", steps, without);
  std::cout << checkpoints_in_words(plan.jobs);
  if (features.not_opened().empty()) return;
  std::cout << fmt::format(
      "  not looked at: {} (neither --data nor a site file says where): classes and rows are the official ones\n",
      fmt::join(features.not_opened(), ", "));
}

}  // namespace

int print_plan(const PlanQuestion& question) {
  const auto sweep = sweeps::read_sweep(question.sweep, question.substitutes, question.scale);
  const FeaturePlan features(sweep, read_site(question.site), FeaturePlan::NoData::official);
  features.check_classes(sweep);
  const auto plan = sweeps::expand(sweep, features.class_names());
  results::Ledger ledger;
  if (!question.out.empty()) {
    ledger = results::replay_journal(std::filesystem::path(question.out) / "journal.jsonl").ledger;
  }
  const Counter counter(plan, ledger);
  counter.print_total(sweep);
  counter.print_tables();
  print_needs(plan, features);
  return 0;
}

}  // namespace runner
