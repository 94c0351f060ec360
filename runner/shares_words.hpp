// How each share of a directory stands in a few words, and what its user can do. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/shares_directory.hpp"

namespace runner {

/// In the order in which somebody should look at them.
enum class Standing {
  unread,  ///< its files cannot be read by this user
  in_trouble,
  failed,    ///< with failed jobs
  killed,    ///< with its script: Slurm may start it again, which nothing tells where squeue was not asked
  for_ever,  ///< its task waits in Slurm's queue for features that failed
  at_work,
  stopped,
  starting,  ///< Slurm has started its script, and its run has not begun
  waiting,   ///< Slurm starts it again by itself
  queued,    ///< Slurm says that its task waits
  not_begun,
  complete,
};
inline constexpr std::size_t kStandings = 12;
std::string_view name_of(Standing standing);
Standing standing_of(const SharePart& part);

/// By its files: all its jobs have a result, or every feature is made. `number`: 0 for the features.
bool is_complete(int number, const StatusView& view);
/// By Slurm's word: all its tasks that wait wait for a job that failed.
bool waits_for_ever(const SharePart& part);
/// By Slurm's word: no job of it waits or runs, though it is neither at work nor complete.
bool is_gone(const SharePart& part);

/// What matters first: a narrow screen has the rest below.
std::string state_of(const SharePart& part);
/// As many of a state's clauses as fit; all of it where not even the first one does.
std::string short_state_of(const std::string& state, std::size_t columns);
/// Why it came to an end before its time, as its run or its script said; "" for others.
std::string cause_in_words(const SharePart& part);

/// The features failed, so that no share that has not begun ever does without somebody's doing.
bool features_failed(const SharesView& view);

/// A run, or a script that got as far as to print, has left something.
bool has_anything_run(const SharesView& view);

/// What to do, the most pressing first; needs all of the view but `next`.
std::vector<std::string> next_of(const SharesView& view);

}  // namespace runner
