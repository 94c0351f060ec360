// Compares what a directory holds with what it held an allocation ago.
#include "runner/chain.hpp"

#include <fmt/format.h>

#include <iostream>

#include "results/journal.hpp"
#include "runner/script_place.hpp"
#include "runner/status_directory.hpp"
#include "runner/status_file.hpp"
#include "storage/error.hpp"
#include "storage/machine.hpp"

namespace runner {
namespace {

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
  progress.ended = static_cast<std::int64_t>(ledger.done.size() + ledger.failed.size());
  return progress;
}

std::string of_failed_jobs(const ChainPlace& place) {
  constexpr const char* kThatIs = "all is done but jobs that failed (exit status 3): the chain ends;";
  if (place.submit.empty()) return fmt::format("{} run it with --retry-failed to try them again", kThatIs);
  return fmt::format("{} to try them again: {} --retry-failed", kThatIs, place.submit);
}

std::string why_not(int status, const ChainPlace& place) {
  switch (status) {
    case 0:
      return place.features_only ? "every feature is in the cache: the chain is complete"
                                 : "every job has a result: the chain is complete";
    case 1:
      return fmt::format("the run itself broke (exit status 1): the chain ends; {} says why{}", place.log.string(),
                         place.submit.empty() ? "" : "; once that is mended: " + place.submit);
    case 2:
      return "the run refused its command (exit status 2): the chain ends; its output says what to write instead";
    case 3:
      return of_failed_jobs(place);
    case 126:
    case 127:
      return fmt::format("the run could not be started (exit status {}): the chain ends", status);
    default:
      return "";
  }
}

bool another_run_works_on(const std::filesystem::path& directory) {
  RunDirectory look(directory);
  look.look();
  const auto life = look.picture().life.life;
  return life == Life::working || life == Life::silent;
}

ChainPlace place_of(const std::filesystem::path& directory, const std::optional<RunStatus>& seen) {
  const auto full = std::filesystem::absolute(directory).lexically_normal();
  const auto scripts = scripts_of(full);
  return {full / "logs" / "run.log", scripts ? scripts->submit : "", seen && makes_features_only(*seen)};
}

}  // namespace

ChainVerdict chain_verdict(int status, const Progress& progress, const ChainMemory& before, const ChainPlace& place) {
  ChainVerdict verdict;
  verdict.memory.ended = progress.ended;
  verdict.why = why_not(status, place);
  if (!verdict.why.empty()) return verdict;
  const auto fresh = std::max(progress.ended - before.ended, progress.committed);
  verdict.memory.idle = fresh > 0 || progress.parts > 0 ? 0 : std::min(before.idle + 1, kMostIdle);
  const auto how = status == 4 ? std::string("drained") : fmt::format("it was killed (status {})", status);
  if (verdict.memory.idle >= kMostIdle) {
    verdict.why = fmt::format(
        "{}: {} allocations in a row got nothing done, and the chain ends: a job may take longer than an allocation "
        "lasts (a longer --time, or --checkpoint-every), or runs die at their start (see their output){}",
        how, kMostIdle, place.submit.empty() ? "" : "; then: " + place.submit);
    verdict.memory.idle = 0;  // whoever submits again has changed something
    return verdict;
  }
  verdict.again = true;
  verdict.why = fmt::format("{}: {} jobs have ended, {} of them in this allocation; another allocation goes on", how,
                            progress.ended, fresh);
  return verdict;
}

int print_chain(const std::filesystem::path& directory, int status) {
  if (!std::filesystem::is_directory(directory)) {
    throw storage::UsageError(
        fmt::format("{}: no such directory; give the --out of a `plume-bench run`", directory.string()));
  }
  if ((status == 1 || status == 2) && another_run_works_on(directory)) {
    // Its chain is its own script's business: nothing is counted, nothing is kept.
    std::cout << "another run works on this directory: this script ends, and no allocation follows from it"
              << std::endl;
    return kChainEnds;
  }
  const auto before = read_memory(directory);
  const auto seen = status_of(directory);
  const bool is_new = seen && seen->counter != before.counter;
  const auto progress = progress_of(directory, is_new ? seen : std::nullopt);
  auto verdict = chain_verdict(status, progress, before, place_of(directory, seen));
  verdict.memory.counter = seen ? seen->counter : before.counter;
  verdict.memory.word = ChainWord{verdict.again, status, verdict.why, storage::unix_now()};
  write_chain(directory, verdict.memory);
  std::cout << verdict.why << std::endl;
  return verdict.again ? 0 : kChainEnds;
}

}  // namespace runner
