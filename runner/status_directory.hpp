// A run's directory as anybody who may read it sees it: run.json, the journal, status.json, the lock, chain.json and
// which batch scripts there are; the long ones are read again only when they have changed. Never takes the lock and
// writes nothing.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "results/history.hpp"
#include "results/journal_tail.hpp"
#include "runner/chain_file.hpp"
#include "runner/run_file.hpp"
#include "runner/script_output.hpp"
#include "runner/script_place.hpp"
#include "runner/script_queue.hpp"
#include "runner/status_life.hpp"

namespace runner {

/// What is known of a run at a moment. Everything that `status` and `explain` say is made from this alone.
struct RunPicture {
  std::filesystem::path directory;
  const std::vector<sweeps::Plan>* plans = nullptr;              ///< of the directory's sweeps, in order
  const std::vector<std::vector<std::string>>* names = nullptr;  ///< of their jobs
  const std::vector<std::string>* sweeps = nullptr;              ///< their own
  const results::History* history = nullptr;
  const std::optional<RunStatus>* status = nullptr;
  LifeVerdict life;
  const RunFacts* facts = nullptr;    ///< of the last run
  std::vector<std::string> problems;  ///< files that cannot be read, a line each
  std::optional<ScriptPlace> scripts = {};
  std::optional<ChainMemory> chain = {};
  double quiet_seconds = 0;  ///< since the last sign of the run that status or lock gave, as far as known
  std::optional<ScriptOutput> output = {};           ///< where no run is at work, and the directory is not a share
  std::optional<std::vector<QueuedJob>> queue = {};  ///< jobs of the script that Slurm knows of; absent: nobody said
  /// A file or folder that this user may not read, and why, so that how jobs stand is not known; "" as a rule.
  std::string unread = {};
  std::string unread_scripts = {};  ///< the same of the batch scripts: how it goes on is not known
};

/// The sweeps of a run.json, expanded.
struct ExpandedSweeps {
  std::vector<std::string> texts;
  std::vector<sweeps::ClassNames> classes;
  std::vector<sweeps::Plan> plans;
  std::vector<std::vector<std::string>> names;  ///< of their jobs
  std::vector<std::string> sweeps;              ///< their own
};
/// Those that directories have in common, so that a thousand shares of a sweep keep it once.
using KnownSweeps = std::vector<std::weak_ptr<const ExpandedSweeps>>;

/// What becomes of a directory that is not there.
enum class IfAbsent { refused, awaited };

class RunDirectory {
 public:
  /// Throws UsageError for what is no directory, unless it is awaited. `known`: looked up and added to; null: kept for
  /// itself.
  explicit RunDirectory(std::filesystem::path directory, KnownSweeps* known = nullptr,
                        IfAbsent if_absent = IfAbsent::refused);

  /// From the next look on also at what squeue says, where the files cannot tell.
  void ask_slurm(Ask ask, bool again_and_again) { queue_.emplace(std::move(ask), again_and_again); }

  /// Until the next look: what somebody else has asked squeue for this directory; nothing where nobody can say.
  void slurm_said(std::optional<std::vector<QueuedJob>> jobs) { queued_ = std::move(jobs); }

  /// Looks again. What cannot be read is a line in problems(), and what was known of it before stays.
  void look();

  const std::filesystem::path& path() const { return directory_; }
  /// What was seen; refers to this object, until the next look.
  RunPicture picture() const;

 private:
  LifeVerdict life() const;
  double quiet_seconds() const;
  /// How long we have looked without seeing a change.
  double unchanged_seconds() const;
  void forget_a_damaged_lock();
  void look_at_run_file();
  std::shared_ptr<const ExpandedSweeps> expanded(const std::vector<FrozenSweep>& frozen) const;
  void look_at_journal();
  std::uintmax_t journal_of_the_status() const;
  void look_at_status();
  void look_at_scripts();
  void look_at_permissions();
  void look_at_script_at_work();
  void note_change();

  /// What a file was when it was read.
  struct Stamp {
    std::uintmax_t device = 0, inode = 0, bytes = 0;
    std::int64_t seconds = 0, nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };
  static std::optional<Stamp> stamp_of(const std::filesystem::path& file);

  KnownSweeps* known_ = nullptr;
  bool is_awaited_ = false;  ///< until it is there
  std::filesystem::path directory_;
  std::optional<Stamp> run_file_read_;
  RunFile run_file_;
  std::shared_ptr<const ExpandedSweeps> sweeps_ = std::make_shared<ExpandedSweeps>();
  results::JournalTail journal_;
  results::History history_;
  bool has_journal_ = false;
  std::optional<RunStatus> status_;
  std::optional<LockHolder> lock_;
  std::optional<ScriptPlace> scripts_;
  std::optional<ChainMemory> chain_;
  std::optional<ScriptOutput> output_;
  std::optional<ScriptQueue> queue_;
  std::optional<std::vector<QueuedJob>> queued_;
  std::vector<std::string> problems_;
  std::string run_file_problem_;
  std::string unread_, unread_scripts_;

  std::uint64_t seen_counters_[2] = {0, 0};  ///< of status and lock
  std::optional<std::chrono::steady_clock::time_point> changed_at_;
  bool change_seen_ = false;
};

}  // namespace runner
