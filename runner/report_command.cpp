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
#include "storage/error.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// Each the directory of a run, and no two the same under another name: its runs would be counted as merged.
void check_directories(const std::vector<std::string>& directories) {
  for (std::size_t i = 0; i < directories.size(); ++i) {
    if (const auto shares = shares_in(directories[i])) {
      throw storage::UsageError(fmt::format("{}: a directory of shares, each of which is a run; give them all: {}",
                                            directories[i], report_of_shares(directories[i], *shares)));
    }
    existing_run(directories[i]);
    for (std::size_t j = 0; j < i; ++j) {
      if (!fs::equivalent(directories[i], directories[j])) continue;
      throw storage::UsageError(
          directories[i] == directories[j]
              ? fmt::format("{}: given twice; give each directory once", directories[i])
              : fmt::format("{}: the same directory as {}; give it once", directories[i], directories[j]));
    }
  }
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
  if (fs::exists(fs::path(*question.out) / "run.json")) {
    throw storage::UsageError(fmt::format(
        "--out {0}: the directory of a run; give the report a folder of its own, e.g. {0}/report", *question.out));
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
  check_directories(question.directories);
  const fs::path folder = report_folder(question);
  std::vector<RunFile> files;
  std::vector<results::Source> sources;
  for (const std::string& directory : question.directories) {
    files.push_back(read_run_file(directory));
    auto replay = results::replay_journal(fs::path(directory) / "journal.jsonl", results::Engines::readable);
    sources.push_back({directory, std::move(replay.ledger)});
  }
  const auto mixed = question.allow_mixed ? results::Mixed::allowed : results::Mixed::refused;
  const results::Merged merged = results::merge(std::move(sources), mixed);
  const DirectoryReport report = make_report(merge_sweeps(files), merged.ledger, merged.contested, mixed);
  const auto width = terminal_width(fileno(stdout));
  for (const auto& table : report.tables) std::cout << results::to_terminal(table, width) << "\n";
  say_contested(merged.contested);
  std::cout << "Report: " << write_report(folder, report, merged.ledger).string() << std::endl;
  return 0;
}

}  // namespace runner
