// Sweep files: blocks of axes and tables made of them, read strictly. See sweeps/README.md for the language.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweeps/job.hpp"
#include "sweeps/keep.hpp"

namespace sweeps {

/// Classes that are the normal class together, e.g. the satellites of SPARK.
struct NormalSet {
  std::string name;
  std::vector<std::string> classes;  ///< official names
  bool all_but = false;              ///< the data set's classes without `classes`

  auto operator<=>(const NormalSet&) const = default;
};

/// A split that a program makes: of each class, this share of the images is tested on, drawn by the seed.
struct SplitByShare {
  double test = 0.2;  ///< above 0, below 1
  std::uint64_t seed = 0;

  auto operator<=>(const SplitByShare&) const = default;
};

/// A data set as a sweep names it. Where it lies is no matter of a sweep (site file, --data).
struct DatasetSpec {
  std::string id;    ///< what blocks call it
  std::string kind;  ///< one of dataset_kinds()
  // synthetic only:
  std::uint64_t seed = 0;
  std::int64_t train_per_class = 400;
  std::int64_t test_per_class = 100;
  std::int64_t class_count = 6;
  bool upright = false;  ///< objects have a typical orientation
  // image-folder only:
  std::optional<SplitByShare> split = {};  ///< absent: folders train and test
  // spark2021 and spark2022 only:
  int size = 512;  ///< spark_size (method.md section 6): 512, or 32 for what the released code packs
  // kinds of image files (image-folder, spark2021, spark2022):
  double skip = 0;  ///< largest share of a split's images that may be left out because they cannot be read; below 1
  // any kind:
  std::vector<NormalSet> normal_sets = {};  ///< in the order of their names

  auto operator<=>(const DatasetSpec&) const = default;
};
/// "synthetic", "cifar10", "cifar100", "spark2021", "spark2022", "image-folder", "features".
const std::vector<std::string>& dataset_kinds();
/// Ids of the data sets that need no entry in "datasets": each is of the kind of its name.
const std::vector<std::string>& own_dataset_ids();
/// What a caption says of it beside its id, e.g. "size 512", "upright"; nothing where its kind says all.
std::vector<std::string> settings_in_words(const DatasetSpec& spec);
/// Canonical text of a spec, and its inverse.
std::string canonical_text(const DatasetSpec& spec);
DatasetSpec read_dataset_spec(const std::string& id, const storage::JsonValue& value);

/// `where` of a table's row or column, or an exclude rule: axis name -> the values that match, as JSON text ("5",
/// "\"linear-map\""). Columns and rules may name "class" too.
struct Selection {
  std::map<std::string, std::vector<std::string>> axes;
};
/// A rule of a block's "exclude" that names classes.
struct ExcludeRule {
  Selection where;
  std::string path;  ///< "blocks[2].exclude[0]", for messages
};
/// One combination of axes apart from the class: a job without its class; "classes" says which it is expanded over.
struct Block {
  std::vector<Job> jobs_without_class;  ///< every combination, in the order of the axes; normal_class empty
  std::vector<std::string> classes;     ///< empty: all classes of the data set
  std::string where;                    ///< "blocks[2]", for messages
  std::vector<ExcludeRule> exclude = {};
  /// Where there are such rules: what each of jobs_without_class stands for, as the file names it. One is dropped for a
  /// class only where all that it stands for is.
  std::vector<std::vector<Job>> stands_for = {};
  Keep keep = {};  ///< of each of its trainings
};

/// What a row makes of its runs: their mean and standard deviation, the highest of them, or both.
enum class Statistic { mean, max, mean_and_max };
struct TableRow {
  std::string name;
  Selection where = {};        ///< empty for a row that is only printed
  std::string group = {};      ///< heading that it stands under; rows of one group follow each other
  std::string published = {};  ///< id of its row of the published table; empty: none
  bool only_printed = false;   ///< published numbers of another paper ("literature"): no jobs
  std::string best_of = {};    ///< axis of which each class takes its best value, e.g. "lambda"; empty: none
  Statistic statistic = Statistic::mean;
};
/// A column that is not one class: jobs that match the row and the column. Its classes are averaged within each seed.
struct TableColumn {
  std::string name;
  Selection where;
};
/// best: earliest maximum over epochs on the test split; last: the last epoch; last_10: mean of the last
/// min(10, E) epochs; gap: best - last, the optimism of selecting on the test split.
enum class Mode { best, last, last_10, gap };
/// How numbers are printed: 84.5 or 0.85.
enum class Metric { percent, fraction };
enum class Columns {
  classes,  ///< one a class, and their mean
  mean,     ///< their mean only
  chosen,   ///< TableSpec::chosen, without a mean; of several data sets where each names its own
};
/// Which rows are tested against each other (Wilcoxon over the classes, Holm over the table's comparisons).
struct Compare {
  enum class With { pairs, one, none };
  With with = With::pairs;
  std::string row = {};  ///< With::one: every other row against it
};
struct TableSpec {
  /// Each chosen column names its data set, so that the columns may be of several; any other table is over one.
  bool spans_data_sets() const;

  std::string id;              ///< file name: letters, digits, '-', '_', '.'
  std::string title;           ///< empty: the id
  std::vector<TableRow> rows;  ///< empty in the file: those of the published table, or one for each setting
  Columns columns = Columns::classes;
  std::vector<std::string> classes = {};  ///< Columns::classes: their names; empty: all that its jobs have, in order
  std::vector<TableColumn> chosen = {};   ///< Columns::chosen
  std::vector<Mode> modes;                ///< default: all four
  Metric metric = Metric::percent;
  int decimals = 1;            ///< of cells
  int mean_decimals = 1;       ///< of the mean over classes
  bool bold = false;           ///< the highest number of each column is bold, by the paper's rule
  bool transposed = false;     ///< rows are printed as columns
  std::string published = {};  ///< id of a published table, whose numbers stand beside ours; empty: none
  Compare compare = {};
};

/// What stands in for what the file names: a backbone for a backbone, a data set for a data set, e.g. "resnet50" ->
/// "efficientnet-lite0". Whatever a block or a table's row names is replaced, so the jobs are others (their keys too).
using Substitutes = std::map<std::string, std::string>;

struct Sweep {
  std::string origin;  ///< the file, for messages
  std::string name;
  std::vector<DatasetSpec> datasets;  ///< those that blocks use, each once
  std::vector<Block> blocks;
  std::vector<TableSpec> tables;  ///< at least one; a sweep without "tables" gets one per data set
  Substitutes substitutes;
  std::string scale = {};  ///< "quick" or empty
  std::string text;        ///< the file's JSON with its substitutes and scale, canonical: what run.json freezes
};

/// Reads and checks a sweep; `substitutes` are added to those of its key "substitute", and `scale`, where given, takes
/// the place of its key "scale". Unknown keys, wrong types and values out of range are UsageErrors that name file, key,
/// what was expected and the nearest right word.
Sweep read_sweep(const std::filesystem::path& file, const Substitutes& substitutes = {}, const std::string& scale = "");
Sweep parse_sweep(std::string_view text, const std::string& origin, const Substitutes& substitutes = {},
                  const std::string& scale = "");

/// What may be the normal class of a data set's jobs.
struct NormalClasses {
  std::vector<std::string> classes;        ///< single ones, in official order
  std::vector<NormalSet> sets;             ///< with their classes listed in official order (no all_but)
  std::vector<std::string> left_out = {};  ///< of the data set, as far as it is scanned: "2 of 20 train images"

  bool operator==(const NormalClasses&) const = default;
};
/// By id of the data set; the caller knows them from the data. `"classes": "all"` means the sets where there are any.
using ClassNames = std::map<std::string, NormalClasses>;

/// One value of the axis that a row takes the best of.
struct PlannedChoice {
  std::string value;              ///< as text: "10"
  std::vector<std::size_t> jobs;  ///< as PlannedCell::jobs
};
struct PlannedCell {
  std::vector<std::size_t> jobs;            ///< indices into Plan::jobs, each once: by class, then choice, then seed
  std::vector<PlannedChoice> choices = {};  ///< of a row with best_of, the smaller first; empty otherwise
};
struct PlannedRow {
  std::string name;
  bool reduced = false;            ///< some job's dimension is not the paper's
  bool in_paper = true;            ///< false for baselines, k-means and rotation too
  bool seeded = false;             ///< its numbers have a spread over seeds (is_seeded)
  std::vector<PlannedCell> cells;  ///< one per column; empty for a row that is only printed
  std::string group = {};          // these as in TableRow
  std::string published = {};
  bool only_printed = false;
  std::string best_of = {};
  Statistic statistic = Statistic::mean;
  bool trains_on_images = false;  ///< a baseline that trains a network of its own: rotation
};
struct PlannedTable {
  std::string id;
  std::string title;
  std::vector<std::string> datasets;  ///< of its jobs: one, or where each chosen column names its own, by column
  std::vector<std::string> columns;   ///< names of classes or normal sets; Columns::chosen: of the columns
  std::vector<Mode> modes;
  std::vector<PlannedRow> rows;
  Substitutes substitutes = {};                                           ///< those of the sweep that its jobs are on
  std::map<std::string, std::vector<std::string>> dataset_settings = {};  ///< of each data set: settings_in_words
  std::vector<std::string> left_out = {};                                 ///< see NormalClasses
  Columns columns_are = Columns::classes;                                 // these as in TableSpec
  Metric metric = Metric::percent;
  int decimals = 1;       ///< of cells
  int mean_decimals = 1;  ///< of the mean over classes
  bool bold = false;
  bool transposed = false;
  std::string published = {};
  Compare compare = {};
  std::string scale = {};  ///< name of the scale that its sweep was run at, e.g. "quick"; empty: as written
};
struct Plan {
  std::vector<Job> jobs;     ///< distinct, in the order first named
  std::vector<JobKey> keys;  ///< of jobs
  std::vector<Keep> keep;    ///< of jobs: what blocks want of each, together
  std::vector<PlannedTable> tables;
};

/// Expands a sweep. A row whose jobs of one cell differ in anything but the seed, a row or class that matches nothing,
/// a table over two data sets of which its columns do not name each one, and an unknown class are UsageErrors naming
/// the table, row and the axis that tells the jobs apart.
Plan expand(const Sweep& sweep, const ClassNames& classes);

/// What each job is called among `jobs`, but for its data set, class and seed: perturbation and guidance, or the
/// method, and then what differs among them, e.g. "linear-map + full, lambda 5", "plad", "knn l2, k 2". Jobs of one
/// data set, class and seed that differ have different names.
std::vector<std::string> setting_names(const std::vector<Job>& jobs);

/// Run only some: indices of the jobs that match `only`, e.g. "class=cat,seed=0". Any axis of a job and `class`; an
/// axis that is named twice may have either value. An axis or value that no job has, and a selection without jobs, are
/// UsageErrors.
std::vector<std::size_t> select_jobs(const Plan& plan, const std::string& only);

}  // namespace sweeps
