// DIR/report from DIR/run.json and DIR/journal.jsonl alone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/journal.hpp"
#include "results/statistics.hpp"
#include "runner/run_file.hpp"

namespace runner {

/// Every table of every sweep of the directory, in order.
std::vector<results::Table> aggregate_all(const RunFile& file, const results::Ledger& ledger);

/// Writes the report and returns its index file.
std::filesystem::path write_directory_report(const std::filesystem::path& directory, const RunFile& file,
                                             const results::Ledger& ledger);

}  // namespace runner
