// A table as JSON: everything that it holds, at full precision. Keys in a fixed order; null where there is nothing.
#include "results/grid.hpp"

#include <algorithm>

#include "results/table_words.hpp"
#include "results/tables.hpp"
#include "storage/json.hpp"

namespace results {
namespace {

constexpr int kVersion = 1;

/// Writes values that may be absent, and the parts of a table.
class TableWriter {
 public:
  std::string text_of(const Table& table);

 private:
  void number(std::string_view key, const std::optional<double>& value) {
    json_.key(key);
    value ? json_.value(*value) : json_.null();
  }
  void count(std::string_view key, std::size_t value) { json_.member(key, std::uint64_t{value}); }
  void name(std::string_view key, std::string_view value) { json_.key(key).value(value); }
  void texts(std::string_view key, const std::vector<std::string>& values);
  void printing(const Table& table);
  void columns(const Table& table);
  void counts(const CellCounts& counts);
  void values(const Table& table, const std::vector<Value>& values);
  void published(std::string_view key, const std::optional<Published>& published);
  void verdict(std::string_view key, const std::optional<Verdict>& verdict);
  void cell(const Table& table, const Cell& cell, const std::string& column);
  void mean(const Table& table, const Row& row);
  void uncounted(const std::vector<Uncounted>& runs);
  void row(const Table& table, const Row& row);
  void verdict_counts(const VerdictCounts& counts);
  void comparison(const Comparison& comparison);

  storage::JsonWriter json_;
};

void TableWriter::texts(std::string_view key, const std::vector<std::string>& values) {
  json_.key(key).begin_array();
  for (const std::string& value : values) json_.value(value);
  json_.end_array();
}

void TableWriter::printing(const Table& table) {
  json_.key("modes").begin_array();
  for (const sweeps::Mode mode : table.modes) json_.value(mode_name(mode));
  json_.end_array();
  name("metric", name_of(table.metric));
  json_.member("decimals", table.decimals).member("mean_decimals", table.mean_decimals);
  json_.member("bold", table.bold).member("transposed", table.transposed);
  json_.key("published");
  table.published == nullptr ? json_.null() : json_.value(table.published->id);
  json_.member("scale", table.scale);
}

void TableWriter::columns(const Table& table) {
  name("columns_are", name_of(table.columns_are));
  json_.key("columns").begin_array();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    json_.begin_object().member("name", table.columns[i]).member("title", table.column_title(i)).end_object();
  }
  json_.end_array();
}

void TableWriter::counts(const CellCounts& counts) {
  json_.key("runs").begin_object();
  count("planned", counts.planned);
  count("counted", counts.finished);
  count("diverged", counts.diverged);
  count("failed", counts.failed);
  count("undefined", counts.undefined);
  count("missing", counts.missing());
  json_.end_object();
}

/// An object with a key for each mode.
void TableWriter::values(const Table& table, const std::vector<Value>& values) {
  json_.key("modes").begin_object();
  for (std::size_t mode = 0; mode < std::min(values.size(), table.modes.size()); ++mode) {
    const Value& value = values[mode];
    json_.key(mode_name(table.modes[mode])).begin_object();
    number("mean", value.summary.mean);
    number("std", value.summary.std_dev);
    count("n", value.summary.n);
    count("planned", value.planned);
    number("max", value.max);
    json_.member("chosen", value.chosen).end_object();
  }
  json_.end_object();
}

void TableWriter::published(std::string_view key, const std::optional<Published>& published) {
  json_.key(key);
  if (!published) {
    json_.null();
    return;
  }
  json_.begin_object().member("mean", published->mean);
  number("std", published->std_dev);
  count("n", published->n);
  json_.member("bold", published->bold).key("chosen").begin_array();
  for (const double choice : published->chosen) json_.value(choice);
  json_.end_array().end_object();
}

void TableWriter::verdict(std::string_view key, const std::optional<Verdict>& verdict) {
  json_.key(key);
  if (!verdict) {
    json_.null();
    return;
  }
  json_.begin_object();
  name("kind", name_of(verdict->kind));
  number("difference", verdict->difference);
  number("low", verdict->low);
  number("high", verdict->high);
  number("max_difference", verdict->max_difference);
  json_.member("why", verdict->why).end_object();
}

void TableWriter::cell(const Table& table, const Cell& cell, const std::string& column) {
  json_.begin_object().member("column", column);
  counts(cell.counts);
  values(table, cell.by_mode);
  json_.member("weights", cell.weights.kinds()).member("bold", cell.bold);
  published("published", cell.published);
  verdict("verdict", cell.verdict);
  texts("mixed", cell.mixed);
  json_.end_object();
}

void TableWriter::mean(const Table& table, const Row& row) {
  json_.key("mean").begin_object();
  count("seeds_planned", row.seeds_planned);
  values(table, row.mean_by_mode);
  json_.member("bold", row.mean_bold);
  published("published", row.published_mean);
  verdict("verdict", row.mean_verdict);
  texts("mixed", row.mean_mixed);
  json_.end_object();
  number("last_epoch_mean", row.last_mean);
}

void TableWriter::uncounted(const std::vector<Uncounted>& runs) {
  json_.key("uncounted").begin_array();
  for (const Uncounted& run : runs) {
    json_.begin_object();
    name("why", name_of(run.why));
    json_.member("column", run.column).key("seed");
    run.seed ? json_.value(*run.seed) : json_.null();
    json_.member("detail", run.detail).member("choice", run.choice).end_object();
  }
  json_.end_array();
}

void TableWriter::row(const Table& table, const Row& row) {
  json_.begin_object().member("name", row.name).member("group", row.group);
  name("statistic", name_of(row.statistic));
  json_.member("best_of", row.best_of).member("only_printed", row.only_printed);
  json_.key("published");
  row.published == nullptr ? json_.null() : json_.value(row.published->id);
  json_.member("in_paper", row.in_paper).member("reduced", row.reduced).member("seeded", row.seeded);
  json_.member("departs", row.departs).member("comparable", row.comparable);
  json_.member("why_not_comparable", row.why_not_comparable).member("weights", row.weights.kinds());
  texts("weights_listed", row.weights.listed());
  json_.key("cells").begin_array();
  for (std::size_t i = 0; i < row.cells.size(); ++i) cell(table, row.cells[i], table.columns.at(i));
  json_.end_array();
  mean(table, row);
  counts(row.total);
  uncounted(row.uncounted);
  json_.end_object();
}

void TableWriter::verdict_counts(const VerdictCounts& counts) {
  json_.key("verdicts").begin_object();
  count("inside", counts.inside);
  count("outside", counts.outside);
  count("no-spread", counts.no_spread);
  count("withheld", counts.withheld);
  count("no-number", counts.no_number);
  json_.end_object();
}

void TableWriter::comparison(const Comparison& one) {
  json_.begin_object();
  name("mode", mode_name(one.mode));
  json_.member("first", one.first).member("second", one.second);
  count("classes", one.classes);
  number("mean_difference", one.mean_difference);
  count("higher", one.higher);
  count("lower", one.lower);
  count("pairs", one.pairs);
  count("pairs_planned", one.pairs_planned);
  json_.member("too_few", one.too_few).member("exact", one.exact);
  number("p", one.p);
  number("p_holm", one.p_adjusted);
  count("family", one.family);
  texts("mixed", one.mixed);
  json_.end_object();
}

std::string TableWriter::text_of(const Table& table) {
  json_.begin_object().member("v", kVersion).member("id", table.id).member("title", table.title);
  if (table.datasets.size() == 1) {
    json_.member("dataset", table.datasets.front());
  } else {
    json_.key("dataset").null();
    texts("datasets", table.datasets);
  }
  printing(table);
  columns(table);
  texts("settings", table.settings);
  texts("departures", table.departures);
  texts("left_out", table.left_out);
  texts("mixed", table.mixed);
  json_.key("rows").begin_array();
  for (const Row& one : table.rows) row(table, one);
  json_.end_array();
  verdict_counts(table.verdicts);
  json_.key("comparisons").begin_array();
  for (const Comparison& one : table.comparisons) comparison(one);
  json_.end_array().end_object();
  return json_.text() + "\n";
}

}  // namespace

std::string to_json(const Table& table) {
  return TableWriter().text_of(table);
}

}  // namespace results
