// One entry of "datasets": the kind of a data set and the settings that the kind has. One list says which setting
// belongs to which kind. Knows no data: whether a class exists is seen when the data set is opened.
#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

#include "storage/json.hpp"
#include "storage/nearest.hpp"
#include "storage/printable.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

using storage::in_quotes;
using storage::JsonValue;
using storage::JsonWriter;

constexpr std::int64_t kMostRows = 1'000'000;
constexpr std::size_t kMostClasses = 100'000;

/// A setting of a data set: the kinds that have it, how it is read, and how it is written where it says something.
struct Setting {
  std::string key;
  std::vector<std::string> kinds;  ///< empty: every kind
  std::function<void(DatasetSpec&, const JsonValue&)> read;
  std::function<void(JsonWriter&, const DatasetSpec&)> write;  ///< absent: not part of the canonical text
};

SplitByShare read_split(const JsonValue& value) {
  value.allow_only({"test", "seed"});
  SplitByShare split;
  const JsonValue test = value.at("test");
  split.test = test.number();
  if (!(split.test > 0 && split.test < 1)) {
    test.fail("expected a share between 0 and 1, such as 0.2, found " + test.text());
  }
  if (const auto seed = value.find("seed")) {
    split.seed = static_cast<std::uint64_t>(seed->integer(0, std::int64_t{1} << 53));
  }
  return split;
}

std::vector<std::string> read_class_list(const JsonValue& value) {
  std::vector<std::string> classes;
  for (const JsonValue& item : value.items(kMostClasses)) {
    classes.push_back(item.string());
    if (std::count(classes.begin(), classes.end(), classes.back()) > 1) item.fail(item.text() + " is there twice");
  }
  if (classes.empty()) value.fail("expected at least one class, found an empty list");
  return classes;
}

/// `["cat", "dog"]` or `{"all_but": ["ship"]}`.
NormalSet read_normal_set(const std::string& name, const JsonValue& value) {
  if (name.empty()) value.fail("expected the name of a set of classes, found \"\"");
  if (!storage::is_plain_text(name)) value.fail("expected a name without control characters");
  if (value.is_array()) return {name, read_class_list(value), false};
  if (!value.is_object()) {
    value.fail("expected a list of classes, or {\"all_but\": [...]} for all others; found " + value.text());
  }
  value.allow_only({"all_but"});
  return {name, read_class_list(value.at("all_but")), true};
}

Setting whole(std::string key, std::int64_t DatasetSpec::*field, std::int64_t least, std::int64_t most) {
  return {std::move(key),
          {"synthetic"},
          [=](DatasetSpec& spec, const JsonValue& value) { spec.*field = value.integer(least, most); },
          nullptr};
}

/// In the order of the canonical text: sorted by key.
std::vector<Setting> all_settings() {
  std::vector<Setting> list;
  const auto add = [&](Setting setting, std::function<void(JsonWriter&, const DatasetSpec&)> write) {
    setting.write = std::move(write);
    list.push_back(std::move(setting));
  };
  add(whole("classes", &DatasetSpec::class_count, 2, 1000),
      [](JsonWriter& json, const DatasetSpec& spec) { json.member("classes", spec.class_count); });
  add({"kind", {}, [](DatasetSpec&, const JsonValue&) {}, nullptr},
      [](JsonWriter& json, const DatasetSpec& spec) { json.member("kind", spec.kind); });
  // Which classes are trained on together is in the jobs; no row depends on it.
  add({"normal_sets",
       {},
       [](DatasetSpec& spec, const JsonValue& value) {
         for (const auto& [name, set] : value.members()) spec.normal_sets.push_back(read_normal_set(name, set));
       },
       nullptr},
      nullptr);
  add({"seed",
       {"synthetic"},
       [](DatasetSpec& spec, const JsonValue& value) {
         spec.seed = static_cast<std::uint64_t>(value.integer(0, std::int64_t{1} << 53));
       },
       nullptr},
      [](JsonWriter& json, const DatasetSpec& spec) { json.member("seed", spec.seed); });
  add({"size",
       {"spark2021", "spark2022"},
       [](DatasetSpec& spec, const JsonValue& value) {
         spec.size = static_cast<int>(value.integer());
         if (spec.size != 512 && spec.size != 32) {
           value.fail("expected 512 (the paper's text) or 32 (what the released code packs), found " + value.text());
         }
       },
       nullptr},
      [](JsonWriter& json, const DatasetSpec& spec) { json.member("size", spec.size); });
  add({"skip",
       {"image-folder", "spark2021", "spark2022"},
       [](DatasetSpec& spec, const JsonValue& value) {
         spec.skip = value.number() + 0.0;
         if (!(spec.skip >= 0 && spec.skip < 1)) {
           value.fail("expected the largest share of images that may be skipped, from 0 to below 1; found " +
                      value.text());
         }
       },
       nullptr},
      [](JsonWriter& json, const DatasetSpec& spec) {
        if (spec.skip > 0) json.member("skip", spec.skip);
      });
  add({"split",
       {"image-folder"},
       [](DatasetSpec& spec, const JsonValue& value) { spec.split = read_split(value); },
       nullptr},
      [](JsonWriter& json, const DatasetSpec& spec) {
        if (!spec.split) return;
        json.key("split").begin_object().member("seed", spec.split->seed).member("test", spec.split->test).end_object();
      });
  add(whole("test_per_class", &DatasetSpec::test_per_class, 1, kMostRows),
      [](JsonWriter& json, const DatasetSpec& spec) { json.member("test_per_class", spec.test_per_class); });
  add(whole("train_per_class", &DatasetSpec::train_per_class, 2, kMostRows),
      [](JsonWriter& json, const DatasetSpec& spec) { json.member("train_per_class", spec.train_per_class); });
  add({"upright",
       {"synthetic"},
       [](DatasetSpec& spec, const JsonValue& value) { spec.upright = value.boolean(); },
       nullptr},
      [](JsonWriter& json, const DatasetSpec& spec) {
        if (spec.upright) json.member("upright", true);
      });
  return list;
}

const std::vector<Setting>& settings() {
  static const std::vector<Setting> list = all_settings();
  return list;
}

bool has(const std::string& kind, const Setting& setting) {
  return setting.kinds.empty() || std::count(setting.kinds.begin(), setting.kinds.end(), kind) > 0;
}

void check_keys(const std::string& id, const std::string& kind, const JsonValue& value) {
  std::vector<std::string> known;
  for (const Setting& setting : settings()) {
    if (has(kind, setting)) known.push_back(setting.key);
  }
  for (const auto& [key, member] : value.members()) {
    const auto found = std::find_if(settings().begin(), settings().end(),
                                    [&key = key](const Setting& setting) { return setting.key == key; });
    if (found == settings().end()) {
      member.fail("unknown key" + storage::suggestion(key, known) + ". Where a data set lies is said with --data " +
                  id + "=PATH or in a site file");
    }
    if (has(kind, *found)) continue;
    member.fail("has no meaning for kind " + in_quotes(kind) + ", only for " + storage::listed(found->kinds) +
                "; remove it");
  }
}

void check_id(const std::string& id, const JsonValue& value) {
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  if (!id.empty() && id.size() <= 100 && id.front() != '.' && std::all_of(id.begin(), id.end(), allowed)) return;
  value.fail("the id of a data set has 1 to 100 letters, digits, '-', '_' and '.', and does not begin with '.'");
}

}  // namespace

const std::vector<std::string>& dataset_kinds() {
  static const std::vector<std::string> kinds = {"image-folder", "cifar10",   "cifar100", "spark2021",
                                                 "spark2022",    "synthetic", "features"};
  return kinds;
}

std::string canonical_text(const DatasetSpec& spec) {
  JsonWriter writer;
  writer.begin_object();
  for (const Setting& setting : settings()) {
    if (setting.write && has(spec.kind, setting)) setting.write(writer, spec);
  }
  return writer.end_object().text();
}

std::vector<std::string> settings_in_words(const DatasetSpec& spec) {
  std::vector<std::string> words;
  if (spec.kind.starts_with("spark")) words.push_back("size " + std::to_string(spec.size));
  if (spec.upright) words.emplace_back("upright");
  if (spec.split) {
    words.push_back("a share of " + storage::shortest(spec.split->test) + " of each class drawn for the test by seed " +
                    std::to_string(spec.split->seed));
  }
  return words;
}

DatasetSpec read_dataset_spec(const std::string& id, const JsonValue& value) {
  DatasetSpec spec;
  spec.id = id;
  check_id(id, value);
  const JsonValue kind = value.at("kind");
  spec.kind = kind.string();
  if (std::count(dataset_kinds().begin(), dataset_kinds().end(), spec.kind) == 0) {
    kind.fail("unknown kind " + in_quotes(spec.kind) + storage::suggestion(spec.kind, dataset_kinds()));
  }
  check_keys(id, spec.kind, value);
  for (const Setting& setting : settings()) {
    if (const auto member = value.find(setting.key)) setting.read(spec, *member);
  }
  return spec;
}

}  // namespace sweeps
