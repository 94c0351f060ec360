// From epochs of single runs to the numbers of a table. Full precision throughout; nothing is rounded here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/journal.hpp"
#include "results/weights_use.hpp"
#include "sweeps/published_tables.hpp"
#include "sweeps/sweep.hpp"

namespace results {

/// Mean and sample standard deviation (ddof = 1); std is absent for n < 2, mean for n = 0.
struct Summary {
  std::size_t n = 0;
  std::optional<double> mean;
  std::optional<double> std_dev;
};
Summary summarise(const std::vector<double>& values);

/// AUROC of one run in percent in a mode (gap: a difference of two, in points of percent); absent where undefined.
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
/// One number of a cell or of a row's mean, in one mode. Percent, whatever the table prints.
struct Value {
  Summary summary;  ///< n: runs, or seeds where classes are averaged within each seed
  /// The highest run, of a best_of row over all its values; of several classes, of their means. In mode gap that of
  /// best less that of last. A row's mean: the mean of its cells' maxima.
  std::optional<double> max;
  std::string chosen = {};  ///< best_of: the value that this mode takes, e.g. "10"; empty where none is complete
  std::size_t planned = 0;  ///< as many as summary.n would be if all were there; best_of: of the chosen value
};
/// What a printed number of the paper says of ours. Mode best only.
struct Verdict {
  enum class Kind {
    inside,     ///< 0 is in the 95 % interval of the difference
    outside,    ///< it is not
    no_spread,  ///< either side has no standard deviation, or n < 2: a difference only
    withheld,   ///< not comparable: `why`
    no_number,  ///< nothing of ours is there yet
  };
  Kind kind = Kind::no_number;
  std::optional<double> difference = {};  ///< ours - published, in points of percent; absent: withheld, no_number
  std::optional<double> low = {};         ///< Welch's 95 % interval of the difference
  std::optional<double> high = {};
  std::optional<double> max_difference = {};  ///< Statistic::mean_and_max: the maximum - published
  /// withheld: "reduced", "substituted", ...; no_spread: "no spread published", "1 run"; else how incomplete, or "".
  std::string why = {};
};
/// A number of the paper, in percent.
struct Published {
  double mean = 0;
  std::optional<double> std_dev = {};
  std::size_t n = 0;                ///< runs behind it; 0: unknown (another paper's)
  bool bold = false;                ///< printed bold
  std::vector<double> chosen = {};  ///< best_of: the paper's choice; several: a tie
};
struct Cell {
  CellCounts counts;
  std::vector<Value> by_mode;  ///< one per mode of the table
  WeightsUse weights;          ///< of its counted runs
  std::optional<Published> published = {};
  std::optional<Verdict> verdict = {};  ///< where something is published and the row is not only printed
  bool bold = false;                    ///< ours is the highest of its column, by the paper's rule, in mode best
  std::vector<std::string> mixed = {};  ///< "devices cpu, cuda": what its runs differ in, though allowed
};
/// A planned run that is in no mean, and why.
struct Uncounted {
  enum class Why { diverged, failed, undefined, missing };
  Why why = Why::missing;
  std::string column;
  std::optional<std::uint64_t> seed;  ///< absent where nothing is seeded
  std::string detail;                 ///< diverged: the epoch; failed: the cause; undefined: the reason; missing: ""
  std::string choice = {};            ///< best_of: "lambda 10", what it is of
};
struct Row {
  std::string name;
  bool reduced = false;  ///< its dimension is not the paper's
  bool in_paper = true;
  bool seeded = true;         ///< its numbers have a spread over seeds
  bool departs = false;       ///< its trainings are not at the paper's settings, see departures_of
  std::string group = {};     ///< heading that it stands under
  bool only_printed = false;  ///< another paper's numbers: no runs, no cells' values
  std::string best_of = {};   ///< axis of which each class takes its best value
  sweeps::Statistic statistic = sweeps::Statistic::mean;
  const sweeps::PublishedRow* published = nullptr;
  std::vector<Cell> cells;  ///< one per column
  /// Classes averaged within each seed, then mean and std over the seeds that are complete in every class; n counts
  /// those seeds. Empty where the table's columns are chosen.
  std::vector<Value> mean_by_mode;
  std::optional<Published> published_mean = {};
  std::optional<Verdict> mean_verdict = {};
  bool mean_bold = false;
  std::vector<std::string> mean_mixed = {};  ///< as Cell::mixed, of the runs of all its cells together
  std::size_t seeds_planned = 0;
  std::optional<double> last_mean;   ///< mean_by_mode's mean for the last epoch, whatever the table's modes
  CellCounts total;                  ///< over all cells
  std::vector<Uncounted> uncounted;  ///< by column, then seed
  WeightsUse weights;                ///< of its counted runs
  bool substitute = false;           ///< its backbone stands in for the one that the sweep names
  /// Its numbers, where there are any, may be held against the paper's: false for a baseline, for trainings that depart
  /// from the paper's settings, where a counted run rests on weights that are not the paper's, and in a table with
  /// substitutes or images left out. Whoever gives a verdict on reproduction withholds it where this is false.
  bool comparable = true;
  bool trains_on_images = false;        ///< a baseline that trains a network of its own: rotation
  std::string why_not_comparable = {};  ///< "reduced", "substituted", "images left out", ...; empty where it is
};
/// Two rows on the same classes: per class the mean over seeds of the difference of runs with one seed.
struct Comparison {
  sweeps::Mode mode = sweeps::Mode::best;
  std::string first, second;                   ///< names of rows
  std::size_t classes = 0;                     ///< that both have paired runs of
  std::optional<double> mean_difference = {};  ///< first - second over the classes, points of percent
  std::size_t higher = 0, lower = 0;           ///< classes in which the first is higher, lower
  std::size_t pairs = 0, pairs_planned = 0;    ///< of runs with one class and seed, over all classes
  bool too_few = false;                        ///< fewer than 6 classes: no test
  bool exact = false;                          ///< of the p-value; else the normal approximation
  std::optional<double> p = {};                ///< two-sided Wilcoxon signed-rank over the classes
  std::optional<double> p_adjusted = {};       ///< Holm's over the comparisons of the table in this mode
  std::size_t family = 0;                      ///< how many those are
  std::vector<std::string> mixed = {};         ///< what the two rows' runs were computed by, where that differs
};
/// How many numbers of a table lie how to the paper's; means over classes are not among them.
struct VerdictCounts {
  std::size_t inside = 0, outside = 0, no_spread = 0, withheld = 0, no_number = 0;
};
struct Table {
  std::string id, title;
  std::vector<std::string> datasets;  ///< one, or of chosen columns several
  std::vector<std::string> columns;
  std::vector<sweeps::Mode> modes;
  std::vector<Row> rows;
  /// Facts about the jobs for the caption, e.g. "dimension 384 (reduced)", "epochs 2", "device cpu, 1 thread".
  std::vector<std::string> settings;
  std::vector<std::string> departures;                     ///< of all its trainings, see departures_of
  std::vector<std::string> left_out = {};                  ///< "2 of 20 train images", because they cannot be read
  sweeps::Columns columns_are = sweeps::Columns::classes;  // these as in sweeps::TableSpec
  sweeps::Metric metric = sweeps::Metric::percent;
  int decimals = 1;
  int mean_decimals = 1;
  bool bold = false;
  bool transposed = false;
  const sweeps::PublishedTable* published = nullptr;
  std::string scale = {};
  std::vector<Comparison> comparisons = {};  ///< by mode, then in the order of the rows
  VerdictCounts verdicts = {};
  std::vector<std::string> mixed = {};  ///< what cells mix, for a note; only where that is allowed

  /// As printed above its column: "Plane" where the paper says so, else the class.
  std::string column_title(std::size_t column) const;
};

/// Aggregates a planned table from what is committed. Never throws for incomplete tables. Jobs of one cell that ran on
/// different device kinds, thread counts or feature sets are a storage::Error naming the cell.
/// With Mixed::allowed they are marked instead.
enum class Mixed { refused, allowed };
Table aggregate(const sweeps::Plan& plan, const sweeps::PlannedTable& table, const Ledger& ledger,
                Mixed mixed = Mixed::refused);

}  // namespace results
