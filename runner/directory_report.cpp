// Aggregates and writes all tables of a directory.
#include "runner/directory_report.hpp"

#include "results/tables.hpp"

namespace runner {

namespace {

std::vector<sweeps::Plan> plans_of(const RunFile& file) {
  std::vector<sweeps::Plan> plans;
  for (const auto& frozen : file.sweeps) plans.push_back(sweeps::expand(frozen.sweep, frozen.classes));
  return plans;
}

std::vector<results::Table> tables_of(const std::vector<sweeps::Plan>& plans, const results::Ledger& ledger) {
  std::vector<results::Table> tables;
  for (const auto& plan : plans) {
    for (const auto& table : plan.tables) tables.push_back(results::aggregate(plan, table, ledger));
  }
  return tables;
}

}  // namespace

std::vector<results::Table> aggregate_all(const RunFile& file, const results::Ledger& ledger) {
  return tables_of(plans_of(file), ledger);
}

std::filesystem::path write_directory_report(const std::filesystem::path& directory, const RunFile& file,
                                             const results::Ledger& ledger) {
  const std::vector<sweeps::Plan> plans = plans_of(file);
  results::write_report(directory / "report", tables_of(plans, ledger), plans, ledger);
  return directory / "report" / "index.md";
}

}  // namespace runner
