// Asks squeue for the jobs of whoever owns the script and its output.
#include "runner/script_queue.hpp"

#include <utility>

#include <sys/stat.h>

namespace runner {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kSeldom{10};
constexpr std::chrono::milliseconds kAgain{1500};

}  // namespace

std::string owner_of(const fs::path& file) {
  struct stat about {};
  return ::stat(file.c_str(), &about) == 0 ? std::to_string(about.st_uid) : "";
}

Answer ask_queue(const Ask& ask, const std::string& users) {
  return ask({"squeue", "--noheader", "--user", users, "--format", kQueueFormat}, {kQueueWholeLines});
}

std::vector<QueuedJob> jobs_of_script(const std::string& printed, const fs::path& script, const std::string& known,
                                      std::optional<int> task) {
  const ScriptLines its(script);
  std::vector<QueuedJob> jobs;
  for (const auto& line : queue_lines(printed)) {
    const bool is_it = (!known.empty() && line.job.job == known) || its.has(line);
    if (is_it && (!task || has_task(line.tasks, *task))) jobs.push_back(line.job);
  }
  return jobs;
}

std::optional<std::vector<QueuedJob>> ScriptQueue::jobs(const ScriptPlace& scripts,
                                                        const std::optional<ScriptOutput>& output,
                                                        const std::string& moment, const std::string& cluster) {
  const auto now = Clock::now();
  const bool is_new = !asked_ || moment != moment_;
  if (is_new) nones_ = 0;
  if (!is_there_ || (!is_new && now - *asked_ < (nones_ == 1 ? kAgain : kSeldom))) return heard_;
  asked_ = now;
  moment_ = moment;
  heard_.reset();
  const auto is_another = cluster_.is_another_than(cluster);
  if (!is_another) return heard_;
  auto users = owner_of(scripts.script);
  if (output) {
    if (const auto other = owner_of(output->file); other != users) users += "," + other;
  }
  const auto answer = ask_queue(ask_, users);
  is_there_ = answer.found;
  if (!answer.found || !answer.why.empty()) return heard_;
  // Numbers of jobs are each cluster's own.
  const auto known = output && !*is_another ? output->job : "";
  auto jobs = jobs_of_script(answer.output, scripts.script, known, scripts.task);
  if (jobs.empty() && *is_another) return heard_;
  nones_ = jobs.empty() ? nones_ + 1 : 0;
  if (nones_ != 1 || !again_and_again_) heard_ = std::move(jobs);
  return heard_;
}

}  // namespace runner
