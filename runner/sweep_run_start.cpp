// Before the first worker: reads the sweep, takes the directory, finds out what is done and what is to do.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iostream>
#include <numeric>
#include <optional>
#include <system_error>
#include <thread>

#include "runner/exit_status.hpp"
#include "runner/job_names.hpp"
#include "runner/missing_inputs.hpp"
#include "runner/placement.hpp"
#include "runner/plan_needs.hpp"
#include "runner/run_places.hpp"
#include "runner/sweep_run_state.hpp"
#include "runner/version.hpp"
#include "runner/weights_warning.hpp"
#include "storage/abandoned_files.hpp"
#include "storage/error.hpp"
#include "storage/machine.hpp"
#include "workers/fault_on_request.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

LockOptions lock_options(bool take_over) {
  LockOptions options;
  options.take_over = take_over;
  options.wait = [](std::chrono::duration<double> time) { std::this_thread::sleep_for(time); };
  options.say = [](const std::string& line) { std::cerr << line << std::endl; };
  return options;
}

}  // namespace

/// What was typed and what it names; nothing is written.
void SweepRun::State::read_sweep(const Site& site) {
  sweep = sweeps::read_sweep(options.sweep, options.substitutes, options.scale);
  refuse_unused_sites(options.site, sweep);
  features = std::make_unique<FeaturePlan>(sweep, site);
  features->check_classes(sweep);
  plan = sweeps::expand(sweep, features->class_names());
  if (options.only.empty()) {
    selected.resize(plan.jobs.size());
    std::iota(selected.begin(), selected.end(), std::size_t{0});
  } else {
    selected = sweeps::select_jobs(plan, options.only);
  }
  if (options.share) selected = sweeps::share_of(plan.jobs, selected, *options.share);
  name_jobs();
  features->find_weights(plan.jobs,
                         sweep.scale.empty() ? FeaturePlan::NoWeights::refused : FeaturePlan::NoWeights::random);
}

/// What an earlier run left. True where the sweep replaces another version of its name.
bool SweepRun::State::read_directory(results::Replay& replay) {
  run_file = read_run_file(options.out);
  const bool replaced = freeze(run_file, sweep, features->class_names());
  if (!options.features_only) run_file.share = options.share;
  replay = results::replay_journal(options.out / "journal.jsonl");
  ledger = std::move(replay.ledger);
  committed =
      std::count_if(selected.begin(), selected.end(), [&](auto i) { return ledger.done.contains(plan.keys[i]); });
  measured = measured_times({&ledger}, [&](const sweeps::Job& job) { return row_length_of(job, *features); });
  return replaced;
}

void SweepRun::State::check_scans(const fs::path& cache) const {
  for (const auto& job : open_jobs()) {
    if (!features->scanned(job.dataset)) check_cache_for("a scan of " + job.dataset, cache);
  }
}

void SweepRun::State::prepare() {
  if (!options.deadline.empty()) learn_deadline();
  const auto site = read_site(options.site);
  read_sweep(site);
  make_directory(options.out);
  make_cache(site.cache);
  lock = std::make_unique<DirectoryLock>(options.out, lock_options(options.take_over));
  refuse_another_share();
  const auto dealt_anew = another_deal();
  forget_exit_status(options.out);
  begin_status();
  for (const auto& folder : {options.out, site.cache}) storage::remove_abandoned_temporaries(folder);
  log = std::make_unique<EventLog>(options.out / "logs" / "run.log");
  results::Replay replay;
  const bool replaced = read_directory(replay);
  if (!open_jobs().empty()) refuse_other_threads(options.threads, runner::committed_threads(ledger));
  run_file.facts = {kVersion, storage::host_name(), storage::utc_now(), options.command};
  journal = std::make_unique<results::Journal>(options.out / "journal.jsonl", replay);
  if (replaced) {
    warn(fmt::format(
        "sweep {}: replaces the version that this directory had; results that it no longer names stay in the journal",
        sweep.name));
  }
  if (!dealt_anew.empty()) warn(dealt_anew);
  if (replay.cut_tail)
    warn("journal.jsonl: its last line was torn by the end of an earlier run and has been cut; that job runs again");
  close_interrupted_attempts();
  check_changed();
  check_kept();
  find_old_checkpoints();
  if (all_scanned()) freeze_once();
  check_scans(site.cache);
  announce(site);
  if (!deadline && !open_jobs().empty()) learn_deadline();
  announce_deadline();
}

/// Attempts that were under way when an earlier run died: lost with it, charged to no budget of this one.
void SweepRun::State::close_interrupted_attempts() {
  const auto interrupted = ledger.under_way;
  for (const auto& [key, started] : interrupted) {
    append(results::AttemptEnded{key, started.attempt, std::string(workers::name_of(workers::Cause::worker_lost)),
                                 fmt::format("the run ended while {} was at it", started.worker)});
    const auto name = names.find(key);
    log->info(fmt::format("{}: attempt {} on {}, begun at {}, was under way when the last run ended",
                          labelled(name == names.end() ? "a job of another sweep" : name->second, key), started.attempt,
                          started.worker, started.at));
  }
  sync();
  if (interrupted.empty()) return;
  const auto line =
      fmt::format("{} attempt(s) were under way when the last run ended; their jobs run again", interrupted.size());
  log->info(line);
  progress.message(line);
}

void SweepRun::State::name_jobs() {
  const auto all = job_names(plan.jobs);
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) names[plan.keys[i]] = all[i];
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    if (plan.keep[i].anything()) keep.emplace(plan.keys[i], plan.keep[i]);
  }
}

/// run.json names a sweep only when its committed results have been held against today's images.
void SweepRun::State::freeze_once() {
  if (frozen) return;
  write_run_file(options.out, run_file);
  frozen = true;
}

bool SweepRun::State::all_scanned() const {
  return std::all_of(plan.jobs.begin(), plan.jobs.end(),
                     [&](const auto& job) { return features->scanned(job.dataset); });
}

void SweepRun::State::announce(const Site& site) {
  const auto share =
      options.share ? fmt::format(" in share {} of {}", options.share->number, options.share->of) : std::string();
  const auto line = options.features_only ? fmt::format("sweep {}: features of {} jobs", sweep.name, selected.size())
                                          : fmt::format("sweep {}: {} jobs{}, {} done, {} to run", sweep.name,
                                                        selected.size(), share, committed, open_jobs().size());
  log->info(fmt::format("plume-bench {} on {} (pid {}): {}", kVersion, storage::host_name(), getpid(), line));
  progress.message(line);
  if (open_jobs().empty()) return;
  if (const auto faults = workers::requested_faults(); !faults.empty()) warn(workers::warning_about_faults(faults));
  progress.message("feature cache: " + site.cache.string());
  warn_of_inputs();
}

void SweepRun::State::warn_of_inputs() {
  std::set<std::string> backbones;
  for (const auto& job : open_jobs()) backbones.insert(job.backbone);
  for (const auto& [backbone, weights] : features->weights()) {
    if (!backbones.contains(backbone)) continue;
    if (!weights.missing.empty()) {
      warn(warning_about_missing_weights(backbone, sweep.scale, weights.missing));
    } else if (const auto warning = warning_about_weights(backbone, weights.source, weights.identity))
      warn(*warning);
  }
  for (const auto& untrained : features->untrained_classes()) warn(untrained);
  for (const auto& untestable : features->untestable_classes(open_jobs())) warn(untestable);
  for (const auto& short_class : features->short_classes(open_jobs())) warn(short_class);
}

std::vector<sweeps::Job> SweepRun::State::selected_jobs() const {
  std::vector<sweeps::Job> jobs;
  for (const auto i : selected) jobs.push_back(plan.jobs[i]);
  return jobs;
}

bool SweepRun::State::is_open(const sweeps::JobKey& key) const {
  if (redo.count(key) > 0) return true;
  if (ledger.done.count(key) > 0) return false;
  return options.retry_failed || ledger.failed.count(key) == 0;
}

std::vector<sweeps::Job> SweepRun::State::open_jobs() const {
  std::vector<sweeps::Job> jobs;
  for (const auto i : selected) {
    if (is_open(plan.keys[i])) jobs.push_back(plan.jobs[i]);
  }
  return jobs;
}

std::vector<sweeps::Job> SweepRun::State::open_jobs_of(const std::string& dataset) const {
  auto jobs = open_jobs();
  std::erase_if(jobs, [&](const auto& job) { return job.dataset != dataset; });
  return jobs;
}

/// Committed results of the whole sweep must rest on today's feature sets; with --redo-changed those that do not are
/// run again.
void SweepRun::State::check_changed() {
  const auto changed =
      changed_results(plan.jobs, ledger, *features, read_site(options.site).cache, options.redo_changed);
  std::size_t ours = 0;
  for (const auto i : selected) {
    if (!changed.contains(plan.keys[i])) continue;
    ++ours;
    if (redo.emplace(plan.keys[i], "its feature sets have changed").second) --committed;
  }
  if (ours < changed.size()) {
    throw storage::UsageError(
        fmt::format("--redo-changed with --only: {} more committed results rest on changed images, and a table would "
                    "mix both; leave --only out",
                    changed.size() - ours));
  }
}

/// Longest first by what such jobs took here, where any did; then all costs are seconds.
void SweepRun::State::expect_cost(PlannedTask& task) const {
  if (measured.times.empty()) return;
  const auto seconds = measured.times.seconds_of(task.effort);
  task.cost = seconds.value_or(task.effort.work * measured.factor.value_or(1));
}

void SweepRun::State::add_jobs_of(const std::vector<sweeps::Job>& jobs) {
  freeze_once();
  auto tasks = features->tasks_for(jobs, [this](const std::string& line) { warn(line); });
  if (options.features_only) {
    std::erase_if(tasks, [](const auto& task) { return std::holds_alternative<workers::TrainTask>(task.what); });
  }
  for (auto& task : tasks) {
    if (const auto* part = std::get_if<workers::ExtractTask>(&task.what)) {
      check_cache_for("features of " + part->recipe.data.spec.id, part->recipe.cache);
    }
    auto* train = std::get_if<workers::TrainTask>(&task.what);
    if (train == nullptr) continue;
    const auto key = sweeps::key_of(train->job);
    train->keep = wanted_of(key);
    task.name = names.at(key);
    expect_cost(task);
    const auto before = ledger.attempts.find(key);
    if (before != ledger.attempts.end()) task.attempts_before = std::min(before->second, results::kMostAttempts / 2);
    task.anew_through = anew_through(key);
    task.part_done = part_done(train->job, key);
  }
  meter.add(tasks);
  board.planned(tasks);
  hand(TasksAdded{std::move(tasks)});
}

/// With the jobs of a data set whose scan is there; without them where it has too few images that can be read, which
/// ends like a scan that failed: the jobs of other data sets are done.
void SweepRun::State::go_on_with(const std::string& dataset) {
  const auto jobs = open_jobs_of(dataset);
  const auto all_skipped = features->skipped(dataset);
  for (const auto& skipped : all_skipped) {
    for (const auto& row : skipped.rows) log->info(row);
  }
  try {
    if (!jobs.empty()) features->check_skipped(dataset, jobs);
  } catch (const storage::Error& error) {
    warn(error.what());
    board.unusable(dataset, error.what());
    feature_failures.emplace_back(error.what());
    return;
  }
  for (const auto& skipped : all_skipped) warn(skipped.summary);
  if (!all_skipped.empty()) note_what_is_left_out();
  check_changed();
  add_jobs_of(jobs);
}

/// The tables say it, those too that are made from the directory alone.
void SweepRun::State::note_what_is_left_out() {
  const auto classes = features->class_names();
  plan.tables = sweeps::expand(sweep, classes).tables;
  freeze(run_file, sweep, classes);
  if (frozen) write_run_file(options.out, run_file);
}

void SweepRun::State::start() {
  const auto jobs = selected_jobs();
  auto scans = features->scan_tasks(jobs, [this](const std::string& line) {
    log->info(line);
    progress.message(line);
  });
  std::set<std::string> datasets;
  for (const auto& job : jobs) datasets.insert(job.dataset);
  for (const auto& id : datasets) {
    if (features->scanned(id)) {
      go_on_with(id);
    } else {
      ++unscanned;
    }
  }
  meter.add(scans);
  board.planned(scans);
  if (!scans.empty()) hand(TasksAdded{std::move(scans)});
  if (unscanned == 0) hand(NoMoreTasks{});
}

}  // namespace runner
