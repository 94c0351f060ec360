// How each share of a directory stands in a few words, and what its user can do. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/shares_directory.hpp"

namespace runner {

/// In the order in which somebody should look at them.
enum class Standing {
  in_trouble,
  failed,  ///< with failed jobs
  killed,  ///< with its script: Slurm may start it again, which nothing here tells
  at_work,
  stopped,
  waiting,  ///< Slurm starts it again by itself
  not_begun,
  complete,
};
inline constexpr std::size_t kStandings = 8;
std::string_view name_of(Standing standing);
Standing standing_of(const SharePart& part);

/// What matters first: a narrow screen cuts the rest.
std::string state_of(const SharePart& part);

/// The features failed, so that no share that has not begun ever does without somebody's doing.
bool features_failed(const SharesView& view);

/// What to do, the most pressing first; needs all of the view but `next`.
std::vector<std::string> next_of(const SharesView& view);

}  // namespace runner
