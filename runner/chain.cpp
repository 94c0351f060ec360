// Compares what a directory holds with what it held an allocation ago.
#include "runner/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "results/history.hpp"
#include "results/journal.hpp"
#include "runner/script_place.hpp"
#include "runner/status_directory.hpp"
#include "runner/status_file.hpp"
#include "runner/status_view.hpp"
#include "runner/trainings_left.hpp"
#include "storage/error.hpp"
#include "storage/machine.hpp"

namespace runner {
namespace {

constexpr int kKilled = 137;

/// A damaged memory is none: at worst a chain goes on for one allocation more.
ChainMemory read_memory(const std::filesystem::path& directory) {
  try {
    return read_chain(directory).value_or(ChainMemory{});
  } catch (const storage::Error& damaged) {
    std::cerr << fmt::format("plume-bench: {}; taken as a chain that begins\n", damaged.what());
    return {};
  }
}

/// A damaged status says nothing; the journal does.
std::optional<RunStatus> status_of(const std::filesystem::path& directory) {
  try {
    return read_status(directory);
  } catch (const storage::Error&) {
    return std::nullopt;
  }
}

/// `last`: of the last run; absent where it left none.
Progress progress_of(const std::filesystem::path& directory, const std::optional<RunStatus>& last) {
  Progress progress;
  if (last) {
    progress.parts = last->feature_rows + last->checkpoints;
    progress.committed = last->committed;
  }
  std::error_code error;
  if (!std::filesystem::exists(directory / "journal.jsonl", error)) return progress;  // it did not come so far
  const auto ledger = results::replay_journal(directory / "journal.jsonl").ledger;
  progress.failed = static_cast<std::int64_t>(ledger.failed.size());
  progress.ended = static_cast<std::int64_t>(ledger.done.size() + ledger.failed.size());
  return progress;
}

std::string of_failed_jobs(const ChainPlace& place) {
  constexpr const char* kThatIs = "all is done but jobs that failed (exit status 3): the chain ends;";
  if (place.submit.empty()) return fmt::format("{} run it with --retry-failed to try them again", kThatIs);
  return fmt::format("{} to try them again: {} --retry-failed", kThatIs, place.submit);
}

/// One remedy: that of a run in which jobs failed tries them again, too.
std::string of_a_broken_run(const ChainPlace& place) {
  const auto why = place.stopped.empty() ? place.log.string() + " says why" : place.stopped;
  const auto go_on = place.submit.empty() ? ""
                                          : fmt::format("; once that is mended: {}{}", place.submit,
                                                        place.failed > 0 ? " --retry-failed" : "");
  return fmt::format("the run itself broke (exit status 1): the chain ends; {}{}", why, go_on);
}

std::string where_it_printed(const ChainPlace& place) {
  return place.output.empty() ? "the output of the script says why" : place.output.string() + " says why";
}

std::string of_a_run_that_did_not_begin(int status, const ChainPlace& place) {
  return fmt::format("the run could not be started (exit status {}): the chain ends; {}{}", status,
                     where_it_printed(place), place.submit.empty() ? "" : "; once that is mended: " + place.submit);
}

std::string why_not(int status, const ChainPlace& place) {
  switch (status) {
    case 0:
      return place.features_only ? "every feature is in the cache: the chain is complete"
                                 : "every job has a result: the chain is complete";
    case 1:
      return place.began ? of_a_broken_run(place) : of_a_run_that_did_not_begin(status, place);
    case 2:
      return "the run refused its command (exit status 2): the chain ends; " +
             (place.last_words.empty() ? where_it_printed(place) : "its last words: " + place.last_words);
    case 3:
      return of_failed_jobs(place);
    case 126:
    case 127:
      return of_a_run_that_did_not_begin(status, place);
    default:
      return "";
  }
}

/// Of a drained or killed run.
std::string end_in_words(int status, const ChainPlace& place) {
  if (status == 4) return "drained";
  return fmt::format("{} (status {})", place.began ? "it was killed" : "its run did not begin", status);
}

/// What a run that says that all is done has left, by the directory; "" where it is so.
std::string contradiction_of(const RunPicture& picture) {
  if (picture.life.life == Life::not_started) return "the run's exit status is 0, but no run has begun here";
  if (const auto& status = *picture.status; status && makes_features_only(*status)) {
    return status->exit_status == 0 ? "" : "the run's exit status is 0, but by the directory its features are not made";
  }
  const auto jobs = view_of(picture, false).jobs;
  if (jobs.left + jobs.running + jobs.failed == 0) return "";
  return fmt::format("the run's exit status is 0, but by the directory {} of its {} jobs have no result",
                     jobs.left + jobs.running + jobs.failed, jobs.chosen());
}

bool is_at_work_now(const RunPicture& picture) {
  const auto life = picture.life.life;
  return life == Life::working || life == Life::silent;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int restarts() {
  return std::clamp(std::atoi(variable("SLURM_RESTART_COUNT").c_str()), 0, 1'000'000);
}

/// A script knows whose run the status is of; who types `chain` by hand does not.
bool has_begun(const std::optional<RunStatus>& seen) {
  const auto job = variable("SLURM_JOB_ID");
  return job.empty() || (seen && seen->slurm_job == job && seen->slurm_restart == restarts());
}

ChainPlace place_of(const std::filesystem::path& directory, const std::optional<RunStatus>& seen,
                    const Progress& progress) {
  const auto full = std::filesystem::absolute(directory).lexically_normal();
  const auto scripts = scripts_of(full);
  ChainPlace place{full / "logs" / "run.log", scripts ? scripts->submit : "", seen && makes_features_only(*seen)};
  place.began = has_begun(seen);
  const auto array = variable("SLURM_ARRAY_JOB_ID");
  const auto id = array.empty() ? variable("SLURM_JOB_ID") : array + "_" + variable("SLURM_ARRAY_TASK_ID");
  if (scripts && !id.empty()) place.output = output_of(scripts->script.parent_path(), id);
  if (!place.output.empty()) place.last_words = tail_of(place.output).telling;
  if (seen && place.began && seen->exit_status == 1) place.stopped = cause_of_end(*seen);
  place.failed = progress.failed;
  return place;
}

/// "...: the chain ends" of "...: the chain ends; once that is mended: sbatch ...": whoever looks at the directory
/// later is told what to type by what he sees then.
std::string without_remedy(const std::string& why, const std::string& submit) {
  const auto at = submit.empty() ? std::string::npos : why.rfind(submit);
  return at == std::string::npos ? why : why.substr(0, why.rfind(';', at));
}

}  // namespace

ChainVerdict chain_verdict(int status, const Progress& progress, const ChainMemory& before, const ChainPlace& place) {
  ChainVerdict verdict;
  verdict.memory.ended = progress.ended;
  verdict.why = why_not(status, place);
  if (!verdict.why.empty()) return verdict;
  const auto fresh = std::max(progress.ended - before.ended, progress.committed);
  verdict.memory.idle = fresh > 0 || progress.parts > 0 ? 0 : std::min(before.idle + 1, kMostIdle);
  const auto how = end_in_words(status, place);
  if (verdict.memory.idle >= kMostIdle) {
    verdict.why = fmt::format(
        "{}: {} allocations in a row got nothing done, and the chain ends: a job may take longer than an allocation "
        "lasts (a longer --time, or --checkpoint-every), or runs die at their start ({}){}",
        how, kMostIdle, where_it_printed(place), place.submit.empty() ? "" : "; then: " + place.submit);
    verdict.memory.idle = 0;  // whoever submits again has changed something
    return verdict;
  }
  verdict.again = true;
  const auto way = progress.way.empty() ? "" : ", and " + progress.way;
  verdict.why = fmt::format("{}: {} jobs have ended, {} of them in this allocation{}; another allocation goes on", how,
                            progress.ended, fresh, way);
  return verdict;
}

int print_chain(const std::filesystem::path& directory, int status) {
  if (!std::filesystem::is_directory(directory)) {
    throw storage::UsageError(
        fmt::format("{}: no such directory; give the --out of a `plume-bench run`", directory.string()));
  }
  RunDirectory look(directory);
  look.look();
  const auto picture = look.picture();
  if ((status == 1 || status == 2) && is_at_work_now(picture)) {
    // Its chain is its own script's business: nothing is counted, nothing is kept.
    std::cout << "another run works on this directory: this script ends, and no allocation follows from it"
              << std::endl;
    return kChainEnds;
  }
  const auto before = read_memory(directory);
  const auto seen = status_of(directory);
  const bool is_new = seen && seen->counter != before.counter;
  const auto doubt = status == 0 ? contradiction_of(picture) : "";
  if (!doubt.empty()) status = kKilled;
  auto progress = progress_of(directory, is_new ? seen : std::nullopt);
  if (is_new) progress.way = trainings_left(picture);
  const auto place = place_of(directory, seen, progress);
  auto verdict = chain_verdict(status, progress, before, place);
  if (!doubt.empty()) verdict.why = fmt::format("{}: taken for killed; {}", doubt, verdict.why);
  verdict.memory.counter = seen ? seen->counter : before.counter;
  verdict.memory.word = ChainWord{verdict.again,
                                  status,
                                  without_remedy(verdict.why, place.submit),
                                  storage::unix_now(),
                                  variable("SLURM_JOB_ID"),
                                  restarts(),
                                  place.began,
                                  variable("SLURM_CLUSTER_NAME")};
  write_chain(directory, verdict.memory);
  std::cout << verdict.why << std::endl;
  return verdict.again ? 0 : kChainEnds;
}

}  // namespace runner
