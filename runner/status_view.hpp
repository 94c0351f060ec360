// What `status` says, before it is laid out: the same for a screen and for --json. Pure.
#pragma once

#include <string>
#include <vector>

#include "runner/going_on.hpp"
#include "runner/status_jobs.hpp"

namespace runner {

struct TableView {
  std::string id;
  JobCounts counts;  ///< of its distinct jobs
};

/// A job that failed, or a try that did.
struct FailureView {
  std::optional<std::int64_t> time;  ///< not known of those before this run
  std::string name, key;
  int attempt = 1;
  std::string cause, message, worker;
  bool final = false;
  std::string now;  ///< what became of the job since: "done meanwhile", "runs again"; "" where nothing did
};

struct StatusView {
  std::string directory;
  LifeVerdict life;
  Following following = Following::nothing;
  std::string headline;           ///< "training", "complete 3 min ago", "died: no sign of life for 4 min"
  std::string caution;            ///< why it should be believed with care; "" as a rule
  std::vector<std::string> next;  ///< what to do, a sentence each; may be empty
  std::vector<std::string> sweeps;
  std::string selection;  ///< "--only seed=0"
  JobCounts jobs;         ///< distinct ones of the sweep that runs, or of all
  std::vector<TableView> tables;
  std::vector<FailureView> failures;  ///< the latest first
  std::optional<RunStatus> status;
  bool at_work = false;  ///< workers and features are those of now
  std::vector<std::string> problems;
};

StatusView view_of(const RunPicture& picture);

}  // namespace runner
