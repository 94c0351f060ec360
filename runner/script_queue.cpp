// Asks squeue for the jobs of whoever owns the script and its output.
#include "runner/script_queue.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>

namespace runner {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kSeldom{10};
constexpr std::chrono::milliseconds kAgain{1500};

std::string owner_of(const fs::path& file) {
  struct stat about {};
  return ::stat(file.c_str(), &about) == 0 ? std::to_string(about.st_uid) : "";
}

/// "/a/run.sbatch --retry-failed" begins with the script; not so "/a/run.sbatch.old".
bool begins_with(const std::string& command, const std::string& script) {
  return command.starts_with(script) && (command.size() == script.size() || command[script.size()] == ' ');
}

}  // namespace

std::vector<QueuedJob> jobs_of_script(const std::string& lines, const fs::path& script, const std::string& known) {
  std::error_code ignored;
  const auto full = fs::absolute(script, ignored).lexically_normal().string();
  const auto real = fs::weakly_canonical(script, ignored).string();
  std::vector<QueuedJob> jobs;
  std::istringstream text(lines);
  for (std::string line; std::getline(text, line);) {
    std::string part[3];
    std::istringstream parts(line);
    for (auto& each : part) std::getline(parts, each, '|');
    std::string command;
    std::getline(parts, command);
    if (!command.starts_with("/")) command = (fs::path(part[2]) / command).lexically_normal().string();
    const bool is_it = (!known.empty() && part[0] == known) || begins_with(command, full) || begins_with(command, real);
    if (is_it) jobs.push_back({part[0], part[1] != "PENDING" && part[1] != "REQUEUED"});
  }
  return jobs;
}

std::optional<std::vector<QueuedJob>> ScriptQueue::jobs(const ScriptPlace& scripts,
                                                        const std::optional<ScriptOutput>& output,
                                                        const std::string& moment) {
  const auto now = Clock::now();
  const bool is_new = !asked_ || moment != moment_;
  if (is_new) nones_ = 0;
  if (!is_there_ || (!is_new && now - *asked_ < (nones_ == 1 ? kAgain : kSeldom))) return heard_;
  auto users = owner_of(scripts.script);
  if (output) {
    if (const auto other = owner_of(output->file); other != users) users += "," + other;
  }
  const auto answer = ask_({"squeue", "--noheader", "--user", users, "--format", "%i|%T|%Z|%o"}, {});
  is_there_ = answer.found;
  asked_ = now;
  moment_ = moment;
  heard_.reset();
  if (!answer.found || !answer.why.empty()) return heard_;
  auto jobs = jobs_of_script(answer.output, scripts.script, output ? output->job : "");
  nones_ = jobs.empty() ? nones_ + 1 : 0;
  if (nones_ != 1 || !again_and_again_) heard_ = std::move(jobs);
  return heard_;
}

}  // namespace runner
