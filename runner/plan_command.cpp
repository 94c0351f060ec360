// Reads a sweep and what is done of it, and has its lines printed.
#include "runner/plan_command.hpp"

#include <iostream>
#include <numeric>

#include "results/journal.hpp"
#include "runner/feature_plan.hpp"
#include "runner/missing_inputs.hpp"
#include "runner/plan_lines.hpp"
#include "runner/plan_needs.hpp"
#include "runner/run_file.hpp"

namespace runner {
namespace {

results::Ledger ledger_of(const std::string& directory) {
  return results::replay_journal(std::filesystem::path(directory) / "journal.jsonl").ledger;
}

/// What any of them has done is done: shares of a sweep have directories of their own.
void add(results::Ledger more, results::Ledger& all) {
  all.done.merge(more.done);
  all.failed.merge(more.failed);
  std::erase_if(all.failed, [&](const auto& failed) { return all.done.contains(failed.first); });
}

MeasuredTimes times_for(const PlanQuestion& question, const results::Ledger& done, const FeaturePlan& features) {
  std::vector<results::Ledger> others;
  for (const auto& directory : question.times) others.push_back(ledger_of(existing_run(directory).string()));
  std::vector<const results::Ledger*> all;
  for (const auto& other : others) all.push_back(&other);
  all.push_back(&done);  // the best source, and so the last: the newest times count
  return measured_times(all, [&](const sweeps::Job& job) { return row_length_of(job, features); });
}

}  // namespace

int print_plan(const PlanQuestion& question) {
  const auto sweep = sweeps::read_sweep(question.sweep, question.substitutes, question.scale);
  const auto site = read_site(question.site);
  const FeaturePlan features(sweep, site, FeaturePlan::NoData::official);
  features.check_classes(sweep);
  const auto plan = sweeps::expand(sweep, features.class_names());
  results::Ledger ledger;
  for (const auto& directory : question.out) add(ledger_of(directory), ledger);
  const auto measured = times_for(question, ledger, features);
  PlanView view{sweep, plan, features, ledger, measured, {}, {}, "", "", question.workers, site.cluster};
  view.selected.resize(plan.jobs.size());
  std::iota(view.selected.begin(), view.selected.end(), std::size_t{0});
  for (const auto& key : plan.keys) view.left.push_back(!ledger.done.contains(key) && !ledger.failed.contains(key));
  if (question.out.size() == 1) view.out = question.out.front();
  view.missing = missing_weights_in_short(sweep, site);
  const Ask ask = question.ask ? question.ask : ask_programs();
  for (const auto& line : plan_lines(view, ask)) std::cout << line << "\n";
  return 0;
}

}  // namespace runner
