// The tables of directories from their run.json and journal.jsonl alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/journal.hpp"
#include "results/merge.hpp"
#include "results/page.hpp"
#include "results/statistics.hpp"
#include "runner/run_file.hpp"

namespace runner {

/// What a report is made of besides a ledger, and its tables.
struct DirectoryReport {
  std::vector<sweeps::Plan> plans;               ///< of the sweeps, in order
  std::vector<results::Table> tables;            ///< every table of every plan, in order
  std::string worker_uses = {};                  ///< see collected_worker_uses
  results::PageFacts page = {};                  ///< sweeps and runs; whoever has several directories adds theirs
  std::vector<std::string> directories = {};     ///< whose dumps are drawn
  std::optional<double> seconds_for_dumps = {};  ///< absent: as long as it takes
};

/// Every table of every sweep, in order. Tables with contested jobs say so.
DirectoryReport make_report(const RunFile& file, const results::Ledger& ledger,
                            const std::vector<results::Contested>& contested = {},
                            results::Mixed mixed = results::Mixed::refused);

/// How a directory was run last, for the page.
results::PageRun page_run(const std::filesystem::path& directory, const RunFacts& facts);

/// Writes the report's files under `folder` and returns its page.
std::filesystem::path write_report(const std::filesystem::path& folder, const DirectoryReport& report,
                                   const results::Ledger& ledger);

/// Of a run that ends: others may wait for its processors, or its allocation may end.
inline constexpr double kSecondsForDumps = 20;

/// The report of one run, into its directory/report; dumps are drawn for at most `seconds_for_dumps`.
std::filesystem::path write_directory_report(const std::filesystem::path& directory, const RunFile& file,
                                             const results::Ledger& ledger, double seconds_for_dumps);

/// The sweeps of several directories in the order of the directories: those of one name, text and classes once, any
/// other with tables of its own.
RunFile merge_sweeps(const std::vector<RunFile>& files);

}  // namespace runner
