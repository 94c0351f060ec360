// What failed and what became of it, a job at a time: the journal's tries and the run's own word put together. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/status_jobs.hpp"

namespace runner {

/// A job that failed, or whose tries did, or a task that makes features. What is said is of its latest failed try.
struct FailureView {
  std::optional<std::int64_t> time;  ///< not known of those before this run, nor of all of a run with many
  std::string name, key;             ///< key "": not of a job
  int attempt = 1;
  std::string cause, message, worker;
  bool final = false;
  std::string now = {};        ///< what became of it since: "done meanwhile", "runs again"; "" where nothing did
  std::size_t tries = 1;       ///< that failed
  std::string directory = {};  ///< whose job it is, where several are looked at
};

/// One each: first those given up, then those that are tried again, and while the run works also those that were done
/// meanwhile; in each the latest first. A try that ended with its worker or its run
/// is none once its job has gone on. `rest`: of how many no more than the first `most` are returned.
struct FailureList {
  std::vector<FailureView> first;
  std::size_t rest = 0;
};
FailureList failures_of(const RunPicture& picture, const JobStates& states, std::size_t most);

/// 0 given up, 1 tried again, 2 done meanwhile.
int rank_of(const FailureView& failure);
/// "given up", "tried again", "runs again", "done meanwhile".
std::string fate_of(const FailureView& failure);
/// By rank, then the latest first.
void sort_failures(std::vector<FailureView>& failures);

}  // namespace runner
