// Reads the files.
#include "runner/status_directory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "runner/going_on.hpp"
#include "runner/job_names.hpp"
#include "runner/unreadable.hpp"
#include "storage/error.hpp"
#include "storage/is_there.hpp"
#include "storage/machine.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

using storage::is_there;

/// Why nothing of a directory can be seen; "" where it can.
std::string why_closed(const fs::path& directory) {
  if (auto why = why_unreadable(directory); !why.empty()) return why;
  std::error_code error;
  return fs::is_directory(directory, error) ? "" : directory.string() + ": no directory any more";
}

}  // namespace

RunDirectory::RunDirectory(fs::path directory, KnownSweeps* known, IfAbsent if_absent)
    : known_(known), directory_(std::move(directory)), journal_(directory_ / "journal.jsonl") {
  std::error_code error;
  if (fs::is_directory(directory_, error)) return;
  is_awaited_ = if_absent == IfAbsent::awaited && !is_there(directory_);
  if (is_awaited_) return;
  throw storage::UsageError(fmt::format("{}: {}; give the --out of a `plume-bench run`", directory_.string(),
                                        error && error != std::errc::no_such_file_or_directory ? error.message()
                                        : is_there(directory_) ? "expected a directory, found a file"
                                                               : "no such directory"));
}

std::optional<RunDirectory::Stamp> RunDirectory::stamp_of(const fs::path& file) {
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0) return std::nullopt;
  return Stamp{about.st_dev, about.st_ino, static_cast<std::uintmax_t>(about.st_size), about.st_mtim.tv_sec,
               about.st_mtim.tv_nsec};
}

void RunDirectory::look() {
  problems_.clear();
  look_at_permissions();
  is_awaited_ = is_awaited_ && !is_there(directory_);
  if (is_awaited_) {
    look_at_scripts();
    look_at_script_at_work();
    return;
  }
  if (const auto why = why_closed(directory_); !why.empty()) {
    problems_.push_back(why);  // what was known before stays
    return;
  }
  // The lock before the status: a run that ends writes its last status first.
  try {
    lock_ = read_lock(directory_);
  } catch (const std::exception& error) {
    problems_.emplace_back(error.what());
  }
  look_at_status();
  forget_a_damaged_lock();
  look_at_scripts();
  look_at_run_file();
  note_change();
  look_at_journal();
  look_at_script_at_work();
}

/// Nobody knows whose it is. A run at work writes it anew within seconds.
void RunDirectory::forget_a_damaged_lock() {
  const bool says_ended = status_ && status_->phase == RunPhase::ended;
  if (!lock_ || !lock_->nonce.empty() || !says_ended) return;
  problems_.push_back(fmt::format("{}: damaged, and not believed", (directory_ / "lock").string()));
  lock_.reset();
}

/// The same as before where only where workers are has changed.
std::shared_ptr<const ExpandedSweeps> RunDirectory::expanded(const std::vector<FrozenSweep>& frozen) const {
  auto fresh = std::make_shared<ExpandedSweeps>();
  for (const auto& each : frozen) {
    fresh->texts.push_back(each.sweep.text);
    fresh->classes.push_back(each.classes);
  }
  const auto is_it = [&](const auto& other) {
    return other && other->texts == fresh->texts && other->classes == fresh->classes;
  };
  if (is_it(sweeps_)) return sweeps_;
  if (known_ != nullptr) {
    for (const auto& other : *known_) {
      if (const auto shared = other.lock(); is_it(shared)) return shared;
    }
  }
  for (const auto& each : frozen) {
    fresh->plans.push_back(sweeps::expand(each.sweep, each.classes));
    fresh->sweeps.push_back(each.sweep.name);
    fresh->names.push_back(job_names(fresh->plans.back().jobs));
  }
  if (known_ != nullptr) {
    std::erase_if(*known_, [](const auto& other) { return other.expired(); });
    known_->push_back(fresh);
  }
  return fresh;
}

void RunDirectory::look_at_run_file() {
  const auto stamp = stamp_of(directory_ / "run.json");
  if (stamp != run_file_read_) {
    run_file_read_ = stamp;
    run_file_problem_.clear();
    try {
      auto file = read_run_file(directory_);
      sweeps_ = expanded(file.sweeps);
      run_file_.facts = std::move(file.facts);
    } catch (const std::exception& error) {
      run_file_problem_ = error.what();
    }
  }
  if (!run_file_problem_.empty()) problems_.push_back(run_file_problem_);
}

/// A run at work writes its status once a second and its journal at once: both are taken as they were when the status
/// was written, so that a job is not done and on a worker.
std::uintmax_t RunDirectory::journal_of_the_status() const {
  const bool is_at_work = status_ && status_->phase != RunPhase::ended && life().life == Life::working;
  return is_at_work ? status_->journal_bytes.value_or(UINTMAX_MAX) : UINTMAX_MAX;
}

void RunDirectory::look_at_journal() {
  has_journal_ = is_there(directory_ / "journal.jsonl");
  try {
    journal_.read([this](results::Entry entry) { history_.apply(std::move(entry)); },
                  [this] { history_ = results::History(); }, journal_of_the_status());
  } catch (const std::exception& error) {
    problems_.emplace_back(error.what());
  }
}

void RunDirectory::look_at_status() {
  try {
    status_ = read_status(directory_);
  } catch (const std::exception& error) {
    problems_.emplace_back(error.what());
  }
}

void RunDirectory::look_at_permissions() {
  unread_ = why_unreadable_run(directory_);
  unread_scripts_ = unread_.empty() ? why_unreadable_scripts(directory_) : "";
  if (!unread_scripts_.empty()) problems_.push_back(unread_scripts_);
}

/// After the status: what chain.json says is of the status that is there, or of one before.
void RunDirectory::look_at_scripts() {
  scripts_ = scripts_of(directory_);
  try {
    chain_ = read_chain(directory_);
  } catch (const std::exception& error) {
    problems_.emplace_back(error.what());
  }
}

/// After all else: a run at work speaks for its script.
void RunDirectory::look_at_script_at_work() {
  output_.reset();
  queued_.reset();
  const auto now = life().life;
  if (!scripts_ || !scripts_->runs_instead.empty() || now == Life::working || now == Life::silent) return;
  const auto script = scripts_->script.filename();
  if (script == "run.sbatch") output_ = newest_output(directory_);  // those of shares lie elsewhere: share_outputs.hpp
  if (!queue_ || script == "submit") return;
  const auto moment = fmt::format("{} {} {} {} {}", static_cast<int>(now), status_ ? status_->counter : 0,
                                  chain_ && chain_->word ? chain_->word->at : 0, output_ ? output_->file.string() : "",
                                  output_ && output_->tail.ended);
  queued_ = queue_->jobs(*scripts_, output_, moment, cluster_of(picture()));
}

/// A watcher trusts counters more than clocks.
void RunDirectory::note_change() {
  const std::uint64_t now[2] = {status_ ? status_->counter : 0, lock_ ? lock_->counter : 0};
  const auto clock = std::chrono::steady_clock::now();
  const bool is_first = !changed_at_;
  const bool is_new = now[0] != seen_counters_[0] || now[1] != seen_counters_[1];
  if (is_first || is_new) changed_at_ = clock;
  change_seen_ = change_seen_ || (is_new && !is_first);
  seen_counters_[0] = now[0];
  seen_counters_[1] = now[1];
}

RunPicture RunDirectory::picture() const {
  return {directory_, &sweeps_->plans,  &sweeps_->names, &sweeps_->sweeps, &history_, &status_,
          life(),     &run_file_.facts, problems_,       scripts_,         chain_,    quiet_seconds(),
          output_,    queued_,          unread_,         unread_scripts_};
}

double RunDirectory::unchanged_seconds() const {
  if (!changed_at_) return 0;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - *changed_at_).count();
}

double RunDirectory::quiet_seconds() const {
  if (change_seen_ || !status_) return unchanged_seconds();
  return std::max(unchanged_seconds(), static_cast<double>(storage::unix_now() - status_->written));
}

LifeVerdict RunDirectory::life() const {
  Signs signs;
  signs.status = status_;
  signs.lock = lock_;
  signs.has_results = run_file_read_ || has_journal_;
  signs.now = storage::unix_now();
  if (lock_) {
    signs.process = judge(lock_->host, lock_->boot, lock_->pid, lock_->started);
  } else if (status_) {
    signs.process = judge(status_->host, status_->boot, status_->pid, status_->process_started);
  }
  signs.end_was_seen = status_ && chain_ && chain_->counter == status_->counter;
  signs.unchanged_seconds = unchanged_seconds();
  signs.change_seen = change_seen_;
  return judge_life(signs);
}

}  // namespace runner
