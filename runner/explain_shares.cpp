// A job or a cell of a directory of shares: each job is looked for in the share that has it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "runner/explain.hpp"
#include "runner/explain_cell.hpp"
#include "runner/job_names.hpp"
#include "runner/shares_words.hpp"
#include "runner/shell_text.hpp"
#include "storage/error.hpp"

namespace runner {
namespace {

/// A share that has begun, or the features, whose sweep is the same.
struct Part {
  int number = 0;
  RunPicture picture;
  JobStates states;
};

std::vector<Part> parts_with_sweep(const SharesDirectory& directory) {
  std::vector<Part> parts;
  for (const auto& [number, run] : directory.runs()) {
    const auto picture = run.picture();
    if (!picture.plans->empty()) parts.push_back({number, picture, JobStates(picture)});
  }
  return parts;
}

/// The share where a job stands best, since several have it that ran with another --only each; null where none that has
/// begun has it. Equal sweeps share one plan.
const Part* owner_of(std::size_t plan, std::size_t job, const Part& asked, const std::vector<Part>& parts) {
  const Part* best = nullptr;
  auto its = JobState::not_chosen;
  for (const auto& part : parts) {
    if (part.number == 0 || part.picture.plans != asked.picture.plans) continue;
    const auto state = part.states.of(plan, job);
    if (state >= its) continue;
    best = &part;
    its = state;
  }
  return best;
}

std::size_t shares_among(const std::vector<Part>& parts) {
  return static_cast<std::size_t>(
      std::count_if(parts.begin(), parts.end(), [](const Part& part) { return part.number > 0; }));
}

/// Of a job that no share that has begun has.
class NotBegun {
 public:
  /// `asked`: one with the sweep of the job. `begun`: shares, without the features.
  NotBegun(const SharesDirectory& directory, const Part& asked, std::size_t begun)
      : dealt_(directory.dealt()),
        shares_(directory.shares()),
        all_begun_(begun == static_cast<std::size_t>(directory.shares())),
        view_(directory.view()),
        asked_(asked) {}

  std::string where(const sweeps::JobKey& key) const {
    const auto found = dealt_.find(key.hex);
    return found == dealt_.end() ? "" : share_folder(found->second, shares_);
  }
  Reason reason(std::size_t plan, std::size_t job) const {
    const auto folder = where((*asked_.picture.plans)[plan].keys[job]);
    if (const auto unread = unread_of(folder); !unread.empty()) return not_known(unread);
    const auto& scripts = asked_.picture.scripts;
    if (view_.not_submitted.empty() && scripts && asked_.states.is_left_out_by(scripts->only, plan, job))
      return {"left out", left_out_by_scripts(*scripts), scripts_for_all(*scripts)};
    if (all_begun_) return {"left out", "every share has begun, and by --only none of them has it", mend_of_all()};
    return not_begun(folder);
  }

 private:
  /// What runs the jobs that the last runs of all shares left out.
  std::string mend_of_all() const {
    if (!view_.not_submitted.empty()) return view_.not_submitted;
    return view_.submit.empty() ? "the commands of all shares, each without --only, run it"
                                : "the batch scripts run it: " + view_.submit;
  }
  Reason not_begun(const std::string& folder) const {
    const std::string sentence = "no run has begun in the share that has it, or --only leaves it out";
    if (!view_.not_submitted.empty()) return {"not begun", sentence, view_.not_submitted};
    if (view_.submit.empty()) {
      return {"not begun", sentence, "the same command as of another share, with its own --share and --out, runs it"};
    }
    const auto* part = part_called(folder);
    if (part == nullptr || !part->queue)
      return {"not begun", sentence,
              fmt::format("unless `squeue --me` shows that its share waits in the queue: {}", view_.submit)};
    if (is_gone(*part)) return {"not begun", "its share is not in Slurm's queue", "go on with it: " + view_.submit};
    return {"not begun", "its share is " + state_of(*part), waits_for_ever(*part) ? for_ever() : ""};
  }
  std::string for_ever() const {
    return fmt::format("scancel what waits for features that failed (`squeue --me`), and type {}", view_.submit);
  }
  const SharePart* part_called(const std::string& folder) const {
    for (const auto& part : view_.parts) {
      if (part.number > 0 && part.folder == folder) return &part;
    }
    return nullptr;
  }
  /// Of the share that has a job; of the first that cannot be read where it is not known which one has it.
  std::string unread_of(const std::string& folder) const {
    for (const auto& part : view_.parts) {
      const bool may_have_it = part.number > 0 && (folder.empty() || part.folder == folder);
      if (may_have_it && part.view && !part.view->unread.empty()) return part.view->unread;
    }
    return "";
  }
  std::unordered_map<std::string, int> dealt_;
  int shares_;
  bool all_begun_;
  SharesView view_;
  const Part& asked_;
};

std::vector<std::string> lines_of(const JobAddress& address, const Part& asked, const std::vector<Part>& parts,
                                  const SharesDirectory& directory) {
  if (const auto* part = owner_of(address.plan, address.job, asked, parts)) {
    auto lines = explain(address, part->picture);
    lines.insert(lines.begin(), share_folder(part->number, directory.shares()) + ":");
    return lines;
  }
  const NotBegun not_begun(directory, asked, shares_among(parts));
  const auto& key = (*asked.picture.plans)[address.plan].keys[address.job];
  const auto where = not_begun.where(key);
  const auto reason = not_begun.reason(address.plan, address.job);
  std::vector<std::string> lines{
      (where.empty() ? "of no share that has begun" : where) + ":", (*asked.picture.names)[address.plan][address.job],
      fmt::format("key {}, in {}", key.hex, fmt::join(cells_with(address.plan, address.job, asked.picture), ", ")),
      fmt::format("{}: {}", reason.word, reason.sentence)};
  if (!reason.mend.empty()) lines.push_back(reason.mend);
  return lines;
}

std::vector<std::string> lines_of(const CellAddress& address, const Part& asked, const std::vector<Part>& parts,
                                  const SharesDirectory& directory) {
  const auto& plan = (*asked.picture.plans)[address.plan];
  std::optional<NotBegun> not_begun;
  std::vector<CellJob> jobs;
  for (const auto job : jobs_of(address, plan)) {
    CellJob one{labelled((*asked.picture.names)[address.plan][job], plan.keys[job]), std::nullopt, ""};
    const auto* part = owner_of(address.plan, job, asked, parts);
    if (part == nullptr) {
      if (!not_begun) not_begun.emplace(directory, asked, shares_among(parts));
      one.missing = not_begun->reason(address.plan, job);
      one.where = not_begun->where(plan.keys[job]);
    } else if (part->states.of(address.plan, job) != JobState::done) {
      one.missing = reason_of(address.plan, job, part->states, part->picture);
      one.where = share_folder(part->number, directory.shares());
    }
    jobs.push_back(std::move(one));
  }
  return cell_lines(address.text, jobs);
}

}  // namespace

std::vector<std::string> explain_in_shares(const std::string& what, const SharesDirectory& directory) {
  const auto parts = parts_with_sweep(directory);
  const auto unread = parts.empty() ? directory.view().unread : "";
  if (!unread.empty()) throw storage::Error(fmt::format("{}: how it stands is not known: {}", what, unread));
  std::string refusal = fmt::format("{}: no share has begun yet; `plume-bench status {}` says what to do",
                                    directory.path().string(), shell_word(directory.path().string()));
  for (const auto& part : parts) {
    try {
      const auto address = address_of(what, part.picture);
      if (const auto* job = std::get_if<JobAddress>(&address)) return lines_of(*job, part, parts, directory);
      if (const auto* cell = std::get_if<CellAddress>(&address)) return lines_of(*cell, part, parts, directory);
      return explain(address, part.picture);
    } catch (const storage::UsageError& error) {
      refusal = error.what();
    }
  }
  throw storage::UsageError(refusal);
}

}  // namespace runner
