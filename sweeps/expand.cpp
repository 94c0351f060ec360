// A sweep and the classes of its data sets in, distinct jobs and the cells that need them out. The cells are
// table_planner.cpp's.
#include <algorithm>
#include <unordered_map>

#include "storage/error.hpp"
#include "storage/nearest.hpp"
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

void check_classes(const Sweep& sweep, const Block& block, const std::string& dataset, const NormalClasses& normal) {
  const std::vector<std::string> known = all_names(normal);
  for (const std::string& name : block.classes) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw UsageError(sweep.origin + ": " + block.where + ".classes: " + in_quotes(name) + " is no class" +
                     (normal.sets.empty() ? "" : " and no normal set") + " of data set " + dataset +
                     storage::suggestion(name, known));
  }
}

std::vector<Written> plan_jobs(const Sweep& sweep, const ClassNames& classes, Plan& plan) {
  std::vector<Written> written;
  std::unordered_map<JobKey, std::size_t> known;
  for (const Block& block : sweep.blocks) {
    for (const Job& without_class : block.jobs_without_class) {
      const NormalClasses& normal = normal_classes_of(classes, without_class.dataset);
      check_classes(sweep, block, without_class.dataset, normal);
      for (const std::string& name : block.classes.empty() ? default_names(normal) : block.classes) {
        Job job = without_class;
        job.normal_class = name;
        job.members = members_of(normal, name);
        const Job distinct = normalised(job);
        const JobKey key = key_of(distinct);
        const auto [it, is_new] = known.emplace(key, plan.jobs.size());
        if (is_new) {
          plan.jobs.push_back(distinct);
          plan.keys.push_back(key);
        }
        written.push_back({std::move(job), it->second});
      }
    }
  }
  return written;
}

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
  const std::vector<Written> written = plan_jobs(sweep, classes, plan);
  for (const TableSpec& spec : sweep.tables) plan.tables.push_back(plan_table(sweep, spec, written, plan, classes));
  return plan;
}

}  // namespace sweeps
