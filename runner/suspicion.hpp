// Is the job at fault, the worker, or the whole sweep? What failures have in common. Knows no queue and no budget.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "runner/task_table.hpp"

namespace runner {

/// Class and message without digits: "exception: loss of row # is odd" of any row is one error.
std::string error_signature(workers::Cause cause, const std::string& message);

/// Which errors were reported from where. An error that comes from elsewhere too is not the worker's own: from another
/// host, or, while all workers are on one host, from another worker.
class ErrorOrigins {
 public:
  void greeted(const std::string& host) { hosts_.insert(host); }
  void report(const std::string& signature, WorkerId worker, const std::string& host);
  bool seen_elsewhere(const std::string& signature, WorkerId worker, const std::string& host) const;

 private:
  struct Origin {
    WorkerId worker;
    std::string host;
    bool several_workers = false;
    bool several_hosts = false;
  };
  std::set<std::string> hosts_;
  std::unordered_map<std::string, Origin> origins_;
};

/// The failures of one worker, one after another, before a first epoch, that nothing but the worker explains.
class Streak {
 public:
  struct Failure {
    TaskEntry* task;
    std::string signature;
  };
  void clear() { failures_.clear(); }
  /// Adds one, forgets those that others have reported meanwhile, and all but the last `most`. True unless the new one
  /// is forgotten, too.
  bool add(Failure failure, const ErrorOrigins& origins, WorkerId worker, const std::string& host, std::size_t most);
  const std::vector<Failure>& failures() const { return failures_; }

 private:
  std::vector<Failure> failures_;
};

/// Have the first trainings that ended all failed with one error?
class FirstErrors {
 public:
  explicit FirstErrors(int stop_after) : open_(stop_after > 0), stop_after_(stop_after) {}
  void one_done() { open_ = false; }
  /// True when this failure makes `stop_after` of them.
  bool one_failed(const std::string& signature);

 private:
  bool open_;
  int stop_after_;
  int failed_ = 0;
  std::string signature_;
};

}  // namespace runner
