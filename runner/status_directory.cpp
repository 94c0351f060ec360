// Reads the files.
#include "runner/status_directory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "runner/job_names.hpp"
#include "storage/error.hpp"
#include "storage/machine.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

}  // namespace

RunDirectory::RunDirectory(fs::path directory)
    : directory_(std::move(directory)), journal_(directory_ / "journal.jsonl") {
  std::error_code error;
  if (fs::is_directory(directory_, error)) return;
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
  // The lock before the status: a run that ends writes its last status first.
  try {
    lock_ = read_lock(directory_);
  } catch (const std::exception& error) {
    problems_.emplace_back(error.what());
  }
  look_at_status();
  look_at_scripts();
  look_at_run_file();
  look_at_journal();
  note_change();
}

void RunDirectory::look_at_run_file() {
  const auto stamp = stamp_of(directory_ / "run.json");
  if (stamp != run_file_read_) {
    run_file_read_ = stamp;
    run_file_problem_.clear();
    try {
      auto file = read_run_file(directory_);
      std::vector<std::string> texts;
      for (const auto& frozen : file.sweeps) texts.push_back(frozen.sweep.text);
      bool is_same = texts == sweep_texts_ && file.sweeps.size() == run_file_.sweeps.size();
      for (std::size_t i = 0; is_same && i < file.sweeps.size(); ++i) {
        is_same = file.sweeps[i].classes == run_file_.sweeps[i].classes;
      }
      run_file_ = std::move(file);
      sweep_texts_ = std::move(texts);
      if (!is_same) {  // else only where workers are has changed
        plans_.clear();
        names_.clear();
        sweep_names_.clear();
        for (const auto& frozen : run_file_.sweeps) {
          plans_.push_back(sweeps::expand(frozen.sweep, frozen.classes));
          sweep_names_.push_back(frozen.sweep.name);
          names_.push_back(job_names(plans_.back().jobs));
        }
      }
    } catch (const std::exception& error) {
      run_file_problem_ = error.what();
    }
  }
  if (!run_file_problem_.empty()) problems_.push_back(run_file_problem_);
}

void RunDirectory::look_at_journal() {
  has_journal_ = is_there(directory_ / "journal.jsonl");
  try {
    journal_.read([this](results::Entry entry) { history_.apply(std::move(entry)); },
                  [this] { history_ = results::History(); });
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

/// After the status: what chain.json says is of the status that is there, or of one before.
void RunDirectory::look_at_scripts() {
  scripts_ = scripts_of(directory_);
  try {
    chain_ = read_chain(directory_);
  } catch (const std::exception& error) {
    problems_.emplace_back(error.what());
  }
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
  return {directory_, &plans_,          &names_,   &sweep_names_, &history_, &status_,
          life(),     &run_file_.facts, problems_, scripts_,      chain_,    quiet_seconds()};
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
