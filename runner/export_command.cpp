// The CSV files grow by the lines of a job at a time: those of a large sweep fit no memory.
#include "runner/export_command.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "results/job_columns.hpp"
#include "results/planned_runs.hpp"
#include "results/result_arrays.hpp"
#include "results/run_records.hpp"
#include "runner/directory_report.hpp"
#include "storage/abandoned_files.hpp"
#include "storage/atomic_file.hpp"

namespace runner {
namespace {

/// "36 jobs: 30 finished, 6 missing; 540 epochs".
std::string counts_in_words(const std::vector<results::PlannedRun>& runs) {
  std::map<std::string, std::size_t> counts;
  std::size_t epochs = 0;
  for (const auto& run : runs) {
    ++counts[results::outcome_of(run)];
    if (run.done != nullptr) epochs += run.done->result.epochs.size();
  }
  std::string text;
  for (const char* outcome : {"finished", "diverged", "failed", "missing"}) {
    if (counts[outcome] > 0) text += fmt::format("{} {} {}", text.empty() ? ":" : ",", counts[outcome], outcome);
  }
  return fmt::format("{} job{}{}; {} epoch{}", runs.size(), runs.size() == 1 ? "" : "s", text, epochs,
                     epochs == 1 ? "" : "s");
}

template <typename Write>
std::string write_lines(const std::filesystem::path& file, Write write) {
  storage::ReplacingFile lines(file);
  write([&](std::string_view some) { lines.append(some); });
  lines.publish();
  return file.string();
}

}  // namespace

int write_export(const ReportQuestion& question) {
  const std::filesystem::path folder = folder_of(question, "export");
  const ReadRuns read = read_runs(question, "export");
  const auto mixed = question.allow_mixed ? results::Mixed::allowed : results::Mixed::refused;
  // Its tables are not written, but what may not be in one of them is refused, as by `report`.
  const DirectoryReport report = make_report(read.file, read.merged.ledger, read.merged.contested, mixed);
  storage::remove_abandoned_temporaries(folder);  // of an export that was killed
  const auto runs = results::planned_runs(report.plans, read.merged.ledger);
  const auto epochs = write_lines(folder / "epochs.csv", [&](const auto& take) { results::write_epochs(runs, take); });
  const auto jobs = write_lines(folder / "jobs.csv", [&](const auto& take) { results::write_jobs(runs, take); });
  results::write_result_arrays(folder / "results.h5", runs);
  say_contested(read.merged.contested);
  std::cout << fmt::format("{}\nJobs: {}\nEpochs: {}\nArrays: {}\n", counts_in_words(runs), jobs, epochs,
                           (folder / "results.h5").string());
  return 0;
}

}  // namespace runner
