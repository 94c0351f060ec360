// Reads directories, merges what they hold and prints their tables.
#include "runner/report_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <utility>

#include "results/merge.hpp"
#include "results/tables.hpp"
#include "runner/directory_report.hpp"
#include "runner/progress.hpp"
#include "runner/run_file.hpp"
#include "runner/shares_directory.hpp"
#include "runner/unreadable.hpp"
#include "runner/worker_use.hpp"
#include "storage/error.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

/// A folder that its script or its run has made, and that has neither jobs nor results yet: why; "" for any other.
std::string why_without_jobs(const fs::path& directory) {
  std::error_code error;
  const auto bytes = fs::file_size(directory / "journal.jsonl", error);
  const bool has_results = !error && bytes > 0;
  if (!fs::is_directory(directory, error) || !why_unreadable(directory).empty() || is_there(directory / "run.json") ||
      has_results)
    return "";
  try {
    refuse_a_folder_of_something_else(directory);
  } catch (const storage::UsageError&) {
    return "";
  }
  return is_there(directory / "status.json") ? "its run has not come to its jobs" : "no run has begun there";
}

/// No two the same under another name: its runs would be counted as merged.
void refuse_twice(const std::vector<std::string>& directories) {
  for (std::size_t i = 0; i < directories.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!fs::equivalent(directories[i], directories[j])) continue;
      throw storage::UsageError(
          directories[i] == directories[j]
              ? fmt::format("{}: given twice; give each directory once", directories[i])
              : fmt::format("{}: the same directory as {}; give it once", directories[i], directories[j]));
    }
  }
}

/// Those that have a run. Of several, where at least one has, those without jobs yet are left out, aloud.
std::vector<std::string> directories_of_runs(const std::vector<std::string>& directories) {
  std::vector<std::string> runs, left_out;
  for (const auto& directory : directories) {
    if (const auto shares = shares_in(directory)) {
      throw storage::UsageError(fmt::format("{}: a directory of shares, each of which is a run; give them all: {}",
                                            directory, report_of_shares(directory, *shares)));
    }
    const auto why = why_without_jobs(directory);
    if (why.empty()) {
      runs.push_back(existing_run(directory));
    } else {
      left_out.push_back(fmt::format("{}: {}; its jobs count as missing", directory, why));
    }
  }
  if (runs.empty()) existing_run(directories.front());
  refuse_twice(directories);
  for (const auto& line : left_out) std::cerr << "plume-bench: " << line << std::endl;
  return runs;
}

/// Where the report is written: never over the files of a run.
fs::path report_folder(const ReportQuestion& question) {
  if (!question.out) {
    if (question.directories.size() == 1) return fs::path(question.directories.front()) / "report";
    throw storage::UsageError(
        fmt::format("--out: missing; the report of {} directories needs a folder of its own, e.g. --out merged",
                    question.directories.size()));
  }
  if (question.out->empty()) throw storage::UsageError("--out: expected a folder for the report, found \"\"");
  if (is_there(fs::path(*question.out) / "run.json")) {
    throw storage::UsageError(fmt::format(
        "--out {0}: the directory of a run; give the report a folder of its own, e.g. {0}/report", *question.out));
  }
  for (const auto& directory : question.directories) {
    std::error_code error;
    if (!fs::equivalent(directory, *question.out, error)) continue;
    throw storage::UsageError(
        fmt::format("--out {}: one of the directories that are read; give the report a folder of its own", directory));
  }
  return *question.out;
}

void say_contested(const std::vector<results::Contested>& contested) {
  if (contested.empty()) return;
  std::cout << "Note: " << contested.front().message;
  if (contested.size() > 1) std::cout << fmt::format(" (and {} jobs more)", contested.size() - 1);
  std::cout << "; the first directory's count\n";
}

}  // namespace

int print_report(const ReportQuestion& question) {
  const fs::path folder = report_folder(question);
  const auto directories = directories_of_runs(question.directories);
  std::vector<RunFile> files;
  std::vector<results::Source> sources;
  for (const std::string& directory : directories) {
    files.push_back(read_run_file(directory));
    auto replay = results::replay_journal(fs::path(directory) / "journal.jsonl", results::Engines::readable);
    sources.push_back({directory, std::move(replay.ledger)});
  }
  const auto mixed = question.allow_mixed ? results::Mixed::allowed : results::Mixed::refused;
  const results::Merged merged = results::merge(std::move(sources), mixed);
  DirectoryReport report = make_report(merge_sweeps(files), merged.ledger, merged.contested, mixed);
  for (std::size_t i = 0; i < files.size(); ++i) report.page.runs.push_back(page_run(directories[i], files[i].facts));
  report.worker_uses = collected_worker_uses({directories.begin(), directories.end()});
  const auto width = terminal_width(fileno(stdout));
  for (const auto& table : report.tables) std::cout << results::to_terminal(table, width) << "\n";
  say_contested(merged.contested);
  std::cout << "Report: " << write_report(folder, report, merged.ledger).string() << std::endl;
  return 0;
}

}  // namespace runner
