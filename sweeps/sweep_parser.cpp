// The top of a sweep file: version, name, data sets. Their settings, blocks and tables have files of their own. Knows
// no data: whether a class exists is seen when the sweep is expanded.
#include <algorithm>
#include <set>

#include "storage/json.hpp"
#include "storage/nearest.hpp"
#include "sweeps/parser.hpp"
#include "sweeps/scale.hpp"
#include "sweeps/substitutes.hpp"

namespace sweeps {
namespace {

using storage::JsonValue;

constexpr int kSweepVersion = 1;

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
  for (const std::string& id : own_dataset_ids()) {
    const auto has_id = [&id](const DatasetSpec& spec) { return spec.id == id; };
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

/// "$schema" is for editors: no part of the sweep.
JsonValue without_schema(const JsonValue& file, const std::string& origin) {
  const auto schema = file.find("$schema");
  if (!schema) return file;
  schema->string();
  storage::JsonWriter json;
  json.begin_object();
  for (const auto& [key, member] : file.members()) {
    if (key != "$schema") json.key(key).raw(member.text());
  }
  json.end_object();
  return storage::parse_json(json.text(), origin, storage::Blame::user);
}

void lower_tables(Sweep& sweep) {
  for (TableSpec& table : sweep.tables) {
    for (TableRow& row : table.rows) lower(row.where, sweep.scale);
    for (TableColumn& column : table.chosen) lower(column.where, sweep.scale);
  }
}

Sweep read(const JsonValue& file, const std::string& origin, const Substitutes& more, const std::string& scale) {
  check_version(file);
  file.allow_only({"version", "name", "datasets", "substitute", "scale", "blocks", "tables", "$schema"});
  Sweep sweep;
  sweep.origin = origin;
  const JsonValue named = with_scale(with_more_substitutes(without_schema(file, origin), more, origin), scale, origin);
  sweep.text = named.text();
  sweep.substitutes = read_substitutes(named);
  sweep.scale = read_scale(named);
  const JsonValue value = with_substitutes(named, sweep.substitutes, origin);
  sweep.name = read_id(value.at("name"));
  const std::vector<DatasetSpec> declared = declared_datasets(value);
  sweep.blocks = parse_blocks(named.at("blocks"), value.at("blocks"), sweep.substitutes, declared, origin);
  for (Block& block : sweep.blocks) lower(block, sweep.scale);
  sweep.datasets = used_datasets(declared, sweep.blocks);
  const auto tables = value.find("tables");
  sweep.tables = tables ? parse_tables(*tables, sweep.blocks, sweep.substitutes) : default_tables(sweep.blocks);
  lower_tables(sweep);
  return sweep;
}

}  // namespace

const std::vector<std::string>& own_dataset_ids() {
  static const std::vector<std::string> ids = {"synthetic", "cifar10", "cifar100", "spark2021", "spark2022"};
  return ids;
}

Sweep read_sweep(const std::filesystem::path& file, const Substitutes& substitutes, const std::string& scale) {
  return read(storage::read_json(file, storage::Blame::user), file.string(), substitutes, scale);
}

Sweep parse_sweep(std::string_view text, const std::string& origin, const Substitutes& substitutes,
                  const std::string& scale) {
  return read(storage::parse_json(text, origin, storage::Blame::user), origin, substitutes, scale);
}

}  // namespace sweeps
