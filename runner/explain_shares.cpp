// A job or a cell of a directory of shares: each job is looked for in the share that has it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "runner/explain.hpp"
#include "runner/explain_cell.hpp"
#include "runner/job_names.hpp"
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

/// The share that has a job, before one that has only left it out; null where none that has begun does. Equal sweeps
/// share one plan.
const Part* owner_of(std::size_t plan, std::size_t job, const Part& asked, const std::vector<Part>& parts) {
  for (const auto& part : parts) {
    if (part.number == 0 || part.picture.plans != asked.picture.plans) continue;
    if (part.states.of(plan, job) != JobState::not_chosen) return &part;
  }
  return nullptr;
}

std::size_t shares_among(const std::vector<Part>& parts) {
  return static_cast<std::size_t>(
      std::count_if(parts.begin(), parts.end(), [](const Part& part) { return part.number > 0; }));
}

/// Of a job that no share that has begun has.
class NotBegun {
 public:
  /// `begun`: shares, without the features.
  NotBegun(const SharesDirectory& directory, std::size_t begun)
      : dealt_(directory.dealt()), shares_(directory.shares()), begun_(begun), view_(directory.view()) {}

  std::string where(const sweeps::JobKey& key) const {
    const auto found = dealt_.find(key.hex);
    return found == dealt_.end() ? "" : share_folder(found->second, shares_);
  }
  Reason reason(const sweeps::JobKey& key) const {
    if (const auto unread = unread_of(where(key)); !unread.empty()) return not_known(unread);
    if (begun_ == static_cast<std::size_t>(shares_)) {
      return {"left out", "every share has begun, and by --only none of them has it", kScriptsWithoutOnly};
    }
    const std::string sentence = "no run has begun in the share that has it, or --only leaves it out";
    if (!view_.not_submitted.empty()) return {"not begun", sentence, view_.not_submitted};
    if (view_.submit.empty()) {
      return {"not begun", sentence, "the same command as of another share, with its own --share and --out, runs it"};
    }
    return {"not begun", sentence,
            fmt::format("unless `squeue --me` shows that its share waits in the queue: {}", view_.submit)};
  }

 private:
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
  std::size_t begun_;
  SharesView view_;
};

std::vector<std::string> lines_of(const JobAddress& address, const Part& asked, const std::vector<Part>& parts,
                                  const SharesDirectory& directory) {
  if (const auto* part = owner_of(address.plan, address.job, asked, parts)) {
    auto lines = explain(address, part->picture);
    lines.insert(lines.begin(), share_folder(part->number, directory.shares()) + ":");
    return lines;
  }
  const NotBegun not_begun(directory, shares_among(parts));
  const auto& key = (*asked.picture.plans)[address.plan].keys[address.job];
  const auto where = not_begun.where(key);
  const auto reason = not_begun.reason(key);
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
      if (!not_begun) not_begun.emplace(directory, shares_among(parts));
      one.missing = not_begun->reason(plan.keys[job]);
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
  std::string refusal = directory.path().string() + ": no share has begun yet; `plume-bench status` says what to do";
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
