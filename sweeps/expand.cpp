// A sweep and the classes of its data sets in, distinct jobs and the cells that need them out. Tables select among the
// jobs as they are written in blocks, so that a row may name an axis that has no effect on a job.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "storage/error.hpp"
#include "storage/nearest.hpp"
#include "sweeps/axis.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

using storage::in_quotes;
using storage::UsageError;

/// A job as a block wrote it.
struct Written {
  Job job;
  std::size_t planned;  ///< index into Plan::jobs of what it comes to
};

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

bool matches(const std::string& axis_name, const std::vector<std::string>& texts, const Job& job) {
  const Axis& axis = *find_axis(axis_name);
  return belongs_to(axis, job.method) && std::find(texts.begin(), texts.end(), axis.text(job)) != texts.end();
}

/// Matches every axis of `where`, but for the one called `except`.
bool matches(const Selection& where, const Job& job, const std::string& except = "") {
  for (const auto& [name, texts] : where.axes) {
    if (name != except && !matches(name, texts, job)) return false;
  }
  return true;
}

/// The values of an axis among jobs that have it, in the order met.
template <typename Jobs>
std::vector<std::string> values_among(const std::string& axis_name, const Jobs& jobs) {
  const Axis& axis = *find_axis(axis_name);
  std::vector<std::string> values;
  for (const Job* job : jobs) {
    if (!belongs_to(axis, job->method)) continue;
    const std::string text = axis.text(*job);
    if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(text);
  }
  return values;
}

/// Plans one table.
class TablePlanner {
 public:
  TablePlanner(const Sweep& sweep, const TableSpec& spec, const std::vector<Written>& written, const Plan& plan)
      : sweep_(sweep), spec_(spec), written_(written), plan_(plan) {}

  PlannedTable build(const ClassNames& classes) {
    for (const TableRow& row : spec_.rows) select(row);
    PlannedTable table;
    table.id = spec_.id;
    table.title = spec_.title.empty() ? spec_.id : spec_.title;
    table.dataset = the_data_set();
    table.modes = spec_.modes;
    table.columns = columns(all_names(normal_classes_of(classes, table.dataset)));
    table.substitutes = substitutes(table.dataset);
    table.left_out = normal_classes_of(classes, table.dataset).left_out;
    for (const DatasetSpec& spec : sweep_.datasets) {
      if (spec.id == table.dataset) table.dataset_settings = settings_in_words(spec);
    }
    for (std::size_t i = 0; i < spec_.rows.size(); ++i)
      table.rows.push_back(plan_row(spec_.rows[i], selected_[i], table.columns));
    return table;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UsageError(sweep_.origin + ": table " + in_quotes(spec_.id) + ": " + what);
  }
  [[noreturn]] void fail(const TableRow& row, const std::string& what) const {
    fail("row " + in_quotes(row.name) + ": " + what);
  }

  void select(const TableRow& row);
  std::string why_nothing(const TableRow& row) const;
  std::string the_data_set() const;
  std::vector<std::string> columns(const std::vector<std::string>& official) const;
  Substitutes substitutes(const std::string& dataset) const;
  PlannedRow plan_row(const TableRow& row, const std::vector<const Written*>& jobs,
                      const std::vector<std::string>& names) const;
  PlannedCell plan_cell(const TableRow& row, const std::vector<const Written*>& jobs, const std::string& name) const;
  void refuse_mixture(const TableRow& row, const std::string& class_name, const std::vector<std::size_t>& jobs) const;

  const Sweep& sweep_;
  const TableSpec& spec_;
  const std::vector<Written>& written_;
  const Plan& plan_;
  std::vector<std::vector<const Written*>> selected_;  // for each row
};

void TablePlanner::select(const TableRow& row) {
  std::vector<const Written*> jobs;
  for (const Written& written : written_) {
    if (matches(row.where, written.job)) jobs.push_back(&written);
  }
  if (jobs.empty()) fail(row, why_nothing(row));
  selected_.push_back(std::move(jobs));
}

/// Names the first axis without which the row would match something, and what it could say.
std::string TablePlanner::why_nothing(const TableRow& row) const {
  for (const auto& [name, texts] : row.where.axes) {
    std::vector<const Job*> others;
    for (const Written& written : written_) {
      if (matches(row.where, written.job, name)) others.push_back(&written.job);
    }
    if (others.empty()) continue;
    const std::string asked = "matches no job: " + name + " is " + storage::listed(texts) + ", but ";
    const std::vector<std::string> values = values_among(name, others);
    if (values.empty()) return asked + "the jobs that match the rest have no " + name;
    return asked + "the jobs that match the rest have " + storage::listed(values);
  }
  std::vector<const Job*> all;
  for (const Written& written : written_) all.push_back(&written.job);
  for (const auto& axis : row.where.axes) {
    if (std::any_of(all.begin(), all.end(), [&](const Job* job) { return matches(axis.first, axis.second, *job); }))
      continue;
    return "matches no job: " + axis.first + " is " + storage::listed(axis.second) + ", but the blocks have " +
           storage::listed(values_among(axis.first, all));
  }
  return "matches no job: each of its axes matches some, but no two blocks' values come together";
}

std::string TablePlanner::the_data_set() const {
  std::string dataset;
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    for (const Written* written : selected_[i]) {
      if (dataset.empty()) dataset = written->job.dataset;
      if (written->job.dataset == dataset) continue;
      fail(spec_.rows[i], "a table is over one data set, but this one has " + dataset + " and " + written->job.dataset +
                              "; add \"dataset\": " + in_quotes(dataset) +
                              " to \"where\" of its rows, or leave \"tables\" out for one for each");
    }
  }
  return dataset;
}

std::vector<std::string> TablePlanner::columns(const std::vector<std::string>& official) const {
  std::set<std::string> present;
  for (const auto& jobs : selected_) {
    for (const Written* written : jobs) present.insert(written->job.normal_class);
  }
  std::vector<std::string> found;
  for (const std::string& name : official) {
    if (present.count(name) != 0) found.push_back(name);
  }
  if (spec_.classes.empty()) return found;
  for (const std::string& name : spec_.classes) {
    if (std::find(official.begin(), official.end(), name) == official.end()) {
      fail("columns: " + in_quotes(name) + " is no class of its data set" + storage::suggestion(name, official));
    }
    if (present.count(name) == 0)
      fail("columns: no job of its rows has the class " + in_quotes(name) + "; they have " + storage::listed(found));
  }
  return spec_.classes;
}

/// Those of the sweep that the table's jobs are on.
Substitutes TablePlanner::substitutes(const std::string& dataset) const {
  std::set<std::string> used = {dataset};
  for (const auto& jobs : selected_) {
    for (const Written* written : jobs) used.insert(written->job.backbone);
  }
  Substitutes found;
  for (const auto& [from, to] : sweep_.substitutes) {
    if (used.count(to) != 0) found[from] = to;
  }
  return found;
}

PlannedRow TablePlanner::plan_row(const TableRow& row, const std::vector<const Written*>& jobs,
                                  const std::vector<std::string>& names) const {
  PlannedRow planned;
  planned.name = row.name;
  std::size_t count = 0;
  for (const std::string& name : names) {
    planned.cells.push_back(plan_cell(row, jobs, name));
    for (const std::size_t index : planned.cells.back().jobs) {
      const Job& job = plan_.jobs[index];
      if (!is_trained(job.method)) planned.in_paper = false;
      if (is_seeded(job.method)) planned.seeded = true;
      if (job.method == Method::plume && job.training.dimension != kPaperDimension) planned.reduced = true;
      ++count;
    }
  }
  if (count == 0) fail(row, "has no job in the table's columns " + storage::listed(names));
  return planned;
}

PlannedCell TablePlanner::plan_cell(const TableRow& row, const std::vector<const Written*>& jobs,
                                    const std::string& name) const {
  PlannedCell cell;
  for (const Written* written : jobs) {
    const bool is_new = std::find(cell.jobs.begin(), cell.jobs.end(), written->planned) == cell.jobs.end();
    if (written->job.normal_class == name && is_new) cell.jobs.push_back(written->planned);
  }
  std::stable_sort(cell.jobs.begin(), cell.jobs.end(),
                   [&](std::size_t a, std::size_t b) { return plan_.jobs[a].seed < plan_.jobs[b].seed; });
  refuse_mixture(row, name, cell.jobs);
  return cell;
}

/// Throws unless the jobs of a cell differ in nothing but the seed.
void TablePlanner::refuse_mixture(const TableRow& row, const std::string& class_name,
                                  const std::vector<std::size_t>& jobs) const {
  std::vector<const Job*> list;
  for (const std::size_t index : jobs) list.push_back(&plan_.jobs[index]);
  std::string differing;
  for (const Axis& axis : axes()) {
    if (axis.name == "seed") continue;
    std::set<std::string> values;
    for (const Job* job : list) {
      if (is_said(axis, *job)) values.insert(axis.text(*job));
    }
    if (values.size() < 2) continue;
    differing += (differing.empty() ? "" : "; ") + axis.name + " is " + storage::listed({values.begin(), values.end()});
  }
  if (differing.empty()) return;
  fail(row, "its jobs of class " + in_quotes(class_name) + " differ in more than the seed: " + differing +
                "; say in \"where\" which one it shows");
}

}  // namespace

Plan expand(const Sweep& sweep, const ClassNames& classes) {
  Plan plan;
  const std::vector<Written> written = plan_jobs(sweep, classes, plan);
  for (const TableSpec& spec : sweep.tables)
    plan.tables.push_back(TablePlanner(sweep, spec, written, plan).build(classes));
  return plan;
}

}  // namespace sweeps
