// report/index.html: everything of a report in one file, which needs no network, no script and no other file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/html_table.hpp"
#include "results/journal.hpp"
#include "results/statistics.hpp"
#include "sweeps/sweep.hpp"

namespace results {

/// How a directory's last run was started; from run.json.
struct PageRun {
  std::string directory, version, host;
  std::string started;               ///< UTC
  std::string command;               ///< as typed
  std::vector<std::string> workers;  ///< "worker 1: host node17, 8 threads, GPU NVIDIA H100 (GPU-...)"
};

/// What a page shows besides what is in the tables.
struct PageFacts {
  std::vector<std::string> sweeps;  ///< names
  std::vector<PageRun> runs;        ///< a directory each
  std::vector<PageFigure> figures;
  std::string why_no_figures = {};           ///< one line, of none or of some; "" where all are there
  std::vector<std::string> files = {};       ///< of the report beside the page, relative to it
  std::vector<PageFigure> row_figures = {};  ///< of dumps (row_figures.hpp); they belong to no table
  std::vector<std::string> row_notes = {};   ///< plain text: which dumps are not drawn, and why
};

/// `names`: of the tables' files, one each. Times, hosts and paths are in it: it is the only file of a report, with
/// workers.csv, that two runs of the same sweep do not have in common.
std::string page_of(const std::vector<Table>& tables, const std::vector<std::string>& names,
                    const std::vector<sweeps::Plan>& plans, const Ledger& ledger, const PageFacts& facts);

}  // namespace results
