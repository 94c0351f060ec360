// A job's canonical text, the way back and its key. What has an effect on what is in axis.cpp.
#include "sweeps/job.hpp"

#include <algorithm>

#include "storage/digest.hpp"
#include "sweeps/axis.hpp"

namespace sweeps {
namespace {

/// The axes and the class, sorted by name: the order of the canonical text.
std::vector<const Axis*> sorted_axes() {
  std::vector<const Axis*> list = {&class_axis()};
  for (const Axis& axis : axes()) list.push_back(&axis);
  std::sort(list.begin(), list.end(), [](const Axis* a, const Axis* b) { return a->name < b->name; });
  return list;
}

/// Rows may be left out of any job; everything else that has an effect must be said.
bool may_be_absent(const Axis& axis) {
  return axis.name == "train_rows" || axis.name == "test_rows";
}

void check_engine_version(const storage::JsonValue& value) {
  const storage::JsonValue version = value.at("engine_version");
  if (version.integer() == kEngineVersion) return;
  version.fail("written by engine version " + version.text() + ", but this build is of engine version " +
               std::to_string(kEngineVersion) + " and does not mix them");
}

}  // namespace

bool is_trained(Method method) {
  return method == Method::plume || method == Method::plad;
}

bool is_seeded(Method method) {
  return is_trained(method) || method == Method::k_means;
}

Job normalised(Job job) {
  const Job defaults;
  const Job written = job;  // the effect of one axis may depend on another
  for (const Axis& axis : axes()) {
    if (!shows(axis, written)) axis.copy(job, defaults);
  }
  return job;
}

std::string canonical_text(const Job& job) {
  storage::JsonWriter writer;
  writer.begin_object();
  bool has_version = false;
  for (const Axis* axis : sorted_axes()) {
    if (!has_version && axis->name > "engine_version") {
      writer.member("engine_version", kEngineVersion);
      has_version = true;
    }
    if (shows(*axis, job)) writer.key(axis->name).raw(axis->text(job));
  }
  return writer.end_object().text();
}

Job read_job(const storage::JsonValue& value) {
  check_engine_version(value);
  std::vector<std::string> known = axis_names();
  known.emplace_back("engine_version");
  value.allow_only(known);
  Job job;
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

JobKey key_of(const Job& job) {
  return {storage::hex(storage::sha256(canonical_text(job)), 16)};
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
    if (!is_trained(job.method)) text.append(" ").append(name_of(job.baseline.scaling));
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
