// sweep.schema.json says what the parser accepts: each word of one is a word of the other. That the shipped sweeps and
// the README's examples are valid under it is validate_sweeps.py's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "storage/error.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

using Json = nlohmann::json;
using Words = std::set<std::string>;

constexpr const char* kNobodysWord = "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz";

const Json& schema() {
  static const Json file = Json::parse(std::ifstream(PLUME_SOURCE_DIR "/sweeps/sweep.schema.json"));
  return file;
}
const Json& definition(const std::string& name) {
  return schema().at("$defs").at(name);
}

/// Its properties and those of what it refers to.
Words keys_of(const Json& object) {
  Words keys;
  if (object.contains("properties")) {
    for (const auto& [key, value] : object["properties"].items()) keys.insert(key);
  }
  if (object.contains("$ref")) {
    const std::string name = object["$ref"].get<std::string>().substr(std::string("#/$defs/").size());
    for (const std::string& key : keys_of(definition(name))) keys.insert(key);
  }
  return keys;
}

Words values_of(const Json& one_of) {
  return one_of.at("enum").get<Words>();
}

/// What the refusal of a sweep expected: `...; expected a, b or c`.
Words expected(const std::string& sweep) {
  try {
    parse_sweep(sweep, "s.json");
  } catch (const storage::UsageError& error) {
    const std::string message = error.what();
    const std::string start = "; expected ";
    std::string list = message.substr(std::min(message.size(), message.find(start) + start.size()));
    list = list.substr(0, list.find(". "));
    list = std::regex_replace(list, std::regex(" or "), ", ");
    Words words;
    for (std::size_t at = 0; at < list.size();) {
      const std::size_t end = std::min(list.find(", ", at), list.size());
      words.insert(list.substr(at, end - at));
      at = end + 2;
    }
    return words;
  }
  return {};
}

std::string with_unknown(const std::string& object) {
  const std::string key = "\"" + std::string(kNobodysWord) + "\": 1";
  return object.empty() ? "{" + key + "}" : "{" + object + ", " + key + "}";
}
std::string sweep_of(const std::string& block, const std::string& more = "") {
  return R"({"version": 1, "name": "s", "blocks": [)" + block + "]" + more + "}";
}
const std::string kBlock = R"("dataset": "cifar10", "backbone": "resnet50")";
std::string table_of(const std::string& table) {
  return sweep_of("{" + kBlock + "}", R"(, "tables": [)" + table + "]");
}

TEST(SweepSchema, HasTheKeysOfTheParser) {
  EXPECT_EQ(keys_of(schema()), expected(with_unknown(R"("version": 1, "name": "s", "blocks": [])")));
  EXPECT_EQ(keys_of(definition("block")), expected(sweep_of(with_unknown(kBlock))));
  EXPECT_EQ(keys_of(definition("table")), expected(table_of(with_unknown(R"("id": "t")"))));
  EXPECT_EQ(keys_of(definition("row")), expected(table_of(R"({"id": "t", "rows": [)" + with_unknown("") + "]}")));
  EXPECT_EQ(keys_of(definition("column")), expected(table_of(R"({"id": "t", "columns": [)" + with_unknown("") + "]}")));
  EXPECT_EQ(keys_of(definition("where")),
            expected(table_of(R"({"id": "t", "rows": [{"name": "r", "where": )" + with_unknown("") + "}]}")));
  EXPECT_EQ(keys_of(definition("where_with_class")),
            expected(sweep_of("{" + kBlock + R"(, "exclude": [)" + with_unknown("") + "]}")));
}

TEST(SweepSchema, GivesAnIncludedBlockTheKeysOfABlockButItsRules) {
  Words keys = keys_of(definition("block"));
  keys.erase("exclude");
  keys.erase("include");
  EXPECT_EQ(keys_of(definition("block_keys")), keys);
  EXPECT_EQ(definition("block").at("properties").at("include").at("items").at("$ref"), "#/$defs/block_keys");
}

TEST(SweepSchema, HasTheSettingsOfEachKindOfDataSet) {
  Words kinds;
  for (const Json& entry : definition("dataset_entry").at("oneOf")) {
    for (const std::string kind : entry.at("properties").at("kind").at("enum")) {
      kinds.insert(kind);
      EXPECT_EQ(keys_of(entry),
                expected(sweep_of("{" + kBlock + "}",
                                  R"(, "datasets": {"x": )" + with_unknown(R"("kind": ")" + kind + "\"") + "}")))
          << kind;
    }
  }
  EXPECT_EQ(kinds, Words(dataset_kinds().begin(), dataset_kinds().end()));
}

TEST(SweepSchema, HasTheWordsOfTheParser) {
  const std::string word = "\"" + std::string(kNobodysWord) + "\"";
  for (const char* axis :
       {"method", "normalisation", "perturbation", "guidance", "semantics", "classifier_passes", "scaling"}) {
    EXPECT_EQ(values_of(definition(axis)), expected(table_of(R"({"id": "t", "rows": [{"name": "r", "where": {")" +
                                                             std::string(axis) + "\": " + word + "}}]}")))
        << axis;
  }
  Words backbones = values_of(definition("backbone"));
  EXPECT_EQ(backbones.erase("features"), 1U);
  EXPECT_EQ(backbones, expected(sweep_of(R"({"dataset": "cifar10", "backbone": )" + word + "}")));
  const Json& table = definition("table").at("properties");
  EXPECT_EQ(values_of(table.at("modes").at("oneOf").at(0)),
            expected(table_of(R"({"id": "t", "modes": )" + word + "}")));
  EXPECT_EQ(values_of(table.at("metric")), expected(table_of(R"({"id": "t", "metric": )" + word + "}")));
  EXPECT_EQ(values_of(table.at("compare").at("oneOf").at(0)),
            expected(table_of(R"({"id": "t", "compare": )" + word + "}")));
  const auto row = [&](const std::string& key) {
    return expected(table_of(R"({"id": "t", "rows": [{"name": "r", "where": {}, ")" + key + "\": " + word + "}]}"));
  };
  EXPECT_EQ(values_of(definition("row").at("properties").at("statistic")), row("statistic"));
  EXPECT_EQ(values_of(definition("row").at("properties").at("best_of")), row("best_of"));
  EXPECT_EQ(values_of(schema().at("properties").at("scale")),
            expected(sweep_of("{" + kBlock + "}", R"(, "scale": )" + word)));
}

}  // namespace
}  // namespace sweeps
