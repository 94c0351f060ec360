// Adds up planned and done work by kind of task.
#include "runner/meter.hpp"

namespace runner {

Meter::Work& Meter::work_of(const PlannedTask& task) {
  if (std::holds_alternative<workers::ScanTask>(task.what)) return scanned_;
  if (std::holds_alternative<workers::ExtractTask>(task.what)) return extracted_;
  return std::holds_alternative<workers::TrainTask>(task.what) ? trained_ : assembled_;
}

void Meter::add(const std::vector<PlannedTask>& tasks) {
  for (const auto& task : tasks) work_of(task).total += task.cost;
}

void Meter::started(const PlannedTask& task, double now) {
  auto& work = work_of(task);
  if (work.since < 0) work.since = now;
}

void Meter::done(const PlannedTask& task) {
  work_of(task).done += task.cost;
  if (std::holds_alternative<workers::TrainTask>(task.what)) last_ = task.name;
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
  v.work_done = trained_.done;
  v.work_left = trained_.total - trained_.done;
  v.seconds = trained_.seconds(now);
  v.last = last_;
  return v;
}

}  // namespace runner
