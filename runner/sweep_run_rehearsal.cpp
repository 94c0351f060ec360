// `run --dry-run`: all that a run would refuse before its first worker, and what it would do. Writes nothing, takes no
// lock, starts nothing but Slurm's own sinfo and squeue.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>

#include "results/text_layout.hpp"
#include "runner/plan_lines.hpp"
#include "runner/run_places.hpp"
#include "runner/sweep_run_state.hpp"
#include "storage/error.hpp"

namespace runner {
namespace {

using results::grouped;

std::string chosen_by(const RunOptions& options) {
  std::vector<std::string> flags;
  if (!options.only.empty()) flags.push_back("--only " + options.only);
  if (options.share) flags.push_back(fmt::format("--share {}/{}", options.share->number, options.share->of));
  if (options.retry_failed) flags.emplace_back("--retry-failed");
  if (options.redo_changed) flags.emplace_back("--redo-changed");
  if (options.redo_unsaved) flags.emplace_back("--redo-unsaved");
  return fmt::format("{}", fmt::join(flags, ", "));
}

}  // namespace

void SweepRun::State::prepare_rehearsal() {
  if (!options.deadline.empty()) learn_deadline();
  const auto site = read_site(options.site);
  read_sweep(site);
  check_directory(options.out);
  check_cache(site.cache);
  const auto locked = options.take_over ? "" : check_lock(options.out);
  if (!locked.empty()) warn(locked);
  refuse_another_share();
  if (const auto dealt_anew = another_deal(); !dealt_anew.empty()) warn(dealt_anew);
  results::Replay replay;
  read_directory(replay);
  if (replay.cut_tail) warn("journal.jsonl: its last line is torn; a run cuts it, and that job runs again");
  check_changed();
  check_kept();
  check_scans(site.cache);
  for (const auto& set : features->missing_sets(open_jobs())) {
    check_cache_for("features of " + set.data.spec.id, site.cache);
  }
  if (!deadline && !open_jobs().empty()) learn_deadline();
}

void SweepRun::print_rehearsal(int workers) {
  auto& s = *state_;
  const auto jobs = s.open_jobs();
  if (!jobs.empty()) s.warn_of_inputs();
  PlanView view{s.sweep,
                s.plan,
                *s.features,
                s.ledger,
                s.measured,
                s.selected,
                {},
                chosen_by(s.options),
                s.options.out.string(),
                workers,
                read_site(s.options.site).cluster};
  view.left.assign(s.plan.jobs.size(), false);
  view.checkpoint_minutes = s.options.checkpoint_every.count() / 60;
  view.features_are_made = s.all_scanned() && s.features->missing_sets(jobs).empty();
  for (const auto i : s.selected) view.left[i] = s.is_open(s.plan.keys[i]);
  for (const auto& line : plan_lines(view, ask_programs())) std::cout << line << "\n";
  s.print_features_left();
  if (s.deadline) std::cout << "  " << s.deadline_in_words() << "\n";
  std::cout << "nothing was written or started: --dry-run" << std::endl;
}

/// What a run would make before its trainings, as far as that can be told before a scan.
void SweepRun::State::print_features_left() const {
  const auto jobs = open_jobs();
  std::set<std::string> unread;
  for (const auto& job : jobs) {
    if (!features->scanned(job.dataset)) unread.insert(job.dataset);
  }
  for (const auto& id : unread) {
    const auto& dataset = features->dataset(id);
    const auto rows = dataset.size(datasets::Split::train) + dataset.size(datasets::Split::test);
    std::cout << fmt::format("  first a scan of {}: {} rows\n", id, grouped(static_cast<std::uint64_t>(rows)));
  }
  const auto missing = features->missing_sets(jobs);
  std::int64_t rows = 0;
  for (const auto& set : missing) rows += set.row_count;
  if (!missing.empty()) {
    std::cout << fmt::format("  then features of {} rows, {} sets that the cache does not hold\n",
                             grouped(static_cast<std::uint64_t>(rows)), missing.size());
  } else if (unread.empty() && !jobs.empty()) {
    std::cout << "  the cache holds every feature\n";
  }
}

}  // namespace runner
