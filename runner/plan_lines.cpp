// Counts a plan's jobs, and says what they need.
#include "runner/plan_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "results/text_layout.hpp"
#include "runner/cluster_fit.hpp"
#include "runner/plan_estimate.hpp"
#include "runner/plan_needs.hpp"
#include "runner/plan_sizes.hpp"
#include "runner/size_text.hpp"
#include "sweeps/backbones.hpp"
#include "sweeps/checkpoint_size.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;
using results::grouped;
using Lines = std::vector<std::string>;

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

// ---- jobs
// --------------------------------------------------------------------------------------------------------------------

/// Counts of one plan against what is done.
class Counter {
 public:
  explicit Counter(const PlanView& view) : view_(view), plan_(view.plan) {}

  void say_total(Lines& lines) const {
    std::size_t done = 0, failed = 0;
    for (std::size_t i = 0; i < plan_.jobs.size(); ++i) {
      done += is_done(i) ? 1 : 0;
      failed += !is_done(i) && view_.ledger.failed.contains(plan_.keys[i]) ? 1 : 0;
    }
    const auto failures = failed == 0 ? "" : fmt::format("{} failed (run again with --retry-failed only), ", failed);
    lines.push_back(fmt::format("sweep {}{}: {} distinct jobs out of {} named, {} done, {}{} to run", view_.sweep.name,
                                view_.sweep.scale.empty() ? "" : fmt::format(" at scale {}", view_.sweep.scale),
                                grouped(plan_.jobs.size()), grouped(named()), grouped(done), failures,
                                grouped(plan_.jobs.size() - done - failed)));
    if (view_.selected_by.empty()) return;
    const auto left = std::count(view_.left.begin(), view_.left.end(), true);
    lines.push_back(fmt::format("  this run: {} jobs ({}), {} to run", grouped(view_.selected.size()),
                                view_.selected_by, grouped(static_cast<std::uint64_t>(left))));
  }

  void say_tables(Lines& lines) const {
    std::set<std::size_t> seen;
    for (const auto& table : plan_.tables) {
      const auto jobs = jobs_of(table);
      std::size_t shared = 0, done = 0, left = 0;
      for (const auto job : jobs.distinct) {
        shared += seen.count(job);
        done += is_done(job) ? 1 : 0;
        left += view_.left[job] ? 1 : 0;
      }
      seen.insert(jobs.distinct.begin(), jobs.distinct.end());
      lines.push_back(fmt::format(
          "  table {}: {} rows x {} columns, {} named, {} jobs ({} shared with tables above), {} done, {} left",
          table.id, table.rows.size(), table.columns.size(), grouped(jobs.named), grouped(jobs.distinct.size()),
          grouped(shared), grouped(done), grouped(left)));
    }
  }

 private:
  bool is_done(std::size_t job) const { return view_.ledger.done.contains(plan_.keys[job]); }

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

  const PlanView& view_;
  const sweeps::Plan& plan_;
};

// ---- features and steps
// ------------------------------------------------------------------------------------------------------------

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

/// Nobody timed these; a GPU takes minutes.
std::string extraction_line(const std::vector<FeatureNeed>& needs) {
  const double seconds = extraction_seconds(needs);
  if (seconds <= 0) return "";
  return fmt::format("  features that the cache does not hold: at most {} of one CPU thread each",
                     work_in_words(seconds, "worker", true));
}

/// Nothing where nothing is trained, or none is written.
std::string checkpoints_line(const PlanView& view) {
  const double minutes = view.checkpoint_minutes;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < view.plan.jobs.size(); ++i) {
    if (!view.left[i]) continue;
    const auto& job = view.plan.jobs[i];
    bytes = std::max(bytes, sweeps::checkpoint_bytes(job) + sweeps::best_epoch_bytes(job, view.plan.keep[i]));
  }
  if (bytes == 0 || minutes <= 0) return "";
  return fmt::format("  checkpoints: at most {} a training, of those that take longer than {:g} minutes",
                     size_text(bytes), minutes);
}

/// "950", "468,000", "15.69 million", "2.10 billion"
std::string count_in_words(std::int64_t count) {
  const auto number = static_cast<double>(count);
  if (count < 1'000'000) return grouped(static_cast<std::uint64_t>(count));
  return count < 1'000'000'000 ? fmt::format("{:.2f} million", number / 1e6)
                               : fmt::format("{:.2f} billion", number / 1e9);
}

void say_features(const PlanView& view, const std::vector<sweeps::Job>& jobs, Lines& lines) {
  const auto needs = feature_needs(jobs, view.features);
  for (const auto& need : needs) {
    lines.push_back(fmt::format("  features of {} {}: {}{}", need.dataset, source_in_words(need.backbone),
                                need.sets == 1 ? "" : fmt::format("{} sets, ", need.sets), rows_in_words(need)));
  }
  const auto work = training_work(jobs, view.features);
  const auto without =
      work.not_known.empty() ? "" : fmt::format(", those on {} not counted", fmt::join(work.not_known, ", "));
  lines.push_back(fmt::format("  trainings: {}; optimiser steps: {}; rows scored: {}{}",
                              grouped(static_cast<std::uint64_t>(work.trainings)), count_in_words(work.steps),
                              count_in_words(work.scored_rows), without));
  const auto checkpoints = checkpoints_line(view);
  if (!checkpoints.empty()) lines.push_back(checkpoints);
  const auto extraction = view.features_are_made ? std::string() : extraction_line(needs);
  if (!extraction.empty()) lines.push_back(extraction);
}

// ---- memory and disk
// ---------------------------------------------------------------------------------------------------------------

std::string bytes_in_words(double bytes) {
  return size_text(static_cast<std::int64_t>(bytes));
}

/// Of the whole plan: that is what its directory holds at the end.
JournalShape journal_shape(const PlanView& view) {
  JournalShape shape;
  shape.jobs = view.selected.size();
  shape.tables = view.plan.tables.size();
  for (const auto i : view.selected) {
    const auto& job = view.plan.jobs[i];
    const double epochs = sweeps::is_trained(job.method) ? job.training.epochs : 1;
    shape.epoch_records += epochs;
    if (!sweeps::is_trained(job.method)) continue;
    shape.class_shares += epochs * static_cast<double>(view.features.dataset(job.dataset).classes().size());
  }
  return shape;
}

/// " (20 GB free)", of the first folder above that is there.
std::string free_in_words(fs::path folder) {
  std::error_code error;
  folder = fs::absolute(folder, error);
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  const auto space = fs::space(folder, error);
  return error ? "" : fmt::format(" ({} free)", bytes_in_words(static_cast<double>(space.available)));
}

/// ", models and dumps 30 MB", of the whole plan; nothing where trainings leave none.
std::string kept_in_words(const PlanView& view) {
  std::int64_t bytes = 0;
  for (const auto i : view.selected) bytes += sweeps::kept_bytes(view.plan.jobs[i], view.plan.keep[i]);
  return bytes == 0 ? "" : fmt::format(", models and dumps at most {}", size_text(bytes));
}

/// Of the best epoch's weights, the most that a training keeps beside those that it trains.
double most_of_a_best_epoch(const PlanView& view) {
  std::int64_t most = 0;
  for (const auto i : view.selected) {
    most = std::max(most, sweeps::best_epoch_bytes(view.plan.jobs[i], view.plan.keep[i]));
  }
  return static_cast<double>(most);
}

void say_sizes(const PlanView& view, const std::vector<sweeps::Job>& left, Lines& lines) {
  auto sizes = sizes_of(left, view.features);
  for (auto& one : sizes) {
    if (view.features_are_made) one.made_through.clear();
  }
  const auto shape = journal_shape(view);
  double largest = 0;
  for (const auto& one : sizes) largest = std::max({largest, one.train.bytes, one.test.bytes});
  if (!sizes.empty()) {
    const double trainer = trainer_bytes(sizes) + most_of_a_best_epoch(view);
    const auto together = view.workers > 1
                              ? fmt::format(", {} workers {}", view.workers, bytes_in_words(trainer * view.workers))
                              : std::string();
    lines.push_back(fmt::format("  memory: about {} for each worker{}; {} for the coordinator", bytes_in_words(trainer),
                                together, bytes_in_words(coordinator_bytes(shape, largest))));
  }
  double features = 0;
  for (const auto& need : feature_needs(left, view.features)) features += need.megabytes * 1e6;
  const auto cache = fmt::format("features {} in {}{}", bytes_in_words(features), view.features.cache().string(),
                                 free_in_words(view.features.cache()));
  lines.push_back(fmt::format("  disk: {}journal {} and report {}{}{}", features > 0 ? cache + "; " : "",
                              bytes_in_words(journal_bytes(shape)), bytes_in_words(report_bytes(shape)),
                              kept_in_words(view),
                              view.out.empty() ? "" : " in " + view.out + free_in_words(view.out)));
}

// ---- time and cluster
// --------------------------------------------------------------------------------------------------------------

void say_cluster(const PlanView& view, const std::vector<PlannedJob>& jobs, std::size_t left, const Ask& ask,
                 Lines& lines) {
  const auto facts = left == 0 ? std::nullopt : ask_cluster(ask);
  if (!facts) return;
  const auto times = estimate(jobs, view.measured, machine_of(view.measured, view.cluster.gpus_per_node > 0), 1);
  for (auto& line : cluster_lines(*facts, {view.cluster, left, times.longest_seconds, times.guessed > 0})) {
    lines.push_back(std::move(line));
  }
}

}  // namespace

std::vector<PlannedJob> planned_jobs(const PlanView& view) {
  std::vector<sweeps::Job> jobs;
  for (const auto i : view.selected) jobs.push_back(view.plan.jobs[i]);
  const auto shapes = shapes_of(jobs, view.features);
  std::vector<PlannedJob> planned;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    const auto i = view.selected[k];
    const auto done = view.ledger.done.find(view.plan.keys[i]);
    planned.push_back({jobs[k], shapes[k], view.left[i],
                       done == view.ledger.done.end() ? std::nullopt : seconds_taken(done->second)});
  }
  return planned;
}

std::vector<std::string> plan_lines(const PlanView& view, const Ask& ask) {
  Lines lines;
  const Counter counter(view);
  counter.say_total(lines);
  counter.say_tables(lines);
  std::vector<sweeps::Job> left;
  for (std::size_t i = 0; i < view.plan.jobs.size(); ++i) {
    if (view.left[i]) left.push_back(view.plan.jobs[i]);
  }
  const bool nothing_left = left.empty();
  if (!nothing_left) say_features(view, left, lines);
  const auto jobs = planned_jobs(view);
  for (auto& line : estimate_lines(jobs, view.measured, view.workers)) lines.push_back(std::move(line));
  if (!nothing_left) say_sizes(view, left, lines);
  say_cluster(view, jobs, left.size(), ask, lines);
  for (const auto& missing : view.missing) lines.push_back("  missing: " + missing);
  if (view.features.not_opened().empty()) return lines;
  lines.push_back(
      fmt::format("  not looked at: {} (neither --data nor a site file says where): classes and rows are the official "
                  "ones",
                  fmt::join(view.features.not_opened(), ", ")));
  return lines;
}

}  // namespace runner
