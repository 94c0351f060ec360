// The rows of a table: what each selects, what it makes of its runs, and which published row stands beside it.
#include <algorithm>
#include <set>

#include "storage/nearest.hpp"
#include "sweeps/parser.hpp"

namespace sweeps {
namespace {

using storage::in_quotes;
using storage::JsonValue;

/// The published row that a key of a row names.
const PublishedRow& published_row(const JsonValue& id, const PublishedTable* published) {
  if (published == nullptr) {
    id.fail("the table stands beside no published one; give it \"published\", e.g. " +
            in_quotes(published_tables().front().id));
  }
  if (const PublishedRow* row = published->find_row(id.string())) return *row;
  std::vector<std::string> ids;
  for (const PublishedRow& row : published->rows) ids.push_back(row.id);
  id.fail("the published table " + published->id + " has no row " + id.text() + storage::suggestion(id.string(), ids));
}

TableRow read_literature(const JsonValue& row, const JsonValue& id, const PublishedTable* published) {
  for (const char* key : {"where", "published", "best_of", "statistic"}) {
    if (const auto member = row.find(key)) {
      member->fail("has no meaning beside \"literature\", whose numbers are only printed; remove one of them");
    }
  }
  const PublishedRow& printed = published_row(id, published);
  if (printed.kind != PublishedRow::Kind::literature) {
    id.fail(id.text() + " is no row of another paper; write \"published\": " + id.text() +
            ", so that its numbers stand beside runs");
  }
  return row_of(*published, printed, {});
}

std::string read_best_of(const JsonValue& value) {
  std::vector<std::string> known;
  for (const Axis& axis : axes()) {
    if (axis.name != "seed" && axis.name != "dataset") known.push_back(axis.name);
  }
  const std::string name = value.string();
  if (name == "seed") value.fail("the best of several seeds is \"statistic\": \"max\"");
  if (std::count(known.begin(), known.end(), name) == 0) {
    value.fail("unknown axis " + in_quotes(name) + storage::suggestion(name, known));
  }
  return name;
}

Statistic read_statistic(const JsonValue& value) {
  const std::string word = value.string();
  if (word == "mean") return Statistic::mean;
  if (word == "max") return Statistic::max;
  if (word == "mean-and-max") return Statistic::mean_and_max;
  value.fail("unknown statistic " + in_quotes(word) + storage::suggestion(word, {"mean", "max", "mean-and-max"}));
}

/// What the published row says holds where the file says nothing.
TableRow read_row(const JsonValue& value, const PublishedTable* published, const Substitutes& substitutes) {
  value.allow_only({"name", "where", "group", "published", "literature", "best_of", "statistic"});
  const auto literature = value.find("literature"), beside = value.find("published");
  TableRow row;
  if (literature) row = read_literature(value, *literature, published);
  if (beside) row = row_of(*published, published_row(*beside, published), substitutes);
  if (row.only_printed && beside) {
    beside->fail(beside->text() +
                 " is a row of another paper, which nothing here makes again; write \"literature\": " + beside->text());
  }
  const bool named = literature || beside;
  if (const auto name = named ? value.find("name") : value.at("name")) {
    row.name = name->string();
    if (row.name.empty()) name->fail("expected the name of a row, found \"\"");
  }
  if (const auto where = named ? value.find("where") : value.at("where")) row.where = read_selection(*where, false);
  if (const auto group = value.find("group")) row.group = group->string();
  if (const auto best_of = value.find("best_of")) row.best_of = read_best_of(*best_of);
  if (const auto statistic = value.find("statistic")) row.statistic = read_statistic(*statistic);
  return row;
}

}  // namespace

Selection read_selection(const JsonValue& where, bool with_class) {
  std::vector<std::string> known;
  for (const Axis& axis : axes()) known.push_back(axis.name);
  if (with_class) known.push_back(class_axis().name);
  Selection selection;
  for (const auto& [key, value] : where.members()) {
    if (!with_class && (key == "class" || key == "classes"))
      value.fail("a row is over all classes; choose them with \"columns\" of the table");
    const Axis* axis = find_axis(key);
    if (axis == nullptr) refuse_key(key, value, known);
    for (const JsonValue& item : one_or_more(value)) selection.axes[key].push_back(text_of(*axis, item));
  }
  return selection;
}

std::vector<TableRow> read_rows(const JsonValue& value, const PublishedTable* published,
                                const Substitutes& substitutes) {
  std::vector<TableRow> rows;
  std::set<std::string> names, groups;
  for (const JsonValue& item : value.items()) {
    TableRow row = read_row(item, published, substitutes);
    if (!names.insert(row.name).second) {
      item.find("name").value_or(item).fail("another row of this table is called " + in_quotes(row.name));
    }
    const bool goes_on = !rows.empty() && rows.back().group == row.group;
    if (!goes_on && !row.group.empty() && !groups.insert(row.group).second) {
      item.find("group").value_or(item).fail("rows of the group " + in_quotes(row.group) +
                                             " stand above, with others between; put them one after another");
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty()) value.fail("expected at least one row; leave \"rows\" out for one for each setting");
  return rows;
}

}  // namespace sweeps
