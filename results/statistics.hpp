// From epochs of single runs to the numbers of a table. Full precision throughout; nothing is rounded here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/journal.hpp"
#include "results/weights_use.hpp"
#include "sweeps/sweep.hpp"

namespace results {

/// Mean and sample standard deviation (ddof = 1); std is absent for n < 2, mean for n = 0.
struct Summary {
  std::size_t n = 0;
  std::optional<double> mean;
  std::optional<double> std_dev;
};
Summary summarise(const std::vector<double>& values);

/// AUROC of one run in percent in a mode: best = earliest maximum over epochs, last = last epoch; absent where
/// undefined.
std::optional<double> auc_percent(const JobResult& result, sweeps::Mode mode);

/// How a cell's jobs stand.
struct CellCounts {
  std::size_t planned = 0;
  std::size_t finished = 0;  ///< counted in the mean
  std::size_t diverged = 0;  ///< committed, in no mean
  std::size_t failed = 0;
  std::size_t undefined = 0;  ///< finished, but their AUROC is undefined
  std::size_t missing() const { return planned - finished - diverged - failed - undefined; }
  bool complete() const { return finished == planned; }
};
struct Cell {
  CellCounts counts;
  std::vector<Summary> by_mode;  ///< in percent, one per mode of the table
  WeightsUse weights;            ///< of its counted runs
};
/// A planned run that is in no mean, and why.
struct Uncounted {
  enum class Why { diverged, failed, undefined, missing };
  Why why = Why::missing;
  std::string column;
  std::optional<std::uint64_t> seed;  ///< absent where nothing is seeded
  std::string detail;                 ///< diverged: the epoch; failed: the cause; undefined: the reason; missing: ""
};
struct Row {
  std::string name;
  bool reduced = false;  ///< its dimension is not the paper's
  bool in_paper = true;
  bool seeded = true;       ///< its numbers have a spread over seeds
  bool departs = false;     ///< its trainings are not at the paper's settings, see departures_of
  std::vector<Cell> cells;  ///< one per column
  /// Classes averaged within each seed, then mean and std over the seeds that are complete in every class; n counts
  /// those seeds.
  std::vector<Summary> mean_by_mode;
  std::size_t seeds_planned = 0;
  std::optional<double> last_mean;   ///< mean_by_mode's mean for the last epoch, whatever the table's modes
  CellCounts total;                  ///< over all cells
  std::vector<Uncounted> uncounted;  ///< by column, then seed
  WeightsUse weights;                ///< of its counted runs
  /// Its numbers, where there are any, may be held against the paper's: false for a baseline, for trainings that depart
  /// from the paper's settings, where a counted run rests on weights that are not the paper's, and in a table with
  /// substitutes or images left out. Whoever gives a verdict on reproduction withholds it where this is false.
  bool comparable = true;
};
struct Table {
  std::string id, title, dataset;
  std::vector<std::string> columns;
  std::vector<sweeps::Mode> modes;
  std::vector<Row> rows;
  /// Facts about the jobs for the caption, e.g. "dimension 384 (reduced)", "epochs 2", "device cpu, 1 thread".
  std::vector<std::string> settings;
  std::vector<std::string> departures;     ///< of all its trainings, see departures_of
  std::vector<std::string> left_out = {};  ///< "2 of 20 train images", because they cannot be read
};

/// Aggregates a planned table from what is committed. Never throws for incomplete tables. Jobs of one cell that ran on
/// different device kinds, thread counts or feature sets are a storage::Error naming the cell.
Table aggregate(const sweeps::Plan& plan, const sweeps::PlannedTable& table, const Ledger& ledger);

}  // namespace results
