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

void SharesQueue::look(const fs::path& scripts, const std::string& users, const std::map<int, std::string>& moments,
                       Clock::time_point now) {
  if (moments.empty() || !is_due(now)) return;
  const auto answer = ask_queue(ask_, users);
  const auto before = std::exchange(heard_, {});
  const bool was_in_doubt = std::exchange(in_doubt_, false);
  is_there_ = answer.found;
  asked_ = now;
  if (!answer.found || !answer.why.empty()) return;
  auto jobs = dealt(answer.output, scripts, moments.rbegin()->first);
  for (const auto& [part, moment] : moments) {
    Heard heard{moment, std::move(jobs[part])};
    const auto known = before.find(part);
    const bool is_same = known != before.end() && known->second.moment == moment;
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
