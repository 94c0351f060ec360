// What became of each job, try by try, from the journal's lines: what `status` and `explain` need of them, without the
// epochs. Pure; opens no file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "results/journal.hpp"

namespace results {

/// A try of a job.
struct Attempt {
  enum class End { none, done, failed, ended };  ///< none: the journal knows of no end; ended: without a result
  int number = 1;
  std::string worker;  ///< "worker 3 (node17)"; "" where the journal does not say
  std::string at;      ///< UTC, when it was handed out; may be ""
  End end = End::none;
  std::string cause, message;  ///< failed, ended
  bool uncharged = false;      ///< its worker was set aside: the job is not to blame
};

/// A result without its epochs.
struct Committed {
  int attempt = 1;
  bool diverged = false;
  int diverged_epoch = 0;
  std::size_t epochs = 0;
  std::optional<double> last_auc, best_auc;  ///< in [0, 1]
  int best_epoch = 0;
  JobTiming timing;
  std::string device;
  int threads = 1;
};
struct GaveUp {
  int attempt = 1;
  std::string cause, message;
};

struct JobHistory {
  std::vector<Attempt> attempts;     ///< in the order in which they were begun
  std::optional<Committed> done;     ///< the result that counts
  std::optional<GaveUp> failed;      ///< where there is no result
  std::optional<int> taken_back;     ///< attempt whose result was taken back, last time
  std::string why_taken_back = {};   ///< "its feature sets have changed"
  std::optional<sweeps::Job> job;    ///< where a line says what it is
  const Attempt* under_way() const;  ///< the last attempt, where no end is known of it
};

class History {
 public:
  void apply(Entry entry);
  /// Null for a job that the journal does not name.
  const JobHistory* find(const sweeps::JobKey& key) const;
  const std::unordered_map<sweeps::JobKey, JobHistory>& jobs() const { return jobs_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// Failed jobs in the order in which they were given up, the last one last; those mended meanwhile too.
  const std::vector<sweeps::JobKey>& failures() const { return failures_; }

 private:
  struct AttemptOf {
    sweeps::JobKey key;
    int number;
  };
  sweeps::JobKey key_now(const sweeps::Job& job, int engine_version);
  JobHistory& of(const sweeps::JobKey& key);
  Attempt& attempt_of(const sweeps::JobKey& key, int number);
  void apply_done(Done done);
  void apply_failed(Failed failed);
  void apply_note(const std::string& text);
  void count_against(const std::string& worker, const sweeps::JobKey& key, int number);

  std::unordered_map<sweeps::JobKey, JobHistory> jobs_;
  std::unordered_map<sweeps::JobKey, sweeps::JobKey> older_keys_;
  std::map<std::string, std::vector<AttemptOf>> in_a_row_;  ///< by worker: failed since its last result
  std::vector<std::string> notes_;
  std::vector<sweeps::JobKey> failures_;
};

}  // namespace results
