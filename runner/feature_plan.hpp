// Which feature sets the jobs of a sweep need, and the tasks that make them: scan (sliced) -> identities -> extract
// (sliced) -> assemble -> jobs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "datasets/dataset.hpp"
#include "results/journal.hpp"
#include "runner/coordinator.hpp"
#include "runner/site.hpp"
#include "sweeps/sweep.hpp"
#include "workers/feature_set.hpp"
#include "workers/kept_scan.hpp"

namespace runner {

/// Rows that one scan or extract task takes, whatever the number of workers.
inline constexpr std::int64_t kSliceRows = 1024;
/// Of a normal class: fewer have no spread and no neighbour.
inline constexpr std::int64_t kLeastTrainRows = 2;

/// The feature sets of one job.
struct JobFeatures {
  workers::FeatureRecipe train;
  workers::FeatureRecipe test;
};

class FeaturePlan {
 public:
  /// What happens to a data set of which nobody says where it lies: `official` takes the classes and numbers of its
  /// kind, where the kind fixes them, to plan with but not to run.
  enum class NoData { refused, official };
  /// Opens every data set of the sweep (lists it, decodes nothing) and reuses kept scans. Throws UsageError for what is
  /// missing.
  FeaturePlan(const sweeps::Sweep& sweep, const Site& site, NoData without = NoData::refused);
  /// Ids of those that were not opened.
  const std::set<std::string>& not_opened() const { return not_opened_; }
  const std::string& kind_of(const std::string& dataset) const { return opened(dataset).source.spec.kind; }

  /// By data set the classes and normal sets that have training rows enough, for sweeps::expand: the others can only be
  /// anomalies.
  sweeps::ClassNames class_names() const;
  /// A line for each data set with such other classes.
  std::vector<std::string> untrained_classes() const;
  /// Throws UsageError for a block that names such a class, and for a data set of nothing else.
  void check_classes(const sweeps::Sweep& sweep) const;
  /// What happens to a backbone whose weights are nowhere.
  enum class NoWeights { refused, random };
  /// Finds and hashes the weights of every backbone that the jobs use; plad and rotation use none, and random ones are
  /// no file.
  void find_weights(const std::vector<sweeps::Job>& jobs, NoWeights without = NoWeights::refused);
  struct Weights {
    std::string source;        ///< a file, or random:SEED
    std::string identity;      ///< its SHA-256; random:SEED itself
    std::string missing = {};  ///< NoWeights::random: why no file was found
  };
  /// By backbone: those that were found.
  const std::map<std::string, Weights>& weights() const { return weights_; }

  /// A line for each normal class of the jobs without which, or with which alone, the test split is: there is no AUROC.
  std::vector<std::string> untestable_classes(const std::vector<sweeps::Job>& jobs) const;
  /// A line for each class with fewer rows than the jobs' train_rows or test_rows ask for: all of them are used.
  std::vector<std::string> short_classes(const std::vector<sweeps::Job>& jobs) const;

  /// Scan tasks of every data set of `jobs` whose scan is not kept. Slices that a killed run left in the cache need no
  /// task, and `say` is told how many; a data set of which nothing else is missing is scanned then.
  std::vector<PlannedTask> scan_tasks(const std::vector<sweeps::Job>& jobs,
                                      const std::function<void(const std::string&)>& say);
  /// Takes the outcome of a scan task and keeps it; returns the data set's id when its scan is complete with it, else
  /// "".
  std::string take_scan(workers::TaskId task, const workers::Scanned& scanned);
  bool scanned(const std::string& dataset) const;
  /// Throws storage::Error when more rows of a scanned data set were skipped than its `skip` allows, or so many that a
  /// normal class of `jobs` has too few left to train on.
  void check_skipped(const std::string& dataset, const std::vector<sweeps::Job>& jobs) const;
  struct Skipped {
    std::string summary;            ///< "d: 3 of 75000 train images are skipped: 2 cat, 1 dog; first: ..."
    std::vector<std::string> rows;  ///< a line each: which one, and why
  };
  /// For each split of a scanned data set that has any.
  std::vector<Skipped> skipped(const std::string& dataset) const;
  /// Of the training and the test split; it must be there.
  const std::array<workers::SplitScan, 2>& scan_of(const std::string& dataset) const { return *opened(dataset).scan; }
  const datasets::Dataset& dataset(const std::string& id) const { return *opened(id).dataset; }
  bool has(const std::string& id) const { return datasets_.contains(id); }

  /// The feature sets of a job; its data set must be scanned.
  JobFeatures features_of(const sweeps::Job& job) const;
  /// Extract, assemble and train tasks for jobs of scanned data sets. A set that the cache holds whole and undamaged
  /// needs no task; a damaged or foreign file is moved aside and `say` is told.
  std::vector<PlannedTask> tasks_for(const std::vector<sweeps::Job>& jobs,
                                     const std::function<void(const std::string&)>& say);

  /// Of jobs of scanned data sets the sets of which the cache has no file; nothing is looked into.
  std::vector<workers::FeatureRecipe> missing_sets(const std::vector<sweeps::Job>& jobs) const;

  const std::filesystem::path& cache() const { return cache_; }

 private:
  struct Opened {
    workers::DataSource source;
    std::shared_ptr<datasets::Dataset> dataset;
    std::vector<sweeps::NormalSet> sets_of_sweep;
    std::vector<std::int64_t> train_rows;  ///< of each class
    workers::ScanRule scan_rule;
    std::string scan_key;
    std::vector<workers::ScannedImage> images[2];
    std::int64_t open_slices = 0;
    std::optional<std::array<workers::SplitScan, 2>> scan;
  };
  struct Slice {
    std::string dataset;
    workers::ScanSlice rows;
  };
  /// Rows of the data set, and their checksums with their classes.
  struct SetRows {
    std::vector<std::int64_t> numbers;
    std::vector<std::uint32_t> checksums;
  };
  PlannedTask scan_task(const Opened& o, const workers::ScanSlice& slice);
  static void take_slice(Opened& o, const workers::ScanSlice& slice, const workers::Scanned& scanned);
  void finish_scan(Opened& o);
  const Opened& opened(const std::string& dataset) const;
  bool may_be_normal(const Opened& o, std::size_t k) const;
  std::string why_not_normal(const Opened& o, std::size_t k) const;
  sweeps::NormalSet resolved(const std::string& id, const Opened& o, const sweeps::NormalSet& set) const;
  /// Of a scanned data set: "2 of 20 train images", for each split that lacks some.
  std::vector<std::string> left_out(const std::string& dataset) const;
  std::vector<sweeps::NormalSet> normal_sets_of(const std::string& id, const Opened& o) const;
  workers::FeatureRecipe recipe(const sweeps::Job& job, datasets::Split split) const;
  /// Weights, normalisation and identity; not for images themselves.
  void put_through_backbone(const sweeps::Job& job, const workers::SplitScan& scan,
                            workers::FeatureRecipe& recipe) const;
  void add_statistics(const sweeps::Job& job, workers::TrainTask& task) const;
  /// The rows of a set, in its order.
  SetRows rows_of(const workers::FeatureRecipe& recipe) const;
  /// How many good rows the job trains on.
  std::int64_t train_rows_of(const sweeps::Job& job) const;
  std::vector<workers::TaskId> make_set(const workers::FeatureRecipe& recipe, std::vector<PlannedTask>& tasks,
                                        const std::function<void(const std::string&)>& say);
  workers::TaskId next_id() { return workers::TaskId{++last_id_}; }

  std::filesystem::path cache_;
  std::map<std::string, Opened> datasets_;
  std::set<std::string> not_opened_;
  std::map<std::string, Weights> weights_;
  std::map<workers::TaskId, Slice> slices_;
  std::map<std::string, std::vector<workers::TaskId>>
      sets_;  ///< by id: the task that finishes it, none when it is there
  const Site site_;
  std::int64_t last_id_ = 0;
};

/// Refuses a committed result that rests on other feature sets than today's (design: identities): throws storage::Error
/// naming the job and both, unless `redo`, when the keys to run again are returned.
std::set<sweeps::JobKey> changed_results(const std::vector<sweeps::Job>& jobs, const results::Ledger& ledger,
                                         const FeaturePlan& features, const std::filesystem::path& cache, bool redo);

}  // namespace runner
