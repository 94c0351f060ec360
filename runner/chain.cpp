// Compares what a directory holds with what it held an allocation ago.
#include "runner/chain.hpp"

#include <fmt/format.h>

#include <iostream>

#include "results/journal.hpp"
#include "runner/status_file.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"

namespace runner {
namespace {

constexpr int kChainVersion = 1;

std::filesystem::path memory_in(const std::filesystem::path& directory) {
  return directory / "chain.json";
}

/// A damaged memory is none: at worst a chain goes on for one allocation more.
ChainMemory read_memory(const std::filesystem::path& directory) {
  const auto file = memory_in(directory);
  ChainMemory memory;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return memory;
  try {
    const auto root = storage::read_json(file, storage::Blame::run);
    root.at("version").integer(kChainVersion, kChainVersion);
    memory.ended = root.at("ended").integer(0);
    memory.idle = static_cast<int>(root.at("idle").integer(0, kMostIdle));
    if (const auto counter = root.find("counter")) memory.counter = counter->unsigned_integer();
  } catch (const storage::Error& damaged) {
    std::cerr << fmt::format("plume-bench: {}; taken as a chain that begins\n", damaged.what());
    return {};
  }
  return memory;
}

void write_memory(const std::filesystem::path& directory, const ChainMemory& memory) {
  storage::JsonWriter json;
  json.begin_object().member("version", kChainVersion).member("ended", memory.ended).member("idle", memory.idle);
  json.member("counter", memory.counter);
  json.end_object();
  storage::write_atomically(memory_in(directory), json.text() + "\n");
}

/// A damaged status says nothing; the journal does.
std::optional<RunStatus> status_of(const std::filesystem::path& directory) {
  try {
    return read_status(directory);
  } catch (const storage::Error&) {
    return std::nullopt;
  }
}

Progress progress_of(const std::filesystem::path& directory, std::int64_t parts) {
  std::error_code error;
  if (!std::filesystem::exists(directory / "journal.jsonl", error)) return {0, parts};  // it did not come so far
  const auto ledger = results::replay_journal(directory / "journal.jsonl").ledger;
  return {static_cast<std::int64_t>(ledger.done.size() + ledger.failed.size()), parts};
}

std::string why_not(int status) {
  switch (status) {
    case 0:
      return "every job has a result: the chain is complete";
    case 1:
      return "the run itself broke (exit status 1): the chain ends; logs/run.log says why";
    case 2:
      return "the run refused its command (exit status 2): the chain ends; its output says what to write instead";
    case 3:
      return "all is done but jobs that failed (exit status 3): the chain ends; run it with --retry-failed to try them "
             "again";
    case 126:
    case 127:
      return fmt::format("the run could not be started (exit status {}): the chain ends", status);
    default:
      return "";
  }
}

}  // namespace

ChainVerdict chain_verdict(int status, const Progress& progress, const ChainMemory& before) {
  ChainVerdict verdict;
  verdict.memory.ended = progress.ended;
  verdict.why = why_not(status);
  if (!verdict.why.empty()) return verdict;
  const auto fresh = progress.ended - before.ended;
  verdict.memory.idle = fresh > 0 || progress.parts > 0 ? 0 : std::min(before.idle + 1, kMostIdle);
  const auto how = status == 4 ? std::string("drained") : fmt::format("it was killed (status {})", status);
  if (verdict.memory.idle >= kMostIdle) {
    verdict.why = fmt::format(
        "{}: {} allocations in a row got nothing done, and the chain ends: a job may take longer than an allocation "
        "lasts (a longer --time, or --checkpoint-every), or runs die at their start (see their output)",
        how, kMostIdle);
    verdict.memory.idle = 0;  // whoever submits again has changed something
    return verdict;
  }
  verdict.again = true;
  verdict.why = fmt::format("{}: {} jobs have ended, {} of them in this allocation; another allocation goes on", how,
                            progress.ended, std::max<std::int64_t>(0, fresh));
  return verdict;
}

int print_chain(const std::filesystem::path& directory, int status) {
  if (!std::filesystem::is_directory(directory)) {
    throw storage::UsageError(
        fmt::format("{}: no such directory; give the --out of a `plume-bench run`", directory.string()));
  }
  const auto before = read_memory(directory);
  const auto seen = status_of(directory);
  const bool is_new = seen && seen->counter != before.counter;
  const auto parts = is_new ? seen->feature_rows + seen->checkpoints : 0;
  auto verdict = chain_verdict(status, progress_of(directory, parts), before);
  verdict.memory.counter = seen ? seen->counter : before.counter;
  write_memory(directory, verdict.memory);
  std::cout << verdict.why << std::endl;
  return verdict.again ? 0 : kChainEnds;
}

}  // namespace runner
