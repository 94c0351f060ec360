// How a directory is gone on with: by the next allocation of a chain, by its batch script, or by the last run's
// command. Pure. What `status` and `explain` say of it is the same.
#pragma once

#include <string>

#include "runner/status_directory.hpp"

namespace runner {

/// What comes after a run that a batch script started, as far as the directory's files say, and Slurm where somebody
/// asked it: it may not be there where somebody looks.
enum class Following {
  nothing,          ///< a run is at work, or it was none of a batch script of the directory, or all is done
  first_run,        ///< there are scripts, and nothing has run yet
  a_word,           ///< the run has just ended, and its script has yet to say
  next_allocation,  ///< the script said that another allocation follows
  chain_end,        ///< the script said that none does, and why
  nobody,           ///< the script ended with its run: scancel, a failed node, preemption
  queued,           ///< Slurm says that a job of the script waits
  starting,         ///< a script has started, and its run has not begun
  before_run,       ///< the newest script ended before its run began
  script_lost,      ///< the newest script started, did not come to its run, and is gone without a word
};
const char* name_of(Following following);

/// After the end of a run its script speaks within seconds, and before it, it loads modules; no longer than this is
/// waited for either where nobody can ask Slurm.
inline constexpr double kWordSeconds = 60;

Following following_of(const RunPicture& picture);
/// Whether there is something to wait for that needs nobody's doing.
bool goes_on_by_itself(Following following);
/// What the script said after the last run; null where it has said nothing since, or nothing that was kept.
const ChainWord* last_word(const RunPicture& picture);

/// Slurm's name of the cluster of the newest allocation that left a sign; "": not known.
std::string cluster_of(const RunPicture& picture);

/// Whether runs on the directory are started by its batch scripts: the last one was, or nothing has run yet.
bool is_run_by_script(const RunPicture& picture);
/// The last run's command as a shell takes it, with `more` at its end; "" where it is not known.
std::string command_again(const RunPicture& picture, const std::string& more = "");
/// What to type to go on: "sbatch runs/a/slurm/run.sbatch", or command_again; with `more` at its end.
std::string line_to_go_on(const RunPicture& picture, const std::string& more = "");

}  // namespace runner
