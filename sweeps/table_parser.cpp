// The tables of a sweep: what stands in them and how they are printed. Rows are row_parser.cpp's. Whether a row selects
// anything is seen when it is expanded.
#include <algorithm>
#include <set>

#include "storage/nearest.hpp"
#include "sweeps/parser.hpp"

namespace sweeps {
namespace {

using storage::in_quotes;
using storage::JsonValue;

constexpr int kMostDecimals = 6;

/// The value that a word stands for; an unknown word fails with the nearest right one.
template <typename T>
T read_word(const JsonValue& value, const char* what, const std::vector<std::pair<std::string, T>>& words) {
  const std::string word = value.string();
  std::vector<std::string> known;
  for (const auto& [name, meaning] : words) {
    if (name == word) return meaning;
    known.push_back(name);
  }
  value.fail(std::string("unknown ") + what + " " + in_quotes(word) + storage::suggestion(word, known));
}

std::vector<std::string> read_classes(const std::vector<JsonValue>& items) {
  std::vector<std::string> classes;
  for (const JsonValue& item : items) {
    classes.push_back(item.string());
    if (std::count(classes.begin(), classes.end(), classes.back()) > 1) item.fail(item.text() + " is there twice");
  }
  return classes;
}

std::vector<TableColumn> read_chosen(const std::vector<JsonValue>& items) {
  std::vector<TableColumn> columns;
  std::set<std::string> names;
  for (const JsonValue& item : items) {
    item.allow_only({"name", "where"});
    const JsonValue name = item.at("name");
    columns.push_back({name.string(), read_selection(item.at("where"), true)});
    if (columns.back().name.empty()) name.fail("expected the name of a column, found \"\"");
    if (!names.insert(columns.back().name).second) name.fail("another column of this table is called " + name.text());
  }
  return columns;
}

void read_columns(const JsonValue& value, TableSpec& table) {
  if (value.is_string() && (value.string() == "classes" || value.string() == "mean")) {
    table.columns = value.string() == "mean" ? Columns::mean : Columns::classes;
    return;
  }
  if (!value.is_array()) {
    value.fail("expected \"classes\", \"mean\", a list of class names or a list of {\"name\", \"where\"}, found " +
               value.text());
  }
  const std::vector<JsonValue> items = one_or_more(value);
  if (items.front().is_object()) {
    table.columns = Columns::chosen;
    table.chosen = read_chosen(items);
  } else {
    table.classes = read_classes(items);
  }
}

std::vector<Mode> read_modes(const JsonValue& value) {
  std::vector<Mode> modes;
  for (const JsonValue& item : one_or_more(value)) {
    modes.push_back(read_word<Mode>(
        item, "mode", {{"best", Mode::best}, {"last", Mode::last}, {"last-10", Mode::last_10}, {"gap", Mode::gap}}));
    if (std::count(modes.begin(), modes.end(), modes.back()) > 1) item.fail(item.text() + " is there twice");
  }
  return modes;
}

Compare read_compare(const JsonValue& value, const std::vector<TableRow>& rows) {
  if (!value.is_object()) {
    if (!value.is_string())
      value.fail("expected \"pairs\", \"none\" or {\"against\": ROW NAME}, found " + value.text());
    return {
        read_word<Compare::With>(value, "comparison", {{"pairs", Compare::With::pairs}, {"none", Compare::With::none}}),
        ""};
  }
  value.allow_only({"against"});
  const JsonValue against = value.at("against");
  std::vector<std::string> names;
  for (const TableRow& row : rows) {
    if (!row.only_printed) names.push_back(row.name);
  }
  if (std::count(names.begin(), names.end(), against.string()) == 0) {
    against.fail("no row of this table with runs is called " + against.text() +
                 storage::suggestion(against.string(), names));
  }
  return {Compare::With::one, against.string()};
}

const PublishedTable* read_published(const JsonValue& table) {
  const auto value = table.find("published");
  if (!value) return nullptr;
  if (const PublishedTable* found = find_published_table(value->string())) return found;
  std::vector<std::string> ids;
  for (const PublishedTable& published : published_tables()) ids.push_back(published.id);
  value->fail("the paper has no table " + value->text() + storage::suggestion(value->string(), ids));
}

/// What the table is where the file says nothing: as printed.
void take_layout(const PublishedTable& published, TableSpec& table) {
  table.published = published.id;
  table.title = published.title;
  table.columns = published.columns.empty() ? Columns::mean : Columns::classes;
  table.metric = published.fraction ? Metric::fraction : Metric::percent;
  table.decimals = published.cell_decimals;
  table.mean_decimals = published.mean_decimals;
  table.transposed = published.transposed;
  for (const PublishedRow& row : published.rows) {
    for (const auto& cell : row.cells) table.bold = table.bold || cell.second.bold;
    table.bold = table.bold || (row.row_mean && row.row_mean->bold);
  }
}

void read_numbers(const JsonValue& value, TableSpec& table) {
  if (const auto metric = value.find("metric")) {
    const Metric before = table.metric;
    table.metric = read_word<Metric>(*metric, "metric", {{"percent", Metric::percent}, {"fraction", Metric::fraction}});
    if (table.metric != before) table.decimals = table.mean_decimals = table.metric == Metric::percent ? 1 : 2;
  }
  if (const auto decimals = value.find("decimals")) {
    table.decimals = table.mean_decimals = static_cast<int>(decimals->integer(0, kMostDecimals));
  }
  if (const auto decimals = value.find("mean_decimals")) {
    table.mean_decimals = static_cast<int>(decimals->integer(0, kMostDecimals));
  }
}

enum class DatasetIs { part_of_a_setting, none };

/// Distinct jobs but for class and seed, as they are after normalisation, in the order first named.
std::vector<Job> distinct_settings(const std::vector<Block>& blocks, const std::string& dataset, DatasetIs is) {
  std::vector<Job> settings;
  std::set<std::string> seen;
  for (const Block& block : blocks) {
    for (const Job& job : block.jobs_without_class) {
      if (!dataset.empty() && job.dataset != dataset) continue;
      Job setting = normalised(job);
      setting.seed = 0;
      if (is == DatasetIs::none) setting.dataset.clear();
      if (seen.insert(canonical_text(setting)).second) settings.push_back(setting);
    }
  }
  return settings;
}

std::vector<TableRow> rows_of_settings(const std::vector<Job>& settings) {
  const std::vector<std::string> names = setting_names(settings);
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    TableRow row;
    row.name = names[i];
    for (const Axis& axis : axes()) {
      if (axis.name == "seed" || (axis.name == "dataset" && settings[i].dataset.empty())) continue;
      if (is_said(axis, settings[i])) row.where.axes[axis.name] = {axis.text(settings[i])};
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// A row for each setting, whatever data set its jobs are on.
std::vector<TableRow> rows_across_data_sets(const std::vector<Block>& blocks) {
  return rows_of_settings(distinct_settings(blocks, "", DatasetIs::none));
}

TableSpec read_table(const JsonValue& value, const std::vector<Block>& blocks, const Substitutes& substitutes) {
  value.allow_only({"id", "title", "published", "rows", "columns", "modes", "metric", "decimals", "mean_decimals",
                    "bold", "transposed", "compare"});
  TableSpec table;
  table.id = read_id(value.at("id"));
  table.modes = all_modes();
  const PublishedTable* published = read_published(value);
  if (published != nullptr) take_layout(*published, table);
  if (const auto title = value.find("title")) table.title = title->string();
  if (const auto columns = value.find("columns")) read_columns(*columns, table);
  if (published != nullptr && table.columns == Columns::chosen) {
    value.at("columns").fail("a published table has classes for columns; leave \"published\" out, or name classes");
  }
  if (const auto modes = value.find("modes")) table.modes = read_modes(*modes);
  read_numbers(value, table);
  if (const auto bold = value.find("bold")) table.bold = bold->boolean();
  if (const auto transposed = value.find("transposed")) table.transposed = transposed->boolean();
  if (const auto rows = value.find("rows")) {
    table.rows = read_rows(*rows, published, substitutes);
  } else {
    table.rows = published != nullptr      ? rows_of(*published, substitutes)
                 : table.spans_data_sets() ? rows_across_data_sets(blocks)
                                           : rows_for_settings(blocks, "");
  }
  if (published != nullptr) table.compare = comparison_of(*published, table.rows);
  if (const auto compare = value.find("compare")) table.compare = read_compare(*compare, table.rows);
  return table;
}

}  // namespace

std::vector<TableRow> rows_for_settings(const std::vector<Block>& blocks, const std::string& dataset) {
  return rows_of_settings(distinct_settings(blocks, dataset, DatasetIs::part_of_a_setting));
}

const std::vector<Mode>& all_modes() {
  static const std::vector<Mode> modes = {Mode::best, Mode::last, Mode::last_10, Mode::gap};
  return modes;
}

std::vector<TableSpec> parse_tables(const JsonValue& value, const std::vector<Block>& blocks,
                                    const Substitutes& substitutes) {
  std::vector<TableSpec> tables;
  for (const JsonValue& item : value.items()) {
    tables.push_back(read_table(item, blocks, substitutes));
    const auto same = [&](const TableSpec& other) { return other.id == tables.back().id; };
    if (std::count_if(tables.begin(), tables.end(), same) > 1) {
      item.at("id").fail("another table has the id " + in_quotes(tables.back().id));
    }
  }
  if (tables.empty()) value.fail("expected at least one table; leave \"tables\" out for one for each data set");
  return tables;
}

std::vector<TableSpec> default_tables(const std::vector<Block>& blocks) {
  std::vector<TableSpec> tables;
  std::set<std::string> seen;
  for (const Block& block : blocks) {
    for (const Job& job : block.jobs_without_class) {
      if (!seen.insert(job.dataset).second) continue;
      TableSpec table;
      table.id = job.dataset;
      table.rows = rows_for_settings(blocks, job.dataset);
      table.modes = all_modes();
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

}  // namespace sweeps
