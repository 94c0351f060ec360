// Lines of CSV, appended run by run and put together for reports.
#include "runner/worker_use.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/csv.hpp"
#include "runner/progress.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/file_lines.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kColumns =
    "started,worker,host,gpu,threads,seconds,training_seconds,features_seconds,idle_share\n";

std::string line_of(const std::string& started, const WorkerUse& use) {
  return fmt::format("{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.4f}\n", started, use.worker, results::csv_field(use.host),
                     results::csv_field(use.gpu), use.threads, use.seconds, use.training, use.features,
                     use.idle_share());
}

/// The file's lines behind its header; none where it is not there.
std::string lines_in(const fs::path& file, const std::string& before_each) {
  std::string text;
  std::error_code error;
  if (!fs::exists(file, error)) return text;
  constexpr std::size_t kLongestLine = 4096;
  storage::FileLines lines(file, 0, kLongestLine);
  while (const auto line = lines.next()) {
    const bool is_use =
        line->has_newline && !line->text.empty() && line->text.front() >= '0' && line->text.front() <= '9';
    if (is_use) text.append(before_each).append(line->text).append("\n");
  }
  return text;
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

}  // namespace

double WorkerUse::idle_share() const {
  return seconds > 0 ? std::clamp(1 - (training + features) / seconds, 0.0, 1.0) : 0.0;
}

fs::path worker_uses_file(const fs::path& directory) {
  return directory / "workers.csv";
}

void append_worker_uses(const fs::path& directory, const std::string& started, const std::vector<WorkerUse>& uses) {
  if (uses.empty()) return;
  const auto file = worker_uses_file(directory);
  std::string text = kColumns + lines_in(file, "");
  for (const auto& use : uses) text += line_of(started, use);
  storage::write_atomically(file, text);
}

std::string collected_worker_uses(const std::vector<fs::path>& directories) {
  std::string text;
  for (const auto& directory : directories) {
    try {
      text += lines_in(worker_uses_file(directory), results::csv_field(directory.string()) + ",");
    } catch (const storage::Error&) {  // no reason to have no tables
    }
  }
  return text.empty() ? text : std::string("directory,") + kColumns + text;
}

std::string in_words(const std::vector<WorkerUse>& uses) {
  double there = 0, at_work = 0;
  const WorkerUse* most = nullptr;
  for (const auto& use : uses) {
    there += use.seconds;
    at_work += use.training + use.features;
    if (most == nullptr || use.idle_share() > most->idle_share()) most = &use;
  }
  if (there <= 0) return "";
  const auto all = percent(std::clamp(1 - at_work / there, 0.0, 1.0));
  if (uses.size() == 1) return fmt::format("the worker was idle {} of {}", all, duration_text(there));
  return fmt::format("workers were idle {} of {} worker-time (worker {} on {} most: {})", all, duration_text(there),
                     most->worker, most->host, percent(most->idle_share()));
}

}  // namespace runner
