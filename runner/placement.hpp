// How many workers, and how many threads each: from the CPUs that this process may use.
#pragma once

#include <optional>

#include "results/journal.hpp"

namespace runner {

struct Cpus {
  int usable = 1;   ///< CPUs in this process's affinity mask
  int sockets = 1;  ///< sockets that they lie on
};
Cpus usable_cpus();

/// --workers, else one per CPU socket but at least two where there are two CPUs: two workers of one thread are faster
/// than one of two, whose threads wait for one another at every barrier.
int choose_workers(std::optional<int> asked, const Cpus& cpus);

/// Threads of each of `workers` workers on this host: `asked` (--threads), else what the directory's committed results
/// were computed with (a cell may not mix thread counts), else the CPUs divided by the workers. Throws UsageError with
/// the flag that mends it when `asked` differs from the committed results or exceeds the CPUs of one worker.
int choose_threads(std::optional<int> asked, int workers, const Cpus& cpus, std::optional<int> committed);

/// That refusal alone, before anything of a run is on disk.
void refuse_other_threads(std::optional<int> asked, std::optional<int> committed);

/// Thread count of the committed results; absent where there are none, or several.
std::optional<int> committed_threads(const results::Ledger& ledger);

}  // namespace runner
