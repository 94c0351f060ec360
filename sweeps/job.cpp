// A job's canonical text, the way back and its key. What has an effect on what is in axis.cpp.
#include "sweeps/job.hpp"

#include <algorithm>

#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "sweeps/axis.hpp"

namespace sweeps {
namespace {

/// The classes of a normal set: part of what a job is, and no axis, for its name stands for them.
constexpr char kMembers[] = "members";

/// The axes and the class, sorted by name: the order of the canonical text.
const std::vector<const Axis*>& sorted_axes() {
  static const std::vector<const Axis*> sorted = [] {
    std::vector<const Axis*> list = {&class_axis()};
    for (const Axis& axis : axes()) list.push_back(&axis);
    std::sort(list.begin(), list.end(), [](const Axis* a, const Axis* b) { return a->name < b->name; });
    return list;
  }();
  return sorted;
}

/// Every member that a job's text may have.
const std::vector<std::string>& known_members() {
  static const std::vector<std::string> known = [] {
    std::vector<std::string> names = axis_names();
    names.emplace_back("engine_version");
    names.emplace_back(kMembers);
    return names;
  }();
  return known;
}

/// Rows may be left out of any job; everything else that has an effect must be said.
bool may_be_absent(const Axis& axis) {
  return axis.name == "train_rows" || axis.name == "test_rows";
}

void write_members(storage::JsonWriter& writer, const std::vector<std::string>& members) {
  writer.key(kMembers).begin_array();
  for (const std::string& name : members) writer.value(name);
  writer.end_array();
}

std::vector<std::string> read_members(const storage::JsonValue& value) {
  std::vector<std::string> members;
  for (const auto& item : value.items()) {
    members.push_back(item.string());
    if (std::count(members.begin(), members.end(), members.back()) > 1) item.fail(item.text() + " is there twice");
  }
  if (members.empty()) value.fail("expected at least one class; a class of its own has no members");
  return members;
}

void check_engine_version(const storage::JsonValue& value, int expected) {
  const storage::JsonValue version = value.at("engine_version");
  if (version.integer() == expected) return;
  version.fail("written by engine version " + version.text() + ", but this build is of engine version " +
               std::to_string(expected) + " and does not mix them");
}

}  // namespace

bool is_trained(Method method) {
  return method == Method::plume || method == Method::plad;
}

bool is_seeded(Method method) {
  return is_trained(method) || method == Method::k_means || method == Method::rotation;
}

bool reads_images(Method method) {
  return method == Method::plad || method == Method::rotation;
}

Job normalised(Job job) {
  const Job defaults;
  const Job written = job;  // the effect of one axis may depend on another
  for (const Axis& axis : axes()) {
    if (!shows(axis, written)) axis.copy(job, defaults);
  }
  return job;
}

std::string canonical_text(const Job& job, int engine_version) {
  storage::JsonWriter writer;
  writer.begin_object();
  bool has_version = false, has_members = job.members.empty();
  for (const Axis* axis : sorted_axes()) {
    if (!has_version && axis->name > "engine_version") {
      writer.member("engine_version", engine_version);
      has_version = true;
    }
    if (!has_members && axis->name > kMembers) {
      write_members(writer, job.members);
      has_members = true;
    }
    if (shows(*axis, job)) writer.key(axis->name).raw(axis->text(job));
  }
  return writer.end_object().text();
}

Job read_job(const storage::JsonValue& value, int engine_version) {
  check_engine_version(value, engine_version);
  value.allow_only(known_members());
  Job job;
  if (const auto members = value.find(kMembers)) job.members = read_members(*members);
  for (const Axis* axis : sorted_axes()) {
    if (const auto member = value.find(axis->name)) axis->read(job, *member);
  }
  for (const Axis* axis : sorted_axes()) {
    const auto member = value.find(axis->name);
    if (member && !shows(*axis, job)) member->fail("has no effect on this job and must be absent");
    if (!member && shows(*axis, job) && !may_be_absent(*axis)) value.at(axis->name);  // throws: it is missing
  }
  return job;
}

JobKey key_of(const Job& job, int engine_version) {
  return {storage::hex(storage::sha256(canonical_text(job, engine_version)), 16)};
}

std::vector<int> normal_classes_of(const Job& job, const std::vector<std::string>& classes) {
  std::vector<int> indices;
  for (const std::string& name : job.members.empty() ? std::vector<std::string>{job.normal_class} : job.members) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end()) {
      throw storage::Error("data set " + job.dataset + ": it has no class " + storage::in_quotes(name));
    }
    indices.push_back(static_cast<int>(found - classes.begin()));
  }
  return indices;
}

std::string describe(const Job& job) {
  std::string text = job.dataset + "/" + job.normal_class;
  const auto with = [&](const char* name) {
    const Axis& axis = *find_axis(name);
    if (!shows(axis, job)) return;
    std::string value = axis.text(job);
    value.erase(std::remove(value.begin(), value.end(), '"'), value.end());
    text.append(" ").append(axis.name).append(" ").append(value);
  };
  const TrainingSettings& t = job.training;
  if (job.method == Method::plume) {
    text.append(" ").append(name_of(t.perturbation)).append("+").append(name_of(t.guidance));
  } else {
    text.append(" ").append(name_of(job.method));
    if (shows(*find_axis("scaling"), job)) text.append(" ").append(name_of(job.baseline.scaling));
  }
  with("k");
  with("clusters");
  if (t.semantics != Semantics::released) with("semantics");
  if (t.classifier_passes != ClassifierPasses::two) with("classifier_passes");
  if (t.dimension != kPaperDimension) with("dimension");
  with("lambda");
  if (t.sigma != TrainingSettings().sigma) with("sigma");
  with("seed");
  return text;
}

}  // namespace sweeps
