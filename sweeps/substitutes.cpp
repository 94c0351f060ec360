// Replaces words in the JSON of a sweep, before anything else reads it: so that everything that a sweep can say holds
// for what stands in.
#include "sweeps/substitutes.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "storage/nearest.hpp"
#include "sweeps/backbones.hpp"
#include "sweeps/parser.hpp"

namespace sweeps {
namespace {

using storage::in_quotes;
using storage::JsonValue;
using storage::JsonWriter;

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_substituted_key(const std::string& key) {
  return key == "backbone" || key == "dataset";
}

void add_named(const JsonValue& block, const std::string& key, std::set<std::string>& named) {
  const auto member = block.is_object() ? block.find(key) : std::nullopt;
  if (!member) return;
  for (const JsonValue& value : one_or_more(*member)) {
    if (value.is_string()) named.insert(value.string());
  }
}

/// The values of `key` in every block and what it includes.
std::vector<std::string> named_by_blocks(const JsonValue& sweep, const std::string& key) {
  std::set<std::string> named;
  for (const JsonValue& block : sweep.at("blocks").items()) {
    add_named(block, key, named);
    const auto included = block.is_object() ? block.find("include") : std::nullopt;
    if (!included || !included->is_array()) continue;
    for (const JsonValue& item : included->items()) add_named(item, key, named);
  }
  return {named.begin(), named.end()};
}

std::vector<std::string> known_dataset_ids(const JsonValue& sweep) {
  std::vector<std::string> ids = own_dataset_ids();
  if (const auto declared = sweep.find("datasets")) {
    for (const auto& member : declared->members()) ids.push_back(member.first);
  }
  return ids;
}

/// One value, or a list in which two may have become one.
void write_replaced(JsonWriter& json, const JsonValue& value, const Substitutes& substitutes) {
  const auto text_of = [&](const JsonValue& word) {
    const auto found = word.is_string() ? substitutes.find(word.string()) : substitutes.end();
    return found == substitutes.end() ? word.text() : in_quotes(found->second);
  };
  if (!value.is_array()) {
    json.raw(text_of(value));
    return;
  }
  std::map<std::string, bool> written;  // and whether something was replaced by it
  json.begin_array();
  for (const JsonValue& word : value.items()) {
    const std::string text = text_of(word);
    const bool replaced = text != word.text();
    const auto before = written.find(text);
    if (before != written.end() && (replaced || before->second)) continue;  // twice in the file stays an error
    written[text] = replaced;
    json.raw(text);
  }
  json.end_array();
}

/// A block, or the `where` of a row or column: `backbone` and `dataset` replaced.
void write_selecting(JsonWriter& json, const JsonValue& value, const Substitutes& substitutes) {
  if (!value.is_object()) {
    json.raw(value.text());
    return;
  }
  json.begin_object();
  for (const auto& [key, member] : value.members()) {
    json.key(key);
    if (is_substituted_key(key)) {
      write_replaced(json, member, substitutes);
    } else if (contains({"rows", "columns", "where", "exclude", "include"}, key)) {
      if (member.is_array()) {
        json.begin_array();
        for (const JsonValue& row : member.items()) write_selecting(json, row, substitutes);
        json.end_array();
      } else {
        write_selecting(json, member, substitutes);
      }
    } else {
      json.raw(member.text());
    }
  }
  json.end_object();
}

/// The settings of SPARK 2021 hold for SPARK 2022 where the sweep says nothing of it, and the other way round.
void write_datasets(JsonWriter& json, const JsonValue& datasets, const Substitutes& substitutes) {
  json.begin_object();
  for (const auto& [id, entry] : datasets.members()) json.key(id).raw(entry.text());
  for (const auto& [from, to] : substitutes) {
    const auto entry = datasets.find(from);
    const auto kind = entry ? entry->find("kind") : std::nullopt;
    const bool is_spark = kind && kind->is_string() && kind->string().starts_with("spark") && to.starts_with("spark");
    if (!is_spark || datasets.find(to) || !contains(own_dataset_ids(), to)) continue;
    json.key(to).begin_object();
    for (const auto& [key, member] : entry->members()) json.key(key).raw(key == "kind" ? in_quotes(to) : member.text());
    json.end_object();
  }
  json.end_object();
}

}  // namespace

JsonValue with_more_substitutes(const JsonValue& sweep, const Substitutes& more, const std::string& origin) {
  if (more.empty()) return sweep;
  JsonWriter json;
  json.begin_object();
  for (const auto& [key, member] : sweep.members()) {
    if (key != "substitute") json.key(key).raw(member.text());
  }
  json.key("substitute").begin_object();
  if (const auto written = sweep.find("substitute")) {
    for (const auto& [from, to] : written->members()) {
      if (!more.contains(from)) json.key(from).raw(to.text());
    }
  }
  for (const auto& [from, to] : more) json.member(from, to);
  json.end_object().end_object();
  return storage::parse_json(json.text(), origin, storage::Blame::user);
}

Substitutes read_substitutes(const JsonValue& sweep) {
  Substitutes substitutes;
  const auto written = sweep.find("substitute");
  if (!written) return substitutes;
  const auto used_backbones = named_by_blocks(sweep, "backbone");
  const auto used_datasets = named_by_blocks(sweep, "dataset");
  const auto ids = known_dataset_ids(sweep);
  for (const auto& [from, value] : written->members()) {
    const std::string to = value.string();
    const bool is_backbone = contains(backbone_names(), from);
    const auto& used = is_backbone ? used_backbones : used_datasets;
    if (!contains(used, from)) {
      auto both = used_backbones;
      both.insert(both.end(), used_datasets.begin(), used_datasets.end());
      value.fail("no block names a backbone or data set " + in_quotes(from) + storage::suggestion(from, both));
    }
    const auto& known = is_backbone ? backbone_names() : ids;
    if (!contains(known, to)) {
      const std::string what = is_backbone ? "backbone" : "data set";
      const std::string hint = is_backbone ? "" : "; others get an entry in \"datasets\"";
      value.fail("unknown " + what + " " + in_quotes(to) + storage::suggestion(to, known) + hint);
    }
    if (from == to) value.fail("nothing stands in for itself; remove it");
    substitutes[from] = to;
  }
  return substitutes;
}

JsonValue with_substitutes(const JsonValue& sweep, const Substitutes& substitutes, const std::string& origin) {
  if (substitutes.empty()) return sweep;
  JsonWriter json;
  json.begin_object();
  for (const auto& [key, member] : sweep.members()) {
    json.key(key);
    if (key == "datasets" && member.is_object()) {
      write_datasets(json, member, substitutes);
    } else if ((key == "blocks" || key == "tables") && member.is_array()) {
      json.begin_array();
      for (const JsonValue& item : member.items()) write_selecting(json, item, substitutes);
      json.end_array();
    } else {
      json.raw(member.text());
    }
  }
  json.end_object();
  return storage::parse_json(json.text(), origin, storage::Blame::user);
}

}  // namespace sweeps
