// The processes of a run as /proc shows them, those too whose parents are dead.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tests {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';       ///< R, S, T, ...
  long long started = 0;  ///< clock ticks after boot: with the id, it is this process and no later one
  long cpu_ticks = 0;     ///< of all its threads, user and system
  std::vector<std::string> arguments;
  int rank = -1;     ///< in its MPI world; -1 for all others
  std::string host;  ///< "hosta" and "hostb" between two-hosts; else ""

  bool is_trainer() const { return arguments.size() > 1 && arguments[1] == "trainer"; }
  /// A coordinator, a worker rank: whatever runs `plume-bench run` and is no mpirun.
  bool runs_a_sweep() const;
  bool is_mpirun() const { return !arguments.empty() && arguments[0] == "mpirun"; }
};

/// Those whose working folder is `folder` (that of a test and so of all that it starts), dead ones left out, by id.
std::vector<Process> processes_in(const std::filesystem::path& folder);
std::vector<Process> trainers_in(const std::filesystem::path& folder);
/// Ranks in their order, or the coordinator of local workers.
std::vector<Process> runs_in(const std::filesystem::path& folder);
/// The one that is there now, looked at again; pid 0 when it is gone or dead.
Process look_again(const Process& process);
bool is_alive(const Process& process);
/// "123 plume-bench trainer ..., ...", for messages.
std::string text_of(const std::vector<Process>& processes);

/// Looks every few milliseconds until `seen` holds; false if it did not within `limit`.
bool eventually(const std::function<bool()>& seen, std::chrono::milliseconds limit);

}  // namespace tests
