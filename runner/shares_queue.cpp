// Deals an answer of squeue out to the parts.
#include "runner/shares_queue.hpp"

#include <utility>

#include "runner/script_queue.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kSeldom{10};
constexpr std::chrono::milliseconds kAgain{1500};

/// By part; `last`: the highest number of a share that is asked about.
std::map<int, SharesQueue::Jobs> dealt(const std::string& printed, const fs::path& scripts, int last) {
  const ScriptLines share(scripts / "share.sbatch"), features(scripts / "extract.sbatch");
  std::map<int, SharesQueue::Jobs> jobs;
  for (const auto& line : queue_lines(printed)) {
    if (features.has(line)) jobs[0].push_back(line.job);
    if (!share.has(line)) continue;
    for (const int task : tasks_of(line.tasks, last)) jobs[task].push_back(line.job);
  }
  return jobs;
}

}  // namespace

bool SharesQueue::is_due(Clock::time_point now) const {
  return is_there_ && (!asked_ || now - *asked_ >= (in_doubt_ ? kAgain : kSeldom));
}

void SharesQueue::look(const fs::path& scripts, const std::string& users, const std::map<int, Files>& parts,
                       Clock::time_point now) {
  if (parts.empty() || !is_due(now)) return;
  asked_ = now;
  const auto before = std::exchange(heard_, {});
  const bool was_in_doubt = std::exchange(in_doubt_, false);
  for (const auto& [part, files] : parts) {
    if (!cluster_.is_another_than(files.cluster)) return;  // Slurm does not answer
  }
  const auto answer = ask_queue(ask_, users);
  is_there_ = answer.found;
  if (!answer.found || !answer.why.empty()) return;
  auto jobs = dealt(answer.output, scripts, parts.rbegin()->first);
  for (const auto& [part, files] : parts) {
    Heard heard{files.moment, std::move(jobs[part])};
    const auto known = before.find(part);
    const bool is_same = known != before.end() && known->second.moment == files.moment;
    if (heard.jobs.empty() && cluster_.is_another_than(files.cluster).value_or(true)) continue;
    if (heard.jobs.empty()) heard.nones = is_same ? known->second.nones + 1 : 1;
    in_doubt_ = in_doubt_ || (heard.nones == 1 && again_and_again_ && !was_in_doubt);
    heard_.emplace(part, std::move(heard));
  }
}

std::optional<SharesQueue::Jobs> SharesQueue::jobs(int part, const std::string& moment) const {
  const auto known = heard_.find(part);
  if (known == heard_.end() || known->second.moment != moment) return std::nullopt;
  if (known->second.nones == 1 && again_and_again_) return std::nullopt;
  return known->second.jobs;
}

}  // namespace runner
