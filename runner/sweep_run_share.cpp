// What the directory of a share takes, and what is said where its jobs are dealt out anew.
#include <fmt/format.h>

#include <algorithm>

#include "results/journal.hpp"
#include "runner/sweep_run_state.hpp"
#include "storage/error.hpp"

namespace runner {
namespace {

std::string of_which_jobs(const std::string& only) {
  return only.empty() ? "of all jobs" : fmt::format("of `--only {}`", only);
}

}  // namespace

/// The directory of a share takes no other one's jobs, nor another sweep's: somebody would count them twice, or never.
/// Features are no jobs. What is damaged is for read_directory() to say.
void SweepRun::State::refuse_another_share() const {
  RunFile file;
  try {
    file = read_run_file(options.out);
  } catch (const storage::Error&) {
    return;
  }
  if (options.features_only || !file.share) return;
  const bool same_sweep = std::any_of(file.sweeps.begin(), file.sweeps.end(),
                                      [&](const auto& known) { return known.sweep.text == sweep.text; });
  if (file.share == options.share && same_sweep) return;
  const auto results = results::replay_journal(options.out / "journal.jsonl").ledger.done.size();
  if (results == 0) return;
  const auto theirs = fmt::format("--share {}/{}", file.share->number, file.share->of);
  if (file.share == options.share) {
    throw storage::UsageError(
        fmt::format("--out: {} holds {} result(s) of {} of another sweep, or of another version of this one; give "
                    "another --out",
                    options.out.string(), results, theirs));
  }
  const auto ours = options.share ? fmt::format("--share {}/{}", options.share->number, options.share->of)
                                  : std::string("a run without --share");
  throw storage::UsageError(
      fmt::format("--out: {} holds {} result(s) of {}, and takes none of {}; give {}, or another --out",
                  options.out.string(), results, theirs, ours, theirs));
}

/// Which job is whose depends on --only: with another one, results lie where their job is not any more, and the share
/// that has it now computes it again. Tables count equal results once, so nothing is lost or wrong, and it is only
/// said;
/// "" where there is nothing to say. To be asked before the run writes its own status.
std::string SweepRun::State::another_deal() const {
  if (!options.share || options.features_only) return "";
  std::optional<RunStatus> last;
  try {
    last = read_status(options.out);
  } catch (const storage::Error&) {
    return "";
  }
  if (!last || last->sweep != sweep.name || makes_features_only(*last)) return "";
  const auto before = only_in(last->selection);
  const auto chosen = last->chosen ? *last->chosen : chosen_text({}, 0);
  if (before == options.only || chosen == chosen_text(selected, plan.jobs.size())) return "";
  const auto done = results::replay_journal(options.out / "journal.jsonl").ledger.done;
  if (done.empty()) return "";
  const auto ours =
      std::count_if(selected.begin(), selected.end(), [&](auto i) { return done.contains(plan.keys[i]); });
  return fmt::format(
      "--only: the jobs of this share were dealt out {} before, and are {} now: {} of its {} result(s) are of jobs "
      "that "
      "it has no more. All count in tables, but the share that has such a job now computes it again, unless --only "
      "leaves it out; run all shares with the same --only",
      of_which_jobs(before), of_which_jobs(options.only), done.size() - static_cast<std::size_t>(ours), done.size());
}

}  // namespace runner
