// What `status` says, before it is laid out: the same for a screen and for --json. Pure.
#pragma once

#include <string>
#include <vector>

#include "runner/going_on.hpp"
#include "runner/status_failures.hpp"

namespace runner {

struct TableView {
  std::string id;
  JobCounts counts;  ///< of its distinct jobs
};

struct StatusView {
  std::string directory;
  LifeVerdict life;
  Following following = Following::nothing;
  bool allocation_follows = false;  ///< once the allocation of the run at work has ended, its script asks for another
  std::string headline;             ///< "training", "complete 3 min ago", "died: no sign of life for 4 min"
  std::string caution;              ///< why it should be believed with care; "" as a rule
  std::vector<std::string> next;    ///< what to do, a sentence each; may be empty
  std::vector<std::string> sweeps;
  std::string selection;  ///< "--only seed=0"
  JobCounts jobs;         ///< distinct ones of the sweep that runs, or of all
  std::vector<TableView> tables;
  std::vector<FailureView> failures;  ///< see failures_of
  std::size_t failures_more = 0;      ///< that are not among them
  std::optional<RunStatus> status;
  bool at_work = false;  ///< workers and features are those of now
  std::vector<std::string> problems;
  std::string unread_scripts = {};  ///< of the problems, where a run has left anything else; see RunPicture
  std::string unread = {};          ///< see RunPicture: then the jobs are counted as the run itself did, if at all
};

/// Without its tables where not asked for: they take most of the time.
StatusView view_of(const RunPicture& picture, bool with_tables = true);

}  // namespace runner
