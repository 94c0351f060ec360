// The lists of the screen: tables, workers, features, failures, each with its most telling items first. Private to
// status_screen.
#pragma once

#include <string>
#include <vector>

#include "runner/status_layout.hpp"
#include "runner/status_view.hpp"

namespace runner {

/// In their order on the screen; those without items too.
std::vector<ScreenPart> parts_of(const StatusView& view, std::size_t columns);

/// Two: jobs that were given up, and those of which a try was interrupted or failed and that are run again; each as
/// they come.
std::vector<ScreenPart> failure_parts(const std::vector<FailureView>& failures, std::size_t failures_more);

/// What is wrong with a worker that is at work: "silent for 40 s", "no step for 40 s, killed at 60 s"; "" where nothing
/// is.
std::string trouble_of(const StatusView& view, const WorkerStatus& worker);

/// Of a run with $PLUME_FAULT, whose failures were asked for.
std::string rehearsal_in_words(const std::string& faults);

/// "[######>>!....]" in `width` columns: done, running, failed, left. Whatever there is of a kind shows where there is
/// room.
std::string bar_of(const JobCounts& counts, std::size_t width);

}  // namespace runner
