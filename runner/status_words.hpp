// How a run is in words, and what its user can do. Private to status_view, but for `ago`.
#pragma once

#include <string>
#include <vector>

#include "runner/status_view.hpp"

namespace runner {

/// `jobs`: of the view.
std::string headline_of(const RunPicture& picture, const JobCounts& jobs);
std::string caution_of(const RunPicture& picture);
/// Needs the view's jobs and what follows.
std::vector<std::string> next_of(const RunPicture& picture, const StatusView& view);

/// "3 min ago", "just now".
std::string ago(double seconds);

}  // namespace runner
