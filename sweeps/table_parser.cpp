// The tables of a sweep: rows by what they select, or one row for each setting. Whether a row selects anything is seen
// when it is expanded.
#include <algorithm>
#include <set>

#include "storage/nearest.hpp"
#include "sweeps/names.hpp"
#include "sweeps/parser.hpp"

namespace sweeps {
namespace {

using storage::in_quotes;
using storage::JsonValue;

Selection read_selection(const JsonValue& where) {
  std::vector<std::string> known;
  for (const Axis& axis : axes()) known.push_back(axis.name);
  Selection selection;
  for (const auto& [key, value] : where.members()) {
    if (key == "class" || key == "classes")
      value.fail("a row is over all classes; choose them with \"columns\" of the table");
    const Axis* axis = find_axis(key);
    if (axis == nullptr) refuse_key(key, value, known);
    for (const JsonValue& item : one_or_more(value)) selection.axes[key].push_back(text_of(*axis, item));
  }
  return selection;
}

std::vector<TableRow> read_rows(const JsonValue& value) {
  std::vector<TableRow> rows;
  std::set<std::string> names;
  for (const JsonValue& row : value.items()) {
    row.allow_only({"name", "where"});
    const JsonValue name = row.at("name");
    rows.push_back({name.string(), read_selection(row.at("where"))});
    if (rows.back().name.empty()) name.fail("expected the name of a row, found \"\"");
    if (!names.insert(rows.back().name).second) name.fail("another row of this table is called " + name.text());
  }
  if (rows.empty()) value.fail("expected at least one row; leave \"rows\" out for one row for each setting");
  return rows;
}

std::vector<std::string> read_columns(const JsonValue& value) {
  if (value.is_string() && value.string() == "classes") return {};
  if (!value.is_array()) value.fail("expected \"classes\" or a list of class names, found " + value.text());
  std::vector<std::string> columns;
  for (const JsonValue& item : one_or_more(value)) {
    const std::string name = item.string();
    if (std::find(columns.begin(), columns.end(), name) != columns.end())
      item.fail(in_quotes(name) + " is there twice");
    columns.push_back(name);
  }
  return columns;
}

std::vector<Mode> read_modes(const JsonValue& value) {
  std::vector<Mode> modes;
  for (const JsonValue& item : one_or_more(value)) {
    const std::string word = item.string();
    if (word != "best" && word != "last")
      item.fail("unknown mode " + in_quotes(word) + storage::suggestion(word, {"best", "last"}));
    const Mode mode = word == "best" ? Mode::best : Mode::last;
    if (std::find(modes.begin(), modes.end(), mode) != modes.end()) item.fail(in_quotes(word) + " is there twice");
    modes.push_back(mode);
  }
  return modes;
}

TableSpec read_table(const JsonValue& value, const std::vector<Block>& blocks) {
  value.allow_only({"id", "title", "rows", "columns", "modes"});
  TableSpec table;
  table.id = read_id(value.at("id"));
  table.modes = {Mode::best, Mode::last};
  if (const auto title = value.find("title")) table.title = title->string();
  if (const auto columns = value.find("columns")) table.classes = read_columns(*columns);
  if (const auto modes = value.find("modes")) table.modes = read_modes(*modes);
  const auto rows = value.find("rows");
  table.rows = rows ? read_rows(*rows) : rows_for_settings(blocks, "");
  return table;
}

/// Distinct jobs but for class and seed, as they are after normalisation, in the order first named.
std::vector<Job> distinct_settings(const std::vector<Block>& blocks, const std::string& dataset) {
  std::vector<Job> settings;
  std::set<std::string> seen;
  for (const Block& block : blocks) {
    for (const Job& job : block.jobs_without_class) {
      if (!dataset.empty() && job.dataset != dataset) continue;
      Job setting = normalised(job);
      setting.seed = 0;
      if (seen.insert(canonical_text(setting)).second) settings.push_back(setting);
    }
  }
  return settings;
}

}  // namespace

std::vector<TableRow> rows_for_settings(const std::vector<Block>& blocks, const std::string& dataset) {
  const std::vector<Job> settings = distinct_settings(blocks, dataset);
  const std::vector<std::string> names = setting_names(settings);
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    TableRow row;
    row.name = names[i];
    for (const Axis& axis : axes()) {
      if (axis.name != "seed" && is_said(axis, settings[i])) row.where.axes[axis.name] = {axis.text(settings[i])};
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<TableSpec> parse_tables(const JsonValue& value, const std::vector<Block>& blocks) {
  std::vector<TableSpec> tables;
  for (const JsonValue& item : value.items()) {
    tables.push_back(read_table(item, blocks));
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
      table.modes = {Mode::best, Mode::last};
      tables.push_back(std::move(table));
    }
  }
  return tables;
}

}  // namespace sweeps
