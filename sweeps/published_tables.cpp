// Reads paper/tables.json, whose bytes are compiled in. Numbers stay as printed; names of classes become those of this
// program's data sets.
#include "sweeps/published_tables.hpp"

#include <algorithm>
#include <string_view>

#include "storage/json.hpp"
#include "sweeps/names.hpp"

namespace sweeps {

/// The file, written into a source by CMake (cmake/embed.cmake).
std::string_view published_tables_json();

namespace {

using storage::JsonValue;

constexpr std::int64_t kSchema = 1;

/// Id of a class -> what this program calls it.
using OfficialNames = std::map<std::string, std::string>;

/// "spark2021" has one class without an official name: the normal set of all satellites, which is called like its id.
std::map<std::string, OfficialNames> official_names(const JsonValue& root) {
  std::map<std::string, OfficialNames> names;
  for (const JsonValue& dataset : root.at("datasets").items()) {
    for (const JsonValue& one : dataset.at("classes").items()) {
      const std::string id = one.at("id").string(), official = one.at("official").string();
      names[dataset.at("id").string()][id] = official.empty() ? id : official;
    }
  }
  return names;
}

PublishedNumber read_number(const JsonValue& value) {
  PublishedNumber number;
  number.mean = value.at("mean").number();
  if (const JsonValue spread = value.at("std"); !spread.is_null()) number.std_dev = spread.number();
  number.bold = value.at("bold").boolean();
  return number;
}

template <typename Map, typename Read>
Map read_members(const JsonValue& object, const Read& read) {
  Map map;
  for (const auto& [key, value] : object.members()) map.emplace(key, read(value));
  return map;
}

template <typename Read>
auto read_items(const JsonValue& list, const Read& read) {
  std::vector<decltype(read(list))> values;
  for (const JsonValue& item : list.items()) values.push_back(read(item));
  return values;
}

std::vector<double> read_numbers(const JsonValue& list) {
  return read_items(list, [](const JsonValue& item) { return item.number(); });
}

/// Of the two words that `value` may be, whether it is the second.
bool is_second(const JsonValue& value, const char* first, const char* second) {
  const std::string word = value.string();
  if (word != first && word != second) {
    value.fail("expected " + storage::listed({first, second}) + ", found " + value.text());
  }
  return word == second;
}

PublishedMethod read_method(const JsonValue& value, const JsonValue& jobs) {
  PublishedMethod method;
  method.method = read_name<Method>(value.at("name"));
  method.backbone = value.at("backbone").string();
  if (method.backbone == "none") method.backbone.clear();
  method.perturbation = read_name<Perturbation>(value.at("perturbation"));
  method.guidance = read_name<Guidance>(value.at("guidance"));
  method.lambdas = read_numbers(value.at("lambda"));
  method.best_per_class = is_second(value.at("lambda_choice"), "fixed", "best-per-class");
  method.lambda_by_class = read_members<decltype(method.lambda_by_class)>(value.at("lambda_by_class"), read_numbers);
  method.seeds = static_cast<int>(jobs.at("seeds").integer(1, 1000));
  method.epochs = static_cast<int>(jobs.at("epochs").integer(1, 100'000));
  return method;
}

PublishedRow::Kind read_kind(const JsonValue& value) {
  using Kind = PublishedRow::Kind;
  static const std::map<std::string, Kind> kinds = {
      {"ours", Kind::ours}, {"rerun", Kind::rerun}, {"literature", Kind::literature}, {"max", Kind::max}};
  const auto found = kinds.find(value.string());
  if (found == kinds.end()) value.fail("expected ours, rerun, literature or max, found " + value.text());
  return found->second;
}

PublishedRow read_row(const JsonValue& value, const std::vector<std::string>& row_header) {
  PublishedRow row;
  row.id = value.at("id").string();
  row.name = value.at("name").string();
  row.kind = read_kind(value.at("kind"));
  row.group = value.at("group").string();
  row.cite = value.at("cite").string();
  row.marks = read_items(value.at("marks"), [](const JsonValue& mark) { return mark.string(); });
  row.statistic = value.at("statistic").string();
  for (const std::string& key : row_header) row.header.push_back(value.at("header").at(key).string());
  const JsonValue method = value.at("method");
  if (!method.is_null()) row.method = read_method(method, value.at("jobs"));
  row.cells = read_members<decltype(row.cells)>(value.at("cells"), read_number);
  if (const JsonValue mean = value.at("row_mean"); !mean.is_null()) row.row_mean = read_number(mean);
  return row;
}

PublishedTable read_table(const JsonValue& value, const std::map<std::string, OfficialNames>& official) {
  PublishedTable table;
  table.id = value.at("id").string();
  table.label = value.at("label").string();
  table.title = value.at("title").string();
  table.dataset = value.at("dataset").string();
  table.fraction = is_second(value.at("metric"), "auc-percent", "auc-fraction");
  table.cell_decimals = static_cast<int>(value.at("decimals").at("cells").integer(0, 9));
  table.mean_decimals = static_cast<int>(value.at("decimals").at("row_mean").integer(0, 9));
  const OfficialNames& names = official.at(table.dataset);
  for (const JsonValue& column : value.at("columns").items()) {
    const std::string id = column.at("id").string();
    table.columns.push_back({id, column.at("name").string(), names.at(id)});
  }
  table.mean_name = value.at("mean_name").string();
  table.row_header = read_items(value.at("row_header"), [](const JsonValue& key) { return key.string(); });
  table.transposed = value.at("transposed").boolean();
  table.rows = read_items(value.at("rows"), [&](const JsonValue& row) { return read_row(row, table.row_header); });
  return table;
}

PublishedClaim read_claim(const JsonValue& value) {
  PublishedClaim claim;
  claim.id = value.at("id").string();
  claim.section = value.at("where").string();
  claim.title = value.at("title").string();
  claim.value = read_numbers(value.at("values")).at(0);
  claim.approximate = value.at("approximate").boolean();
  claim.places = read_items(value.at("refers_to"), [](const JsonValue& place) {
    return PublishedClaim::Place{place.at("table").string(), place.at("row").string(), place.at("column").string()};
  });
  return claim;
}

/// Numbers of the text that are results; the others are sizes and settings.
std::vector<PublishedClaim> read_claims(const JsonValue& root) {
  std::vector<PublishedClaim> claims;
  for (const JsonValue& value : root.at("text_values").items()) {
    const std::string kind = value.at("kind").string();
    if (kind == "result" || kind == "difference") claims.push_back(read_claim(value));
  }
  return claims;
}

JsonValue read_root() {
  JsonValue root =
      storage::parse_json(published_tables_json(), "sweeps/paper/tables.json, as compiled in", storage::Blame::run);
  if (root.at("schema").integer() != kSchema) root.at("schema").fail("expected 1, found " + root.at("schema").text());
  return root;
}

std::vector<PublishedTable> read_all() {
  const JsonValue root = read_root();
  const auto official = official_names(root);
  return read_items(root.at("tables"), [&](const JsonValue& table) { return read_table(table, official); });
}

}  // namespace

const PublishedRow* PublishedTable::find_row(const std::string& row_id) const {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const PublishedRow& row) { return row.id == row_id; });
  return found == rows.end() ? nullptr : &*found;
}

const PublishedColumn* PublishedTable::find_column(const std::string& official) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const PublishedColumn& column) { return column.official == official; });
  return found == columns.end() ? nullptr : &*found;
}

const std::vector<PublishedTable>& published_tables() {
  static const std::vector<PublishedTable> tables = read_all();
  return tables;
}

const std::vector<PublishedClaim>& published_claims() {
  static const std::vector<PublishedClaim> claims = read_claims(read_root());
  return claims;
}

const PublishedTable* find_published_table(const std::string& id) {
  const auto& tables = published_tables();
  const auto found =
      std::find_if(tables.begin(), tables.end(), [&](const PublishedTable& table) { return table.id == id; });
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace sweeps
