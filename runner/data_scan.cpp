// Slice by slice, so that one that is killed goes on.
#include "runner/data_scan.hpp"

namespace runner {

std::int64_t scan_here(FeaturePlan& plan, const std::string& id, int threads, ScanRows scan_rows,
                       const ScanReport& report) {
  sweeps::Job job;
  job.dataset = id;
  const auto tasks = plan.scan_tasks({job}, report.say);
  std::int64_t total = 0, done = 0;
  for (const auto& task : tasks) total += std::get<workers::ScanTask>(task.what).count;
  for (const auto& task : tasks) {
    const auto& what = std::get<workers::ScanTask>(task.what);
    plan.take_scan(task.id, scan_rows(plan.dataset(id), what, threads, [&] { report.progress(++done, total); }));
  }
  return total;
}

}  // namespace runner
