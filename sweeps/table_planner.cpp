// Which jobs stand in which cell of a table, and what a table may not ask for. Selections are over jobs as blocks wrote
// them.
#include "sweeps/table_planner.hpp"

#include <algorithm>
#include <charconv>
#include <map>
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
  std::vector<std::string> data_sets() const;
  std::vector<std::string> data_sets_of_columns() const;
  std::vector<TableColumn> columns() const;
  std::vector<std::string> classes_of_columns() const;
  std::vector<TableColumn> chosen_columns() const;
  void check_class(const TableColumn& column) const;
  void check_published(const std::string& dataset, const std::vector<TableColumn>& columns) const;
  Substitutes substitutes(const std::vector<std::string>& datasets) const;
  void add_data_sets(PlannedTable& table, const ClassNames& classes) const;
  PlannedRow plan_row(const TableRow& row, const WrittenJobs& jobs, const std::vector<TableColumn>& columns) const;
  std::vector<Entry> entries_of(const TableRow& row, const WrittenJobs& jobs, const TableColumn& column) const;
  PlannedCell plan_cell(const TableRow& row, const WrittenJobs& jobs, const TableColumn& column) const;
  void refuse_mixture(const TableRow& row, const TableColumn& column, const std::vector<std::size_t>& jobs) const;

  const Sweep& sweep_;
  const TableSpec& spec_;
  const std::vector<Written>& written_;
  const Plan& plan_;
  std::vector<WrittenJobs> selected_;  // for each row; none for one that is only printed
  /// All that may be a normal class, of each data set of the table.
  std::map<std::string, std::vector<std::string>> official_;
};

PlannedTable TablePlanner::build(const ClassNames& classes) {
  for (const TableRow& row : spec_.rows) select(row);
  PlannedTable table;
  table.id = spec_.id;
  table.title = spec_.title.empty() ? spec_.id : spec_.title;
  table.datasets = data_sets();
  table.modes = spec_.modes;
  for (const std::string& id : table.datasets) official_[id] = all_names(normal_classes_of(classes, id));
  const std::vector<TableColumn> all = columns();
  for (const TableColumn& column : all) table.columns.push_back(column.name);
  check_published(table.datasets.front(), all);
  table.substitutes = substitutes(table.datasets);
  add_data_sets(table, classes);
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

/// Of the jobs in them; not empty.
std::vector<std::string> TablePlanner::data_sets_of_columns() const {
  std::vector<std::string> found;
  for (const TableColumn& column : spec_.chosen) {
    for (const WrittenJobs& jobs : selected_) {
      for (const Written* written : jobs) {
        const std::string& dataset = written->job.dataset;
        if (matches(column.where, written->job) && !contains(found, dataset)) found.push_back(dataset);
      }
    }
  }
  if (found.empty()) fail("no job of its rows is in one of its columns; loosen the \"where\" of rows or columns");
  return found;
}

std::vector<std::string> TablePlanner::data_sets() const {
  if (spec_.spans_data_sets()) return data_sets_of_columns();
  std::string dataset;
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    for (const Written* written : selected_[i]) {
      if (dataset.empty()) dataset = written->job.dataset;
      if (written->job.dataset == dataset) continue;
      fail(spec_.rows[i], "a table is over one data set, but this one has " + dataset + " and " + written->job.dataset +
                              "; add \"dataset\": " + in_quotes(dataset) +
                              " to \"where\" of its rows, name a data set in the \"where\" of each chosen column, or "
                              "leave \"tables\" out for one for each");
    }
  }
  if (dataset.empty()) fail("no row has runs; a table needs one row with \"where\"");
  return {dataset};
}

std::vector<std::string> TablePlanner::classes_of_columns() const {
  std::set<std::string> present;
  for (const auto& jobs : selected_) {
    for (const Written* written : jobs) present.insert(written->job.normal_class);
  }
  const std::vector<std::string>& official = official_.begin()->second;  // it has one data set
  std::vector<std::string> found;
  for (const std::string& name : official) {
    if (present.count(name) != 0) found.push_back(name);
  }
  if (spec_.classes.empty()) return found;
  for (const std::string& name : spec_.classes) {
    if (!contains(official, name)) {
      fail("columns: " + in_quotes(name) + " is no class of its data set" + storage::suggestion(name, official));
    }
    if (present.count(name) == 0)
      fail("columns: no job of its rows has the class " + in_quotes(name) + "; they have " + storage::listed(found));
  }
  return spec_.classes;
}

/// The classes that a column names are there, in a data set of the table that the column may be of.
void TablePlanner::check_class(const TableColumn& column) const {
  const auto named = column.where.axes.find(class_axis().name);
  if (named == column.where.axes.end()) return;
  const auto datasets = column.where.axes.find("dataset");
  std::vector<std::string> known;
  for (const auto& [id, names] : official_) {
    if (datasets != column.where.axes.end() && !contains(datasets->second, in_quotes(id))) continue;
    known.insert(known.end(), names.begin(), names.end());
  }
  for (const std::string& text : named->second) {
    const std::string name = without_quotes(text);
    if (known.empty() || contains(known, name)) continue;  // empty: the column has no job, which is said next
    fail("column " + in_quotes(column.name) + ": " + text + " is no class of its data set" +
         storage::suggestion(name, known));
  }
}

/// Each selects something, in some row.
std::vector<TableColumn> TablePlanner::chosen_columns() const {
  std::vector<TableColumn> columns;
  for (const TableColumn& column : spec_.chosen) {
    const auto fail_here = [&](const std::string& what) { fail("column " + in_quotes(column.name) + ": " + what); };
    check_class(column);
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
Substitutes TablePlanner::substitutes(const std::vector<std::string>& datasets) const {
  std::set<std::string> used(datasets.begin(), datasets.end());
  for (const auto& jobs : selected_) {
    for (const Written* written : jobs) used.insert(written->job.backbone);
  }
  Substitutes found;
  for (const auto& [from, to] : sweep_.substitutes) {
    if (used.count(to) != 0) found[from] = to;
  }
  return found;
}

/// What a caption says of each data set.
void TablePlanner::add_data_sets(PlannedTable& table, const ClassNames& classes) const {
  for (const std::string& id : table.datasets) {
    for (const std::string& text : normal_classes_of(classes, id).left_out) {
      table.left_out.push_back(table.datasets.size() > 1 ? id + ": " + text : text);
    }
    for (const DatasetSpec& spec : sweep_.datasets) {
      if (spec.id == id) table.dataset_settings[id] = settings_in_words(spec);
    }
  }
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
      if (job.method == Method::rotation) planned.trains_on_images = true;
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
    const std::vector<std::string>& official = official_.at(job.dataset);
    const auto rank = std::find(official.begin(), official.end(), job.normal_class) - official.begin();
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

bool TableSpec::spans_data_sets() const {
  const auto names_one = [](const TableColumn& column) { return column.where.axes.count("dataset") != 0; };
  return columns == Columns::chosen && std::all_of(chosen.begin(), chosen.end(), names_one);
}

PlannedTable plan_table(const Sweep& sweep, const TableSpec& spec, const std::vector<Written>& written,
                        const Plan& plan, const ClassNames& classes) {
  return TablePlanner(sweep, spec, written, plan).build(classes);
}

}  // namespace sweeps
