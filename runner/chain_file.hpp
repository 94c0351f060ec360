// DIR/chain.json: what a chain of allocations remembers from one to the next, and what it last said.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace runner {

/// What `chain` said after the last allocation.
struct ChainWord {
  bool again = false;        ///< another allocation follows
  int status = 0;            ///< how the run in the allocation ended, as `chain_verdict` takes it
  std::string why;           ///< one line for people
  std::int64_t at = 0;       ///< when; seconds since 1970
  std::string job = {};      ///< $SLURM_JOB_ID of the script; "": not known
  int restart = 0;           ///< $SLURM_RESTART_COUNT of it
  bool began = true;         ///< a run of that script came so far as to say so in status.json
  std::string cluster = {};  ///< $SLURM_CLUSTER_NAME of it; "": not known
  bool operator==(const ChainWord&) const = default;
};

/// What is kept of the allocation before.
struct ChainMemory {
  std::int64_t ended = 0;
  int idle = 0;               ///< allocations in a row up to it that got nothing done
  std::uint64_t counter = 0;  ///< of the status.json that was looked at then: the same says that no run wrote one since
  std::optional<ChainWord> word = {};  ///< absent in files of versions that did not keep it
  bool operator==(const ChainMemory&) const = default;
};

/// Allocations in a row without progress that end a chain.
inline constexpr int kMostIdle = 2;

/// Nothing where there is none. Throws storage::Error for one that is damaged.
std::optional<ChainMemory> read_chain(const std::filesystem::path& directory);
/// Whole or not at all.
void write_chain(const std::filesystem::path& directory, const ChainMemory& memory);

}  // namespace runner
