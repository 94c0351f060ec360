// Adds up planned and done work by kind of task.
#include "runner/meter.hpp"

#include "sweeps/backbones.hpp"

namespace runner {
namespace {

bool is_of_images(const workers::Task& what) {
  if (const auto* scan = std::get_if<workers::ScanTask>(&what)) return scan->data.spec.kind != sweeps::kOwnFeatures;
  const auto* part = std::get_if<workers::ExtractTask>(&what);
  return part == nullptr || part->recipe.backbone != sweeps::kOwnFeatures;
}

}  // namespace

Meter::Work& Meter::work_of(const PlannedTask& task) {
  if (std::holds_alternative<workers::ScanTask>(task.what)) return scanned_;
  if (std::holds_alternative<workers::ExtractTask>(task.what)) return extracted_;
  return std::holds_alternative<workers::TrainTask>(task.what) ? trained_ : assembled_;
}

void Meter::add(const std::vector<PlannedTask>& tasks) {
  for (const auto& task : tasks) {
    auto& work = work_of(task);
    work.total += task.cost;
    work.of_images = work.of_images && is_of_images(task.what);
  }
}

void Meter::started(const PlannedTask& task, double now) {
  auto& work = work_of(task);
  if (work.since < 0) work.since = now;
}

void Meter::done(const PlannedTask& task, double now) {
  auto& work = work_of(task);
  work.done += task.cost;
  work.until = now;
  if (std::holds_alternative<workers::TrainTask>(task.what)) last_ = task.name;
}

void Meter::took(const PlannedTask& task, const workers::TaskOutput& output) {
  const auto* extracted = std::get_if<workers::Extracted>(&output);
  if (extracted == nullptr || extracted->spent == workers::Spent{}) return;  // found done
  profile_.rows += extracted->rows;
  profile_.spent.waiting += extracted->spent.waiting;
  profile_.spent.computing += extracted->spent.computing;
  profile_.spent.writing += extracted->spent.writing;
  const auto* part = std::get_if<workers::ExtractTask>(&task.what);
  profile_.backbone = profile_.backbone || (part != nullptr && sweeps::has_weights(part->recipe.backbone));
}

std::optional<FeatureProfile> Meter::features_profile() const {
  if (profile_.rows == 0) return std::nullopt;
  FeatureProfile profile = profile_;
  profile.seconds = extracted_.until - extracted_.since;
  profile.of_images = extracted_.of_images;
  return profile;
}

ProgressView Meter::view(const Counts& jobs, const Counts& features, std::int64_t committed, double now) const {
  ProgressView v;
  v.jobs = jobs;
  v.features = features;
  v.jobs_before = committed - jobs.done;
  v.draining = draining_;
  v.scanning = scanned_.done < scanned_.total;
  const auto& images = v.scanning ? scanned_ : extracted_;
  v.images_done = static_cast<std::int64_t>(images.done);
  v.images_total = static_cast<std::int64_t>(images.total);
  v.images_seconds = images.seconds(now);
  v.of_images = images.of_images;
  v.work_done = trained_.done;
  v.work_left = trained_.total - trained_.done;
  v.seconds = trained_.seconds(now);
  v.last = last_;
  return v;
}

}  // namespace runner
