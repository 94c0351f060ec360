// Which jobs stand in which cell of a table, and what a table may not ask for. Selections are over jobs as blocks wrote
// them.
#include "sweeps/table_planner.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "storage/error.hpp"
#include "storage/nearest.hpp"
#include "sweeps/axis.hpp"
#include "sweeps/published_tables.hpp"
#include "sweeps/selection.hpp"

namespace sweeps {
namespace {

using storage::in_quotes;
using storage::UsageError;

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string without_quotes(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
  return text;
}

std::optional<double> as_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Numbers by size, then words such as "all".
bool is_smaller(const std::string& a, const std::string& b) {
  const auto x = as_number(a), y = as_number(b);
  if (x && y) return *x < *y;
  return x || y ? x.has_value() : a < b;
}

using WrittenJobs = std::vector<const Written*>;

/// A job that a cell may hold, and what it is sorted by.
struct Entry {
  std::size_t class_rank;
  std::string choice;  ///< value of the axis that the row takes the best of; empty without one
  std::uint64_t seed;
  std::size_t planned;
};

bool stands_before(const Entry& a, const Entry& b) {
  if (a.class_rank != b.class_rank) return a.class_rank < b.class_rank;
  return a.choice != b.choice ? is_smaller(a.choice, b.choice) : a.seed < b.seed;
}

void add_once(std::vector<std::size_t>& list, std::size_t index) {
  if (std::find(list.begin(), list.end(), index) == list.end()) list.push_back(index);
}

/// Plans one table.
class TablePlanner {
 public:
  TablePlanner(const Sweep& sweep, const TableSpec& spec, const std::vector<Written>& written, const Plan& plan)
      : sweep_(sweep), spec_(spec), written_(written), plan_(plan) {}

  PlannedTable build(const ClassNames& classes);

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UsageError(sweep_.origin + ": table " + in_quotes(spec_.id) + ": " + what);
  }
  [[noreturn]] void fail(const TableRow& row, const std::string& what) const {
    fail("row " + in_quotes(row.name) + ": " + what);
  }

  WrittenJobs selected_by(const Selection& where) const;
  void select(const TableRow& row);
  std::string why_nothing(const Selection& where) const;
  std::string the_data_set() const;
  std::vector<TableColumn> columns() const;
  std::vector<std::string> classes_of_columns() const;
  std::vector<TableColumn> chosen_columns() const;
  void check_published(const std::string& dataset, const std::vector<TableColumn>& columns) const;
  Substitutes substitutes(const std::string& dataset) const;
  PlannedRow plan_row(const TableRow& row, const WrittenJobs& jobs, const std::vector<TableColumn>& columns) const;
  std::vector<Entry> entries_of(const TableRow& row, const WrittenJobs& jobs, const TableColumn& column) const;
  PlannedCell plan_cell(const TableRow& row, const WrittenJobs& jobs, const TableColumn& column) const;
  void refuse_mixture(const TableRow& row, const TableColumn& column, const std::vector<std::size_t>& jobs) const;

  const Sweep& sweep_;
  const TableSpec& spec_;
  const std::vector<Written>& written_;
  const Plan& plan_;
  std::vector<WrittenJobs> selected_;  // for each row; none for one that is only printed
  std::vector<std::string> official_;  // all that may be a normal class of the data set
};

PlannedTable TablePlanner::build(const ClassNames& classes) {
  for (const TableRow& row : spec_.rows) select(row);
  PlannedTable table;
  table.id = spec_.id;
  table.title = spec_.title.empty() ? spec_.id : spec_.title;
  table.dataset = the_data_set();
  table.modes = spec_.modes;
  official_ = all_names(normal_classes_of(classes, table.dataset));
  const std::vector<TableColumn> all = columns();
  for (const TableColumn& column : all) table.columns.push_back(column.name);
  check_published(table.dataset, all);
  table.substitutes = substitutes(table.dataset);
  table.left_out = normal_classes_of(classes, table.dataset).left_out;
  for (const DatasetSpec& spec : sweep_.datasets) {
    if (spec.id == table.dataset) table.dataset_settings = settings_in_words(spec);
  }
  for (std::size_t i = 0; i < spec_.rows.size(); ++i) table.rows.push_back(plan_row(spec_.rows[i], selected_[i], all));
  table.columns_are = spec_.columns;
  table.metric = spec_.metric;
  table.decimals = spec_.decimals;
  table.mean_decimals = spec_.mean_decimals;
  table.bold = spec_.bold;
  table.transposed = spec_.transposed;
  table.published = spec_.published;
  table.compare = spec_.compare;
  table.scale = sweep_.scale;
  return table;
}

WrittenJobs TablePlanner::selected_by(const Selection& where) const {
  WrittenJobs jobs;
  for (const Written& written : written_) {
    if (matches(where, written.job)) jobs.push_back(&written);
  }
  return jobs;
}

void TablePlanner::select(const TableRow& row) {
  selected_.push_back(row.only_printed ? WrittenJobs() : selected_by(row.where));
  if (row.only_printed) return;
  if (selected_.back().empty()) fail(row, why_nothing(row.where));
  if (row.best_of.empty()) return;
  const Axis& axis = *find_axis(row.best_of);
  for (const Written* written : selected_.back()) {
    if (!belongs_to(axis, written->job.method)) {
      fail(row, "\"best_of\": " + in_quotes(row.best_of) + ", but its jobs of method " +
                    in_quotes(name_of(written->job.method)) + " have no " + row.best_of);
    }
  }
}

std::string TablePlanner::why_nothing(const Selection& where) const {
  std::vector<const Job*> all;
  for (const Written& written : written_) all.push_back(&written.job);
  return why_no_match(where, all, "blocks");
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
  if (dataset.empty()) fail("no row has runs; a table needs one row with \"where\"");
  return dataset;
}

std::vector<std::string> TablePlanner::classes_of_columns() const {
  std::set<std::string> present;
  for (const auto& jobs : selected_) {
    for (const Written* written : jobs) present.insert(written->job.normal_class);
  }
  std::vector<std::string> found;
  for (const std::string& name : official_) {
    if (present.count(name) != 0) found.push_back(name);
  }
  if (spec_.classes.empty()) return found;
  for (const std::string& name : spec_.classes) {
    if (!contains(official_, name)) {
      fail("columns: " + in_quotes(name) + " is no class of its data set" + storage::suggestion(name, official_));
    }
    if (present.count(name) == 0)
      fail("columns: no job of its rows has the class " + in_quotes(name) + "; they have " + storage::listed(found));
  }
  return spec_.classes;
}

/// Each selects something, in some row.
std::vector<TableColumn> TablePlanner::chosen_columns() const {
  std::vector<TableColumn> columns;
  for (const TableColumn& column : spec_.chosen) {
    const auto fail_here = [&](const std::string& what) { fail("column " + in_quotes(column.name) + ": " + what); };
    const auto named = column.where.axes.find(class_axis().name);
    if (named != column.where.axes.end()) {
      for (const std::string& text : named->second) {
        const std::string name = without_quotes(text);
        if (contains(official_, name)) continue;
        fail_here(text + " is no class of its data set" + storage::suggestion(name, official_));
      }
    }
    if (selected_by(column.where).empty()) fail_here(why_nothing(column.where));
    const auto in_column = [&](const Written* written) { return matches(column.where, written->job); };
    if (std::none_of(selected_.begin(), selected_.end(),
                     [&](const auto& jobs) { return std::any_of(jobs.begin(), jobs.end(), in_column); })) {
      fail_here("no row has a job in it; loosen its \"where\" or that of a row");
    }
    columns.push_back({column.name, column.where});
  }
  return columns;
}

std::vector<TableColumn> TablePlanner::columns() const {
  if (spec_.columns == Columns::chosen) return chosen_columns();
  std::vector<TableColumn> columns;
  for (const std::string& name : classes_of_columns()) {
    Selection one_class;
    one_class.axes[class_axis().name] = {in_quotes(name)};
    columns.push_back({name, one_class});
  }
  return columns;
}

/// A published number stands beside runs on the same data set and class only; what stands in for them has none.
void TablePlanner::check_published(const std::string& dataset, const std::vector<TableColumn>& columns) const {
  if (spec_.published.empty()) return;
  const PublishedTable& published = *find_published_table(spec_.published);
  const auto substitute = sweep_.substitutes.find(published.dataset);
  if (substitute != sweep_.substitutes.end() && substitute->second == dataset) return;
  if (dataset != published.dataset) {
    fail("its runs are on data set " + dataset + ", but the published table " + published.id + " is over " +
         published.dataset + "; leave \"published\" out, or let the rows name " + published.dataset +
         " and run it with " + "--substitute " + published.dataset + "=" + dataset);
  }
  std::vector<std::string> known;
  for (const PublishedColumn& column : published.columns) known.push_back(column.official);
  for (const TableColumn& column : columns) {
    if (known.empty() || contains(known, column.name)) continue;
    fail("columns: " + in_quotes(column.name) + " is no column of the published table " + published.id +
         storage::suggestion(column.name, known) + "; name others with \"columns\", or leave \"published\" out");
  }
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

PlannedRow TablePlanner::plan_row(const TableRow& row, const WrittenJobs& jobs,
                                  const std::vector<TableColumn>& columns) const {
  PlannedRow planned;
  planned.name = row.name;
  planned.group = row.group;
  planned.published = row.published;
  planned.only_printed = row.only_printed;
  planned.best_of = row.best_of;
  planned.statistic = row.statistic;
  if (row.only_printed) return planned;
  std::size_t count = 0;
  for (const TableColumn& column : columns) {
    planned.cells.push_back(plan_cell(row, jobs, column));
    for (const std::size_t index : planned.cells.back().jobs) {
      const Job& job = plan_.jobs[index];
      if (!is_trained(job.method)) planned.in_paper = false;
      if (is_seeded(job.method)) planned.seeded = true;
      if (job.method == Method::plume && job.training.dimension != kPaperDimension) planned.reduced = true;
      ++count;
    }
  }
  std::vector<std::string> names;
  for (const TableColumn& column : columns) names.push_back(column.name);
  if (count == 0) fail(row, "has no job in the table's columns " + storage::listed(names));
  return planned;
}

std::vector<Entry> TablePlanner::entries_of(const TableRow& row, const WrittenJobs& jobs,
                                            const TableColumn& column) const {
  std::vector<Entry> entries;
  for (const Written* written : jobs) {
    const Job& job = written->job;
    if (!matches(column.where, job)) continue;
    const auto rank = std::find(official_.begin(), official_.end(), job.normal_class) - official_.begin();
    const std::string choice = row.best_of.empty() ? "" : without_quotes(find_axis(row.best_of)->text(job));
    entries.push_back({static_cast<std::size_t>(rank), choice, job.seed, written->planned});
  }
  std::stable_sort(entries.begin(), entries.end(), stands_before);
  return entries;
}

PlannedCell TablePlanner::plan_cell(const TableRow& row, const WrittenJobs& jobs, const TableColumn& column) const {
  PlannedCell cell;
  for (const Entry& entry : entries_of(row, jobs, column)) {
    add_once(cell.jobs, entry.planned);
    if (row.best_of.empty()) continue;
    auto choice = std::find_if(cell.choices.begin(), cell.choices.end(),
                               [&](const PlannedChoice& known) { return known.value == entry.choice; });
    if (choice == cell.choices.end()) choice = cell.choices.insert(choice, {entry.choice, {}});
    add_once(choice->jobs, entry.planned);
  }
  std::sort(cell.choices.begin(), cell.choices.end(),
            [](const PlannedChoice& a, const PlannedChoice& b) { return is_smaller(a.value, b.value); });
  refuse_mixture(row, column, cell.jobs);
  return cell;
}

/// Throws unless the jobs of a cell differ in nothing but the seed, what the row takes the best of and, where the
/// column is not one class, the class.
void TablePlanner::refuse_mixture(const TableRow& row, const TableColumn& column,
      if (job.method == Method::rotation) planned.trains_on_images = true;
                                  const std::vector<std::size_t>& jobs) const {
  std::string differing;
  for (const Axis& axis : axes()) {
    if (axis.name == "seed" || axis.name == row.best_of) continue;
    std::set<std::string> values;
    for (const std::size_t index : jobs) {
      if (is_said(axis, plan_.jobs[index])) values.insert(axis.text(plan_.jobs[index]));
    }
    if (values.size() < 2) continue;
    differing += (differing.empty() ? "" : "; ") + axis.name + " is " + storage::listed({values.begin(), values.end()});
  }
  if (differing.empty()) return;
  const std::string what = spec_.columns == Columns::chosen ? " of column " : " of class ";
  const std::string best = row.best_of.empty() ? "" : " and " + row.best_of;
  fail(row, "its jobs" + what + in_quotes(column.name) + " differ in more than the seed" + best + ": " + differing +
                "; say in \"where\" which one it shows");
}

}  // namespace

PlannedTable plan_table(const Sweep& sweep, const TableSpec& spec, const std::vector<Written>& written,
                        const Plan& plan, const ClassNames& classes) {
  return TablePlanner(sweep, spec, written, plan).build(classes);
}

}  // namespace sweeps
