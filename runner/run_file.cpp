// Reads and writes run.json.
#include "runner/run_file.hpp"

#include <fmt/format.h>

#include "runner/unreadable.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"

namespace runner {
namespace {

constexpr int kRunFileVersion = 1;

std::filesystem::path path_in(const std::filesystem::path& directory) {
  return directory / "run.json";
}

void write_strings(storage::JsonWriter& json, const std::vector<std::string>& strings) {
  json.begin_array();
  for (const auto& s : strings) json.value(s);
  json.end_array();
}

std::vector<std::string> read_strings(const storage::JsonValue& value) {
  std::vector<std::string> strings;
  for (const auto& item : value.items()) strings.push_back(item.string());
  return strings;
}

/// A list, because the order is that of the tables' columns.
void write_sets(storage::JsonWriter& json, const sweeps::ClassNames& classes) {
  json.key("normal_sets").begin_object();
  for (const auto& [id, normal] : classes) {
    if (normal.sets.empty()) continue;
    json.key(id).begin_array();
    for (const auto& set : normal.sets) {
      json.begin_object().member("name", set.name).key("classes");
      write_strings(json, set.classes);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

std::vector<sweeps::NormalSet> read_sets(const storage::JsonValue& value) {
  std::vector<sweeps::NormalSet> sets;
  for (const auto& item : value.items()) {
    sets.push_back({item.at("name").string(), read_strings(item.at("classes")), false});
  }
  return sets;
}

void write_places(storage::JsonWriter& json, const std::vector<WorkerPlace>& places) {
  json.begin_array();
  for (const auto& place : places) {
    json.begin_object().member("worker", place.worker).member("host", place.host).member("threads", place.threads);
    if (!place.gpu.empty()) {
      json.key("gpu").begin_object().member("uuid", place.gpu).member("name", place.gpu_name).end_object();
    }
    json.end_object();
  }
  json.end_array();
}

std::vector<WorkerPlace> read_places(const storage::JsonValue& value) {
  constexpr std::int64_t kMost = 1 << 30;
  std::vector<WorkerPlace> places;
  for (const auto& item : value.items()) {
    WorkerPlace place;
    place.worker = static_cast<int>(item.at("worker").integer(0, kMost));
    place.host = item.at("host").string();
    place.threads = static_cast<int>(item.at("threads").integer(1, kMost));
    if (const auto gpu = item.find("gpu")) {
      place.gpu = gpu->at("uuid").string();
      place.gpu_name = gpu->at("name").string();
    }
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace

std::filesystem::path existing_run(const std::string& directory) {
  for (const auto& path : {std::filesystem::path(directory), path_in(directory)}) {
    if (const auto why = why_unreadable(path); !why.empty()) throw storage::Error(why);
  }
  if (!std::filesystem::exists(path_in(directory))) {
    if (directory.find('*') != std::string::npos) {  // the shell hands a pattern that matches nothing over as it is
      throw storage::UsageError(directory +
                                ": no directory has such a name; where these are shares, none of them has begun yet");
    }
    throw storage::UsageError(
        directory + ": not the directory of a run (it has no run.json); give the --out of a `plume-bench run`");
  }
  return directory;
}

RunFile read_run_file(const std::filesystem::path& directory) {
  RunFile file;
  const auto path = path_in(directory);
  if (const auto why = why_unreadable(directory); !why.empty()) throw storage::Error(why);
  if (!std::filesystem::exists(path)) return file;
  const auto root = storage::read_json(path, storage::Blame::run);
  if (root.at("v").integer() != kRunFileVersion) {
    root.at("v").fail(
        fmt::format("expected {}: the directory was written by another version of plume-bench", kRunFileVersion));
  }
  for (const auto& item : root.at("sweeps").items()) {
    FrozenSweep frozen;
    frozen.sweep = sweeps::parse_sweep(item.at("sweep").text(), path.string());
    for (const auto& [id, names] : item.at("classes").members()) frozen.classes[id].classes = read_strings(names);
    if (const auto sets = item.find("normal_sets")) {
      for (const auto& [id, value] : sets->members()) frozen.classes[id].sets = read_sets(value);
    }
    if (const auto left_out = item.find("left_out")) {
      for (const auto& [id, value] : left_out->members()) frozen.classes[id].left_out = read_strings(value);
    }
    file.sweeps.push_back(std::move(frozen));
  }
  const auto last = root.at("last_run");
  file.facts = {last.at("version").string(), last.at("host").string(), last.at("started").string(),
                read_strings(last.at("command"))};
  if (const auto share = root.find("share")) file.share = sweeps::parse_share(share->string());
  if (const auto places = last.find("workers")) file.facts.workers = read_places(*places);
  return file;
}

bool freeze(RunFile& file, const sweeps::Sweep& sweep, const sweeps::ClassNames& classes) {
  FrozenSweep* same_name = nullptr;
  for (auto& frozen : file.sweeps) {
    if (frozen.sweep.name == sweep.name) {
      same_name = &frozen;
      continue;
    }
    for (const auto& ours : sweep.tables) {
      for (const auto& theirs : frozen.sweep.tables) {
        if (ours.id != theirs.id) continue;
        throw storage::UsageError(
            fmt::format("sweep {}: table \"{}\": the directory's sweep {} has a table of that id too; give the table "
                        "another id, or another --out",
                        sweep.name, ours.id, frozen.sweep.name));
      }
    }
  }
  if (same_name == nullptr) {
    file.sweeps.push_back({sweep, classes});
    return false;
  }
  const bool another = same_name->sweep.text != sweep.text;
  *same_name = {sweep, classes};
  return another;
}

void write_run_file(const std::filesystem::path& directory, const RunFile& file) {
  storage::JsonWriter json;
  json.begin_object()
      .member("v", kRunFileVersion)
      .member("engine_version", sweeps::kEngineVersion)
      .key("sweeps")
      .begin_array();
  for (const auto& frozen : file.sweeps) {
    json.begin_object().key("sweep").raw(frozen.sweep.text).key("classes").begin_object();
    for (const auto& [id, normal] : frozen.classes) {
      json.key(id);
      write_strings(json, normal.classes);
    }
    json.end_object();
    write_sets(json, frozen.classes);
    json.key("left_out").begin_object();
    for (const auto& [id, normal] : frozen.classes) {
      if (normal.left_out.empty()) continue;
      json.key(id);
      write_strings(json, normal.left_out);
    }
    json.end_object();
    json.end_object();
  }
  json.end_array();
  if (file.share) json.member("share", fmt::format("{}/{}", file.share->number, file.share->of));
  json.key("last_run").begin_object();
  json.member("version", file.facts.version)
      .member("host", file.facts.host)
      .member("started", file.facts.started)
      .key("command");
  write_strings(json, file.facts.command);
  json.key("workers");
  write_places(json, file.facts.workers);
  json.end_object().end_object();
  storage::write_atomically(path_in(directory), json.text() + "\n");
}

}  // namespace runner
