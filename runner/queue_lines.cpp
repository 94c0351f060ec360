// Takes lines apart.
#include "runner/queue_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <sstream>
#include <utility>

#include "storage/printable.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestReason = 60;

/// "/a/run.sbatch --retry-failed" begins with the script; not so "/a/run.sbatch.old".
bool begins_with(const std::string& command, const std::string& script) {
  return command.starts_with(script) && (command.size() == script.size() || command[script.size()] == ' ');
}

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0 ? std::optional(number) : std::nullopt;
}

/// Of "7", "1-4" or "9-13:2".
void add_range(std::string_view range, int most, std::vector<int>& tasks) {
  const auto colon = std::min(range.find(':'), range.size());
  const auto step = colon < range.size() ? number_of(range.substr(colon + 1)) : 1;
  range = range.substr(0, colon);
  const auto dash = std::min(range.find('-'), range.size());
  const auto first = number_of(range.substr(0, dash));
  const auto last = dash < range.size() ? number_of(range.substr(dash + 1)) : first;
  if (!first || !last || step.value_or(0) < 1) return;
  for (std::int64_t task = *first; task <= std::min(*last, most); task += *step) {
    if (task >= 1) tasks.push_back(static_cast<int>(task));
  }
}

}  // namespace

const QueuedJob* waiting_of(const std::vector<QueuedJob>& jobs) {
  const QueuedJob* waiting = nullptr;
  for (const auto& job : jobs) {
    const bool is_better = waiting == nullptr || waiting->reason == kNeverSatisfied;
    if (!job.running && is_better) waiting = &job;
  }
  return waiting;
}

std::vector<QueueLine> queue_lines(const std::string& printed) {
  std::vector<QueueLine> lines;
  std::istringstream text(printed);
  for (std::string line; std::getline(text, line);) {
    std::istringstream parts(line);
    QueueLine one;
    std::string state, reason, folder;
    for (auto* part : {&one.job.job, &one.tasks, &state, &reason}) std::getline(parts, *part, '|');
    std::getline(parts, folder, '\x1f');
    std::getline(parts, one.command);
    if (one.command.empty()) continue;
    one.job.running = state != "PENDING" && state != "REQUEUED";
    if (!one.job.running && reason != "None") one.job.reason = storage::printable_line(reason, kLongestReason);
    if (!one.command.starts_with("/")) one.command = (fs::path(folder) / one.command).lexically_normal().string();
    lines.push_back(std::move(one));
  }
  return lines;
}

ScriptLines::ScriptLines(const fs::path& script) {
  std::error_code ignored;
  full_ = fs::absolute(script, ignored).lexically_normal().string();
  real_ = fs::weakly_canonical(script, ignored).string();
}

bool ScriptLines::has(const QueueLine& line) const {
  return begins_with(line.command, full_) || begins_with(line.command, real_);
}

std::vector<int> tasks_of(std::string_view tasks, int most) {
  std::vector<int> all;
  tasks = tasks.substr(0, tasks.find('%'));  // what follows is how many may run at once
  while (!tasks.empty()) {
    const auto comma = std::min(tasks.find(','), tasks.size());
    add_range(tasks.substr(0, comma), most, all);
    tasks.remove_prefix(std::min(comma + 1, tasks.size()));
  }
  return all;
}

bool has_task(std::string_view tasks, int task) {
  const auto all = tasks_of(tasks, task);
  return std::find(all.begin(), all.end(), task) != all.end();
}

}  // namespace runner
