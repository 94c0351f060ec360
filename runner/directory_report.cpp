// Aggregates and writes all tables of a directory.
#include "runner/directory_report.hpp"

#include "results/tables.hpp"

namespace runner {

std::vector<results::Table> aggregate_all(const RunFile& file, const results::Ledger& ledger) {
  std::vector<results::Table> tables;
  for (const auto& frozen : file.sweeps) {
    const auto plan = sweeps::expand(frozen.sweep, frozen.classes);
    for (const auto& table : plan.tables) tables.push_back(results::aggregate(plan, table, ledger));
  }
  return tables;
}

std::filesystem::path write_directory_report(const std::filesystem::path& directory, const RunFile& file,
                                             const results::Ledger& ledger) {
  results::write_report(directory / "report", aggregate_all(file, ledger));
  return directory / "report" / "index.md";
}

}  // namespace runner
