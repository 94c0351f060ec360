// A directory of shares, as the scripts of `plume-bench slurm --form array` fill it: DIR/features and DIR/share-K-of-N,
// each the directory of a run. All of them looked at together; see status_directory.hpp for one.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runner/share_folders.hpp"
#include "runner/shares_queue.hpp"
#include "runner/status_view.hpp"

namespace runner {

/// What the batch script of a part printed last where it ended before it had started a run: a module that is not there.
struct ScriptStop {
  std::string line;  ///< why, as its script printed it (script_output.hpp)
  std::filesystem::path output;
  bool told_to_end = false;  ///< by scancel or preemption: nothing is to be mended
};

/// The features, or one share.
struct SharePart {
  int number = 0;                   ///< 0: the features
  std::string folder;               ///< "share-3-of-8", "features"
  std::optional<StatusView> view;   ///< nothing: no run has begun there
  std::optional<std::size_t> jobs;  ///< of a share that has not begun; nothing where that is not known
  std::optional<ScriptStop> stop = {};
  /// Its jobs that Slurm knows of; nothing: nobody said, or it needs nobody's word.
  std::optional<std::vector<QueuedJob>> queue = {};
};

/// Tables of all shares that were made before.
struct SharesReport {
  std::filesystem::path page;
  bool is_older = false;  ///< than the newest result of a share
};

struct SharesView {
  std::string directory;
  int shares = 0;
  std::vector<SharePart> parts;  ///< the features, where they are a part, then the shares by number
  JobCounts jobs;                ///< of all shares; left: those of shares that have not begun too
  bool is_all = true;            ///< how many jobs each share has is known
  std::optional<double> jobs_per_minute, seconds_left;
  std::vector<FailureView> failures;  ///< of all; see failures_of
  std::size_t failures_more = 0;
  std::vector<std::string> problems;
  std::string submit = {};         ///< "bash DIR/slurm/submit"; "": there are no scripts, or those of another directory
  std::string not_submitted = {};  ///< why nobody should start, or can see, the scripts; "" as a rule
  bool waiting_for_ever = false;   ///< shares of features that failed stay in Slurm's queue until somebody cancels them
  std::string unread_scripts = {};  ///< one of the problems: why the scripts cannot be read
  std::string unread = {};          ///< of the first part that this user may not read (StatusView); "" as a rule
  std::optional<SharesReport> report = {};
  std::string a_cell = {};             ///< "table/row/column" of one cell, as an example; "": none is known
  std::vector<std::string> next = {};  ///< what to do, a sentence each; may be empty
};

class SharesDirectory {
 public:
  SharesDirectory(std::filesystem::path directory, int shares);
  /// From the next look on also at what squeue says, where the files of a part cannot tell.
  void ask_slurm(Ask ask, bool again_and_again) { queue_.emplace(std::move(ask), again_and_again); }
  /// Looks again at each of them, and for those that are new.
  void look();
  SharesView view() const;

  /// The shares that have begun, by number; 0: the features.
  const std::map<int, RunDirectory>& runs() const { return runs_; }
  /// Which share has each job, by its key; empty where that is not known.
  std::unordered_map<std::string, int> dealt() const;
  int shares() const { return shares_; }
  const std::filesystem::path& path() const { return directory_; }

 private:
  using Clock = std::chrono::steady_clock;
  /// A view takes time: of a share that is not at work it is made anew only when something has changed, and now and
  /// then.
  struct Kept {
    StatusView view;
    std::string signs;  ///< of its files
    std::optional<std::vector<QueuedJob>> queue;
    Clock::time_point made;
  };
  /// The jobs of a sweep that are dealt out to the shares.
  struct Dealt {
    const sweeps::Plan* plan = nullptr;
    std::vector<std::size_t> jobs;
  };
  std::filesystem::path folder_of(int number) const;
  void look_at(int number);
  void look_at_queue();
  std::string whose_jobs() const;
  std::string moment_of(int number) const;
  std::map<int, SharesQueue::Files> parts_to_ask_about() const;
  std::optional<std::vector<QueuedJob>> queue_of(int number) const;
  std::optional<Dealt> chosen_jobs() const;
  void count_those_not_begun();
  void look_at_outputs();
  std::optional<SharePart> part(int number) const;
  std::optional<SharesReport> report() const;
  std::string why_no_share(const SharePart& part) const;

  std::filesystem::path directory_;
  int shares_;
  KnownSweeps known_;
  std::map<int, RunDirectory> runs_;  ///< 0: the features
  std::map<int, Kept> kept_;
  std::vector<std::size_t> jobs_;  ///< of each share, from 1; empty: not known
  std::map<int, ScriptStop> stops_;
  std::map<int, std::string> clusters_;  ///< of the parts whose script named one in its latest output
  std::optional<SharesQueue> queue_;
};

}  // namespace runner
