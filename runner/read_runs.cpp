// Looks at directories before it reads them, and merges what they hold.
#include "runner/read_runs.hpp"

#include <fmt/format.h>

#include <iostream>
#include <system_error>
#include <utility>

#include "runner/directory_report.hpp"
#include "runner/shares_directory.hpp"
#include "runner/unreadable.hpp"
#include "storage/error.hpp"
#include "storage/is_there.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

using storage::is_there;

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
std::vector<std::string> directories_of_runs(const std::vector<std::string>& directories, const std::string& what) {
  std::vector<std::string> runs, left_out;
  for (const auto& directory : directories) {
    if (const auto shares = shares_in(directory)) {
      throw storage::UsageError(fmt::format("{}: a directory of shares, each of which is a run; give them all: {}",
                                            directory, command_of_shares(what, directory, *shares)));
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

}  // namespace

fs::path folder_of(const ReportQuestion& question, const std::string& what) {
  if (!question.out) {
    if (question.directories.size() == 1) return fs::path(question.directories.front()) / "report";
    throw storage::UsageError(
        fmt::format("--out: missing; the {} of {} directories needs a folder of its own, e.g. --out merged", what,
                    question.directories.size()));
  }
  if (question.out->empty()) {
    throw storage::UsageError(fmt::format("--out: expected a folder for the {}, found \"\"", what));
  }
  if (is_there(fs::path(*question.out) / "run.json")) {
    throw storage::UsageError(fmt::format(
        "--out {0}: the directory of a run; give the {1} a folder of its own, e.g. {0}/report", *question.out, what));
  }
  for (const auto& directory : question.directories) {
    std::error_code error;
    if (!fs::equivalent(directory, *question.out, error)) continue;
    throw storage::UsageError(fmt::format(
        "--out {}: one of the directories that are read; give the {} a folder of its own", directory, what));
  }
  return *question.out;
}

ReadRuns read_runs(const ReportQuestion& question, const std::string& what) {
  ReadRuns read;
  read.directories = directories_of_runs(question.directories, what);
  std::vector<RunFile> files;
  std::vector<results::Source> sources;
  for (const std::string& directory : read.directories) {
    files.push_back(read_run_file(directory));
    read.facts.push_back(files.back().facts);
    auto replay = results::replay_journal(fs::path(directory) / "journal.jsonl", results::Engines::readable);
    sources.push_back({directory, std::move(replay.ledger)});
  }
  read.merged =
      results::merge(std::move(sources), question.allow_mixed ? results::Mixed::allowed : results::Mixed::refused);
  read.file = merge_sweeps(files);
  return read;
}

void say_contested(const std::vector<results::Contested>& contested) {
  if (contested.empty()) return;
  std::cout << "Note: " << contested.front().message;
  if (contested.size() > 1) std::cout << fmt::format(" (and {} jobs more)", contested.size() - 1);
  std::cout << "; the first directory's count\n";
}

}  // namespace runner
