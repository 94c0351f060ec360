// Expands frozen sweeps, aggregates and writes their tables.
#include "runner/directory_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "results/figures.hpp"
#include "results/file_names.hpp"
#include "results/tables.hpp"
#include "runner/figure_drawing.hpp"
#include "runner/models_list.hpp"
#include "runner/row_pictures.hpp"
#include "runner/shell_text.hpp"
#include "runner/worker_use.hpp"
#include "storage/abandoned_files.hpp"

namespace runner {
namespace {

/// How many of the table's jobs have results that differ, in words; nothing for none.
std::string contested_of(const sweeps::Plan& plan, const sweeps::PlannedTable& table,
                         const std::set<sweeps::JobKey>& contested) {
  std::set<std::size_t> found;
  for (const auto& row : table.rows) {
    for (const auto& cell : row.cells) {
      for (const std::size_t job : cell.jobs) {
        if (contested.contains(plan.keys.at(job))) found.insert(job);
      }
    }
  }
  if (found.empty()) return "";
  return found.size() == 1
             ? "1 job has results that differ, of which the first directory's counts"
             : fmt::format("{} jobs have results that differ, of which the first directory's count", found.size());
}

results::PageFacts with_figures(results::PageFacts page, const DrawnFigures& drawn) {
  for (const auto& figure : drawn.figures) {
    const auto svg = drawn.svg.find(figure.name);
    if (svg == drawn.svg.end()) continue;
    auto& figures = figure.table.empty() ? page.row_figures : page.figures;
    figures.push_back({figure.table, figure.name, figure.title, figure.caption, svg->second});
  }
  page.why_no_figures = drawn.why_not;
  return page;
}

/// What is said of dumps that are not drawn, as Markdown: as code, whatever their folder is called.
std::string notes_index(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += "\n    " + note + "\n";
  return text;
}

bool is_same(const FrozenSweep& one, const FrozenSweep& other) {
  return one.sweep.name == other.sweep.name && one.sweep.text == other.sweep.text && one.classes == other.classes;
}

}  // namespace

DirectoryReport make_report(const RunFile& file, const results::Ledger& ledger,
                            const std::vector<results::Contested>& contested_jobs, results::Mixed mixed) {
  DirectoryReport report;
  std::set<sweeps::JobKey> contested;
  for (const auto& job : contested_jobs) contested.insert(job.key);
  for (const auto& frozen : file.sweeps) {
    report.page.sweeps.push_back(frozen.sweep.name);
    report.plans.push_back(sweeps::expand(frozen.sweep, frozen.classes));
    const sweeps::Plan& plan = report.plans.back();
    for (const auto& table : plan.tables) {
      report.tables.push_back(results::aggregate(plan, table, ledger, mixed));
      const std::string note = contested_of(plan, table, contested);
      if (!note.empty()) report.tables.back().mixed.push_back(note);
    }
  }
  return report;
}

results::PageRun page_run(const std::filesystem::path& directory, const RunFacts& facts) {
  results::PageRun run{directory.string(), facts.version, facts.host, facts.started, "", {}};
  for (const auto& word : facts.command) run.command += (run.command.empty() ? "" : " ") + shell_word(word);
  for (const auto& place : facts.workers) {
    const std::string gpu = place.gpu.empty() ? "" : fmt::format(", GPU {} ({})", place.gpu_name, place.gpu);
    run.workers.push_back(fmt::format("worker {}: {}, {} {}{}", place.worker, place.host, place.threads,
                                      place.threads == 1 ? "thread" : "threads", gpu));
  }
  return run;
}

std::filesystem::path write_report(const std::filesystem::path& folder, const DirectoryReport& report,
                                   const results::Ledger& ledger) {
  storage::remove_abandoned_temporaries(folder);  // of a report that was killed
  const auto names = results::file_names_of(report.tables);
  auto rows = row_pictures(report.directories, folder, report.plans, ledger, report.seconds_for_dumps);
  auto figures = results::figures_of(report.tables, names, report.plans, ledger);
  std::move(rows.figures.begin(), rows.figures.end(), std::back_inserter(figures));
  const auto drawn = draw_figures(folder, std::move(figures));
  auto page = with_figures(report.page, drawn);
  page.row_notes = rows.notes;
  results::write_report(folder, report.tables, report.plans, ledger, report.worker_uses,
                        figures_index(drawn) + notes_index(rows.notes), std::move(page));
  write_models_list(folder, report.directories, report.plans, ledger);
  return folder / "index.html";
}

std::filesystem::path write_directory_report(const std::filesystem::path& directory, const RunFile& file,
                                             const results::Ledger& ledger, double seconds_for_dumps) {
  auto report = make_report(file, ledger);
  report.directories = {directory.string()};
  report.seconds_for_dumps = seconds_for_dumps;
  report.worker_uses = collected_worker_uses({directory});
  report.page.runs = {page_run(directory, file.facts)};
  return write_report(directory / "report", report, ledger);
}

RunFile merge_sweeps(const std::vector<RunFile>& files) {
  RunFile merged;
  for (const RunFile& file : files) {
    for (const FrozenSweep& frozen : file.sweeps) {
      const bool is_known = std::any_of(merged.sweeps.begin(), merged.sweeps.end(),
                                        [&](const FrozenSweep& known) { return is_same(known, frozen); });
      if (!is_known) merged.sweeps.push_back(frozen);
    }
  }
  return merged;
}

}  // namespace runner
