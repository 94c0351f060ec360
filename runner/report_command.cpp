// Makes the tables of what was read, prints and writes them.
#include "runner/report_command.hpp"

#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "results/tables.hpp"
#include "runner/directory_report.hpp"
#include "runner/models_list.hpp"
#include "runner/progress.hpp"
#include "runner/worker_use.hpp"
#include "storage/is_there.hpp"

namespace runner {

int print_report(const ReportQuestion& question) {
  const std::filesystem::path folder = folder_of(question, "report");
  const ReadRuns read = read_runs(question, "report");
  const results::Merged& merged = read.merged;
  const auto mixed = question.allow_mixed ? results::Mixed::allowed : results::Mixed::refused;
  DirectoryReport report = make_report(read.file, merged.ledger, merged.contested, mixed);
  for (std::size_t i = 0; i < read.directories.size(); ++i)
    report.page.runs.push_back(page_run(read.directories[i], read.facts[i]));
  report.directories = read.directories;
  report.worker_uses = collected_worker_uses({read.directories.begin(), read.directories.end()});
  const auto width = terminal_width(fileno(stdout));
  for (const auto& table : report.tables) std::cout << results::to_terminal(table, width) << "\n";
  say_contested(merged.contested);
  std::cout << "Report: " << write_report(folder, report, merged.ledger).string() << std::endl;
  if (const auto models = models_list(folder); storage::is_there(models))
    std::cout << "Models: " << models.string() << std::endl;
  return 0;
}

}  // namespace runner
