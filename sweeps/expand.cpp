// A sweep and the classes of its data sets in, distinct jobs and the cells that need them out. The cells are
// table_planner.cpp's.
#include <algorithm>
#include <unordered_map>

#include "storage/error.hpp"
#include "storage/nearest.hpp"
#include "sweeps/selection.hpp"
#include "sweeps/table_planner.hpp"

namespace sweeps {
namespace {

using storage::in_quotes;
using storage::UsageError;

/// What `"classes": "all"` stands for: whoever made sets wants them.
std::vector<std::string> default_names(const NormalClasses& normal) {
  if (normal.sets.empty()) return normal.classes;
  std::vector<std::string> names;
  for (const NormalSet& set : normal.sets) names.push_back(set.name);
  return names;
}

/// The classes of the set of that name; none for a class.
std::vector<std::string> members_of(const NormalClasses& normal, const std::string& name) {
  for (const NormalSet& set : normal.sets) {
    if (set.name == name) return set.classes;
  }
  return {};
}

/// Whether a data set is there in place of one that the file names.
bool stands_in(const Sweep& sweep, const std::string& dataset) {
  return std::any_of(sweep.substitutes.begin(), sweep.substitutes.end(),
                     [&](const auto& substitute) { return substitute.second == dataset; });
}

/// What the block's jobs on a data set are over. A class that is not there is a mistake, but where another data set
/// stands in: that has classes of its own.
std::vector<std::string> classes_of(const Sweep& sweep, const Block& block, const std::string& dataset,
                                    const NormalClasses& normal) {
  if (block.classes.empty()) return default_names(normal);
  const std::vector<std::string> known = all_names(normal);
  std::vector<std::string> found;
  for (const std::string& name : block.classes) {
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      found.push_back(name);
      continue;
    }
    if (stands_in(sweep, dataset)) continue;
    throw UsageError(sweep.origin + ": " + block.where + ".classes: " + in_quotes(name) + " is no class" +
                     (normal.sets.empty() ? "" : " and no normal set") + " of data set " + dataset +
                     storage::suggestion(name, known));
  }
  return found;
}

/// Of `block`, the combination of that index with a class: dropped where a rule drops all that it stands for.
bool is_excluded(const Block& block, std::size_t index, const std::string& class_name, std::vector<bool>& used) {
  if (block.exclude.empty()) return false;
  bool all = true;
  for (Job job : block.stands_for.at(index)) {
    job.normal_class = class_name;
    bool dropped = false;
    for (std::size_t r = 0; r < block.exclude.size(); ++r) {
      if (!matches(block.exclude[r].where, job)) continue;
      dropped = used[r] = true;
    }
    all = all && dropped;
  }
  return all;
}

/// A class of the rule that no job of the block has is a mistake, but where another data set stands in.
void check_rules(const Sweep& sweep, const Block& block, const ClassNames& classes, const std::vector<bool>& used) {
  for (std::size_t r = 0; r < block.exclude.size(); ++r) {
    if (used[r]) continue;
    const ExcludeRule& rule = block.exclude[r];
    std::vector<Job> jobs;
    bool substituted = false;
    for (std::size_t i = 0; i < block.jobs_without_class.size(); ++i) {
      const std::string& dataset = block.jobs_without_class[i].dataset;
      const NormalClasses& normal = normal_classes_of(classes, dataset);
      for (Job job : block.stands_for.at(i)) {
        substituted = substituted || job.dataset != dataset;
        for (const std::string& name : block.classes.empty() ? default_names(normal) : block.classes) {
          job.normal_class = name;
          jobs.push_back(job);
        }
      }
    }
    if (substituted) continue;
    std::vector<const Job*> all;
    for (const Job& job : jobs) all.push_back(&job);
    throw UsageError(sweep.origin + ": " + rule.path + ": " + why_no_match(rule.where, all, "block's jobs"));
  }
}

/// Plans jobs and remembers how blocks wrote them.
class JobPlanner {
 public:
  JobPlanner(const Sweep& sweep, const ClassNames& classes, Plan& plan)
      : sweep_(sweep), classes_(classes), plan_(plan) {}

  std::vector<Written> plan() {
    for (const Block& block : sweep_.blocks) add(block);
    return std::move(written_);
  }

 private:
  void add(const Block& block) {
    std::vector<bool> used(block.exclude.size(), false);
    const std::size_t before = written_.size();
    for (std::size_t i = 0; i < block.jobs_without_class.size(); ++i) {
      const std::string& dataset = block.jobs_without_class[i].dataset;
      const NormalClasses& normal = normal_classes_of(classes_, dataset);
      for (const std::string& name : classes_of(sweep_, block, dataset, normal)) {
        if (!is_excluded(block, i, name, used)) add(block.jobs_without_class[i], name, normal, block.keep);
      }
    }
    check_rules(sweep_, block, classes_, used);
    if (written_.size() > before || block.exclude.empty()) return;
    throw UsageError(sweep_.origin + ": " + block.where + ".exclude: leaves nothing of the block");
  }

  void add(Job job, const std::string& class_name, const NormalClasses& normal, const Keep& keep) {
    job.normal_class = class_name;
    job.members = members_of(normal, class_name);
    const Job distinct = normalised(job);
    const JobKey key = key_of(distinct);
    const auto [it, is_new] = known_.emplace(key, plan_.jobs.size());
    if (is_new) {
      plan_.jobs.push_back(distinct);
      plan_.keys.push_back(key);
      plan_.keep.emplace_back();
    }
    Keep& kept = plan_.keep[it->second];
    kept = both(kept, kept_of(distinct, keep));
    written_.push_back({std::move(job), it->second});
  }

  const Sweep& sweep_;
  const ClassNames& classes_;
  Plan& plan_;
  std::vector<Written> written_;
  std::unordered_map<JobKey, std::size_t> known_;
};

}  // namespace

const NormalClasses& normal_classes_of(const ClassNames& classes, const std::string& dataset) {
  const auto it = classes.find(dataset);
  if (it == classes.end()) throw storage::Error("data set " + dataset + ": its classes are not known");
  return it->second;
}

/// The names of sets, then those of classes: the order of columns.
std::vector<std::string> all_names(const NormalClasses& normal) {
  std::vector<std::string> names;
  for (const NormalSet& set : normal.sets) names.push_back(set.name);
  names.insert(names.end(), normal.classes.begin(), normal.classes.end());
  return names;
}

Plan expand(const Sweep& sweep, const ClassNames& classes) {
  Plan plan;
  const std::vector<Written> written = JobPlanner(sweep, classes, plan).plan();
  for (const TableSpec& spec : sweep.tables) plan.tables.push_back(plan_table(sweep, spec, written, plan, classes));
  return plan;
}

}  // namespace sweeps
