// Chooses workers and threads.
#include "runner/placement.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "storage/error.hpp"

namespace runner {

Cpus usable_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  Cpus cpus;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return cpus;
  cpus.usable = std::max(1, CPU_COUNT(&mask));
  std::set<int> packages;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &mask)) continue;
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/physical_package_id", cpu));
    int package = 0;
    if (file >> package) packages.insert(package);
  }
  cpus.sockets = std::max(1, static_cast<int>(packages.size()));
  return cpus;
}

int choose_workers(std::optional<int> asked, const Cpus& cpus) {
  return asked.value_or(std::min(cpus.usable, std::max(cpus.sockets, 2)));
}

void refuse_other_threads(std::optional<int> asked, std::optional<int> committed) {
  if (!asked || !committed || *asked == *committed) return;
  throw storage::UsageError(fmt::format(
      "--threads {}: the committed results of this directory were computed with {}, and a table's cell does "
      "not mix thread counts; give --threads {}, or another --out",
      *asked, *committed, *committed));
}

int choose_threads(std::optional<int> asked, int workers, const Cpus& cpus, std::optional<int> committed) {
  if (asked && *asked > cpus.usable) {
    throw storage::UsageError(
        fmt::format("--threads {}: this process may use {} CPUs; give --threads {}, or start it with more CPUs (mpirun "
                    "--bind-to none; srun -c {})",
                    *asked, cpus.usable, cpus.usable, *asked));
  }
  refuse_other_threads(asked, committed);
  if (asked) return *asked;
  if (committed && *committed <= cpus.usable) return *committed;
  if (committed) {
    throw storage::UsageError(
        fmt::format("the committed results of this directory were computed with {} threads, this process may use {} "
                    "CPUs; start it with more CPUs, or give another --out",
                    *committed, cpus.usable));
  }
  return std::max(1, cpus.usable / std::max(1, workers));
}

std::optional<int> committed_threads(const results::Ledger& ledger) {
  std::set<int> counts;
  for (const auto& [key, done] : ledger.done) counts.insert(done.result.threads);
  if (counts.size() != 1) return std::nullopt;
  return *counts.begin();
}

}  // namespace runner
