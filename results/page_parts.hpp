// The parts of a page that are lists of facts: how it stands, what failed, what it rests on. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "results/page.hpp"
#include "results/planned_runs.hpp"

namespace results {

struct JobCounts {
  std::size_t planned = 0, finished = 0, diverged = 0, failed = 0;
  std::size_t missing() const { return planned - finished - diverged - failed; }
};
JobCounts count_jobs(const std::vector<PlannedRun>& runs);

/// "Complete: 36 of 36 jobs have results", or what is not there, as a paragraph.
std::string state_html(const JobCounts& counts);
/// What was run, where and for how long: a description list.
std::string run_html(const std::vector<PlannedRun>& runs, const PageFacts& facts);
/// How the paper's numbers lie to ours: a table of counts, those outside their interval by name, and what the paper
/// says in its text; "" where nothing is published.
std::string verdicts_html(const std::vector<Table>& tables);
/// Jobs that failed or diverged, with cause and message, and what happened on the way; "" where nothing did.
std::string failures_html(const std::vector<PlannedRun>& runs, const std::vector<std::string>& notes);
/// Versions, commands, seeds, devices, weights, feature sets, learning rates that were found.
std::string provenance_html(const std::vector<PlannedRun>& runs, const PageFacts& facts);

}  // namespace results
