// The top of a sweep file: version, name, data sets. Blocks and tables have files of their own. Knows no data: whether
// a class exists is seen when the sweep is expanded.
#include <algorithm>
#include <set>

#include "storage/json.hpp"
#include "storage/nearest.hpp"
#include "sweeps/parser.hpp"

namespace sweeps {
namespace {

using storage::JsonValue;

constexpr int kSweepVersion = 1;
const std::vector<std::string> kKinds = {"image-folder", "cifar10", "synthetic", "features"};

void check_version(const JsonValue& sweep) {
  const auto version = sweep.find("version");
  if (!version) sweep.fail("the key \"version\" is missing; write \"version\": 1");
  if (version->is_integer() && version->integer() == kSweepVersion) return;
  version->fail("expected 1, the version of sweep files that this build reads; found " + version->text());
}

/// Every data set that the file may name: its own and those that need no entry.
std::vector<DatasetSpec> declared_datasets(const JsonValue& sweep) {
  std::vector<DatasetSpec> specs;
  if (const auto datasets = sweep.find("datasets")) {
    for (const auto& [id, value] : datasets->members()) specs.push_back(read_dataset_spec(id, value));
  }
  for (const char* id : {"synthetic", "cifar10"}) {
    const auto has_id = [id](const DatasetSpec& spec) { return spec.id == id; };
    if (std::any_of(specs.begin(), specs.end(), has_id)) continue;
    DatasetSpec spec;
    spec.id = spec.kind = id;
    specs.push_back(spec);
  }
  return specs;
}

std::vector<DatasetSpec> used_datasets(const std::vector<DatasetSpec>& declared, const std::vector<Block>& blocks) {
  std::vector<DatasetSpec> used;
  std::set<std::string> seen;
  for (const Block& block : blocks) {
    for (const Job& job : block.jobs_without_class) {
      if (!seen.insert(job.dataset).second) continue;
      used.push_back(
          *std::find_if(declared.begin(), declared.end(), [&](const DatasetSpec& s) { return s.id == job.dataset; }));
    }
  }
  return used;
}

Sweep read(const JsonValue& value, const std::string& origin) {
  check_version(value);
  value.allow_only({"version", "name", "datasets", "blocks", "tables"});
  Sweep sweep;
  sweep.origin = origin;
  sweep.name = read_id(value.at("name"));
  const std::vector<DatasetSpec> declared = declared_datasets(value);
  const JsonValue blocks = value.at("blocks");
  for (const JsonValue& block : blocks.items()) sweep.blocks.push_back(parse_block(block, declared));
  if (sweep.blocks.empty()) blocks.fail("expected at least one block, found an empty list");
  sweep.datasets = used_datasets(declared, sweep.blocks);
  const auto tables = value.find("tables");
  sweep.tables = tables ? parse_tables(*tables, sweep.blocks) : default_tables(sweep.blocks);
  sweep.text = value.text();
  return sweep;
}

}  // namespace

std::string canonical_text(const DatasetSpec& spec) {
  storage::JsonWriter writer;
  writer.begin_object();
  if (spec.kind == "synthetic") writer.member("classes", spec.class_count);
  writer.member("kind", spec.kind);
  if (spec.kind == "synthetic") {
    writer.member("seed", spec.seed).member("test_per_class", spec.test_per_class);
    writer.member("train_per_class", spec.train_per_class);
  }
  return writer.end_object().text();
}

DatasetSpec read_dataset_spec(const std::string& id, const JsonValue& value) {
  static const std::vector<std::string> synthetic_keys = {"seed", "train_per_class", "test_per_class", "classes"};
  DatasetSpec spec;
  spec.id = id;
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
  };
  if (id.empty() || id.size() > 100 || id.front() == '.' || !std::all_of(id.begin(), id.end(), allowed)) {
    value.fail("the id of a data set has 1 to 100 letters, digits, '-', '_' and '.', and does not begin with '.'");
  }
  const JsonValue kind = value.at("kind");
  spec.kind = kind.string();
  if (std::find(kKinds.begin(), kKinds.end(), spec.kind) == kKinds.end()) {
    kind.fail("unknown kind " + storage::in_quotes(spec.kind) + storage::suggestion(spec.kind, kKinds));
  }
  if (spec.kind != "synthetic") {
    for (const auto& [key, member] : value.members()) {
      const bool is_known =
          key == "kind" || std::find(synthetic_keys.begin(), synthetic_keys.end(), key) != synthetic_keys.end();
      if (!is_known) {
        member.fail("unknown key; kind " + storage::in_quotes(spec.kind) +
                    " has no settings. Where it lies is said with --data " + id + "=PATH or in a site file");
      }
    }
    for (const std::string& key : synthetic_keys) {
      if (const auto member = value.find(key))
        member->fail("has no meaning for kind " + storage::in_quotes(spec.kind) + "; remove it");
    }
    return spec;
  }
  std::vector<std::string> known = synthetic_keys;
  known.emplace_back("kind");
  value.allow_only(known);
  if (const auto v = value.find("seed")) spec.seed = static_cast<std::uint64_t>(v->integer(0, std::int64_t{1} << 53));
  if (const auto v = value.find("train_per_class")) spec.train_per_class = v->integer(2, 1'000'000);
  if (const auto v = value.find("test_per_class")) spec.test_per_class = v->integer(1, 1'000'000);
  if (const auto v = value.find("classes")) spec.class_count = v->integer(2, 1000);
  return spec;
}

Sweep read_sweep(const std::filesystem::path& file) {
  return read(storage::read_json(file, storage::Blame::user), file.string());
}

Sweep parse_sweep(std::string_view text, const std::string& origin) {
  return read(storage::parse_json(text, origin, storage::Blame::user), origin);
}

}  // namespace sweeps
