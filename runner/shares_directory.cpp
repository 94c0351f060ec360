// Finds the shares and adds them up.
#include "runner/shares_directory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "runner/explain_address.hpp"
#include "runner/script_output.hpp"
#include "runner/script_place.hpp"
#include "runner/script_queue.hpp"
#include "runner/share_outputs.hpp"
#include "runner/shares_counts.hpp"
#include "runner/shares_words.hpp"
#include "runner/unreadable.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/is_there.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFailuresKept = 200;

using storage::is_there;

/// A small file of text that holds this.
bool holds(const fs::path& file, const std::string& text) {
  constexpr std::uintmax_t kMostBytes = 1 << 20;
  try {
    return storage::read_regular_file(file, kMostBytes).find(text) != std::string::npos;
  } catch (const storage::Error&) {
    return false;
  }
}

/// Changes whenever what is seen of a run does.
std::string signs_of(const RunPicture& picture) {
  const auto& status = *picture.status;
  return fmt::format("{} {} {} {} {}", static_cast<int>(picture.life.life), status ? status->counter : 0,
                     picture.history->jobs().size(), picture.plans->size(), fmt::join(picture.problems, "\n"));
}

void add_failures(SharesView& view) {
  for (const auto& part : view.parts) {
    if (!part.view) continue;
    view.failures_more += part.view->failures_more;
    for (auto failure : part.view->failures) {
      failure.directory = part.folder;
      view.failures.push_back(std::move(failure));
    }
  }
  sort_failures(view.failures);
  if (view.failures.size() <= kFailuresKept) return;
  view.failures_more += view.failures.size() - kFailuresKept;
  view.failures.resize(kFailuresKept);
}

}  // namespace

SharesDirectory::SharesDirectory(fs::path directory, int shares) : directory_(std::move(directory)), shares_(shares) {}

fs::path SharesDirectory::folder_of(int number) const {
  return directory_ / share_folder(number, shares_);
}

void SharesDirectory::look() {
  for (int number = 0; number <= shares_; ++number) look_at(number);
  count_those_not_begun();
  look_at_outputs();
  if (queue_) look_at_queue();
}

void SharesDirectory::look_at(int number) {
  constexpr std::chrono::seconds kOld{30};
  auto run = runs_.find(number);
  if (run == runs_.end()) {
    std::error_code ignored;
    if (!fs::is_directory(folder_of(number), ignored)) return;
    run = runs_.try_emplace(number, folder_of(number), &known_).first;
  }
  run->second.look();
  const auto picture = run->second.picture();
  const auto signs = signs_of(picture);
  const auto kept = kept_.find(number);
  const bool is_new = kept == kept_.end() || is_at_work(picture) || kept->second.signs != signs ||
                      Clock::now() - kept->second.made > kOld;
  if (is_new) kept_.insert_or_assign(number, Kept{view_of(picture, false), signs, std::nullopt, Clock::now()});
}

/// By the sweep of one that has begun, or of the features. What --only leaves out is known of the features alone.
std::optional<SharesDirectory::Dealt> SharesDirectory::chosen_jobs() const {
  for (const auto& [number, run] : runs_) {
    const auto picture = run.picture();
    const auto& status = *picture.status;
    const bool is_plain = status && (number == 0 || status->selection.find("--only") == std::string::npos);
    if (!is_plain || picture.plans->size() != 1) continue;
    const auto& plan = picture.plans->front();
    Dealt dealt{&plan, {}};
    const auto chosen = number == 0 && status->chosen ? chosen_of(*status->chosen, plan.jobs.size()) : std::nullopt;
    for (std::size_t job = 0; job < plan.jobs.size(); ++job) {
      if (!chosen || (*chosen)[job]) dealt.jobs.push_back(job);
    }
    return dealt;
  }
  return std::nullopt;
}

void SharesDirectory::count_those_not_begun() {
  if (!jobs_.empty()) return;
  const auto dealt = chosen_jobs();
  if (!dealt) return;
  for (int k = 1; k <= shares_; ++k) {
    jobs_.push_back(sweeps::share_of(dealt->plan->jobs, dealt->jobs, {k, shares_}).size());
  }
}

std::unordered_map<std::string, int> SharesDirectory::dealt() const {
  std::unordered_map<std::string, int> shares;
  const auto dealt = chosen_jobs();
  for (int k = 1; dealt && k <= shares_; ++k) {
    for (const auto job : sweeps::share_of(dealt->plan->jobs, dealt->jobs, {k, shares_})) {
      shares[dealt->plan->keys[job].hex] = k;
    }
  }
  return shares;
}

/// Of parts that are not at work and not complete: a script that ends before its run leaves nothing but its output.
void SharesDirectory::look_at_outputs() {
  stops_.clear();
  clusters_.clear();
  const ShareOutputs outputs(directory_ / "slurm");
  for (int number = 0; number <= shares_; ++number) {
    const auto kept = kept_.find(number);
    const bool may_have_stopped = kept == kept_.end() || !kept->second.view.at_work;
    const auto output = may_have_stopped ? outputs.latest_of(number) : std::nullopt;
    if (!output) continue;
    auto tail = tail_of(*output);
    if (!tail.cluster.empty()) clusters_[number] = std::move(tail.cluster);
    if (!tail.before_its_run) continue;
    const bool told_to_end = was_told_to_end(tail);
    if (told_to_end || !tail.telling.empty()) stops_[number] = {std::move(tail.telling), *output, told_to_end};
  }
}

/// After all else.
void SharesDirectory::look_at_queue() {
  const auto scripts = directory_ / "slurm";
  if (!is_there(scripts / "share.sbatch")) return;
  const auto now = Clock::now();
  if (queue_->is_due(now)) queue_->look(scripts, whose_jobs(), parts_to_ask_about(), now);
  for (auto& [number, run] : runs_) {
    const auto queue = queue_of(number);
    run.slurm_said(queue);
    auto& kept = kept_.at(number);
    if (kept.queue == queue) continue;
    kept.view = view_of(run.picture(), false);
    kept.queue = queue;
  }
}

/// Whoever wrote the scripts, and whoever runs them.
std::string SharesDirectory::whose_jobs() const {
  std::set<std::string> users{owner_of(directory_ / "slurm" / "share.sbatch")};
  for (const auto& [number, run] : runs_) users.insert(owner_of(run.path()));
  users.erase("");
  return fmt::format("{}", fmt::join(users, ","));
}

/// Those that are neither at work nor complete by their files. One that has left no sign of a cluster is taken to be
/// where the features were made, or any share has run.
std::map<int, SharesQueue::Files> SharesDirectory::parts_to_ask_about() const {
  auto clusters = clusters_;
  for (const auto& [number, run] : runs_) {
    if (!clusters.contains(number)) clusters[number] = cluster_of(run.picture());
  }
  std::erase_if(clusters, [](const auto& part) { return part.second.empty(); });
  const auto of_others = clusters.empty() ? "" : clusters.begin()->second;
  std::map<int, SharesQueue::Files> parts;
  for (int number = 0; number <= shares_; ++number) {
    const auto kept = kept_.find(number);
    const bool tells = kept != kept_.end() && (kept->second.view.at_work || is_complete(number, kept->second.view));
    if (tells) continue;
    const auto named = clusters.find(number);
    parts[number] = {moment_of(number), named == clusters.end() ? of_others : named->second};
  }
  return parts;
}

/// Changes with the files of a part.
std::string SharesDirectory::moment_of(int number) const {
  const auto kept = kept_.find(number);
  return (kept == kept_.end() ? "" : kept->second.signs) + (stops_.count(number) > 0 ? " stopped" : "");
}

std::optional<std::vector<QueuedJob>> SharesDirectory::queue_of(int number) const {
  return queue_ ? queue_->jobs(number, moment_of(number)) : std::nullopt;
}

/// Nothing for features that nobody makes apart from the shares.
std::optional<SharePart> SharesDirectory::part(int number) const {
  SharePart part;
  part.number = number;
  part.folder = share_folder(number, shares_);
  const auto kept = kept_.find(number);
  part.queue = queue_of(number);
  const bool waits_again = part.queue && waiting_of(*part.queue) != nullptr;
  if (const auto stop = stops_.find(number); stop != stops_.end() && !waits_again) part.stop = stop->second;
  // Before its first status a run may have been killed: then its script's word is there alone.
  const auto has_begun = [](const StatusView& view) {
    return !view.unread.empty() || view.life.life != Life::not_started ||
           view.following == Following::next_allocation || view.following == Following::chain_end;
  };
  if (kept != kept_.end() && has_begun(kept->second.view)) {
    part.view = kept->second.view;
  } else if (number == 0 && !is_there(directory_ / "slurm" / "extract.sbatch")) {
    return std::nullopt;
  } else if (number > 0 && !jobs_.empty()) {
    part.jobs = jobs_.at(static_cast<std::size_t>(number - 1));
  }
  return part;
}

/// By the clock of the file system alone.
std::optional<SharesReport> SharesDirectory::report() const {
  SharesReport report{directory_ / "report" / "index.md"};
  std::error_code error;
  const auto made = fs::last_write_time(report.page, error);
  if (error) return std::nullopt;
  for (const auto& [number, run] : runs_) {
    std::error_code ignored;
    const auto result = fs::last_write_time(run.path() / "journal.jsonl", ignored);
    report.is_older = report.is_older || (number > 0 && !ignored && result > made);
  }
  return report;
}

SharesView SharesDirectory::view() const {
  SharesView view;
  view.directory = directory_.string();
  view.shares = shares_;
  const auto submit = directory_ / "slurm" / "submit";
  if (const auto scripts = is_there(submit) ? scripts_of(directory_) : std::nullopt) {
    view.submit = scripts->submit;
    view.not_submitted = why_not_submitted(*scripts);
    view.waiting_for_ever = !holds(submit, "--kill-on-invalid-dep=yes");
  }
  const auto closed = why_unreadable_scripts(directory_);
  if (!closed.empty()) {
    view.problems.push_back(closed);
    view.unread_scripts = closed;
    view.not_submitted = closed;
  }
  if (const auto dealt = chosen_jobs()) view.a_cell = first_cell_of(*dealt->plan);
  for (int number = 0; number <= shares_; ++number) {
    if (auto found = part(number)) view.parts.push_back(std::move(*found));
  }
  const auto is_known = [](const SharePart& part) { return part.number > 0 && part.queue; };
  if (std::any_of(view.parts.begin(), view.parts.end(), is_known)) {
    view.waiting_for_ever = std::any_of(view.parts.begin(), view.parts.end(), waits_for_ever);
  }
  view.report = report();
  add_jobs(view, *this);
  add_failures(view);
  for (const auto& part : view.parts) {
    if (!part.view) continue;
    for (const auto& problem : part.view->problems) {
      const bool is_said = std::find(view.problems.begin(), view.problems.end(), problem) != view.problems.end();
      if (!is_said) view.problems.push_back(problem);  // of scripts, once for all shares
    }
    if (view.unread.empty()) view.unread = part.view->unread;
    if (const auto why = why_no_share(part); !why.empty()) {
      view.problems.push_back(fmt::format("{}: {}: the sum counts what does not belong together",
                                          (directory_ / part.folder).string(), why));
    }
  }
  if (const auto mixed = mixed_deals(view); !mixed.empty()) view.problems.push_back(mixed);
  if (!view.unread.empty()) return view;  // what to do is another user's to say
  view.next = next_of(view);
  const bool is_complete = view.is_all && view.jobs.committed() == view.jobs.chosen();
  if (closed.empty() && !view.not_submitted.empty() && !is_complete) {
    view.next.insert(view.next.begin(), view.not_submitted);
  }
  return view;
}

/// Of this sweep in so many shares, and of this number; "" where it is. Equal sweeps share one plan.
std::string SharesDirectory::why_no_share(const SharePart& part) const {
  if (part.number == 0 || !part.view->status) return "";
  const auto& selection = part.view->status->selection;
  const auto own = fmt::format("--share {}/{}", part.number, shares_);
  if (!selection.ends_with(own) && selection.find(own + " ") == std::string::npos)
    return fmt::format("its last run was told {}, not {}", selection.empty() ? "no share" : selection, own);
  for (const auto& [number, run] : runs_) {
    const auto picture = run.picture(), here = runs_.at(part.number).picture();
    if (number == 0 || number == part.number || picture.plans->empty() || here.plans->empty()) continue;
    return picture.plans == here.plans ? "" : "of another sweep than " + share_folder(number, shares_);
  }
  return "";
}

}  // namespace runner
