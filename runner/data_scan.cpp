// Slice by slice, the rows of each shared out among threads.
#include "runner/data_scan.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace runner {
namespace {

/// The rows of one slice. Threads take row after row, so when one fails all rows before it are done or being done: the
/// first error in the order of rows is known when all have ended.
class Slice {
 public:
  Slice(const datasets::Dataset& data, const workers::ScanTask& task, ScanRow scan_row)
      : data_(data), task_(task), scan_row_(scan_row) {
    scanned_.images.resize(static_cast<std::size_t>(task.count));
  }

  workers::Scanned scan(int threads, const std::function<void(std::int64_t)>& on_done) {
    std::vector<std::thread> helpers;
    const auto count = std::min<std::int64_t>(threads, task_.count);
    for (std::int64_t i = 1; i < count; ++i) helpers.emplace_back([this] { take_rows({}); });
    take_rows(on_done);
    for (auto& helper : helpers) helper.join();
    if (error_) std::rethrow_exception(error_);
    return std::move(scanned_);
  }

 private:
  void take_rows(const std::function<void(std::int64_t)>& on_done) {
    while (!failed_) {
      const auto i = next_++;
      if (i >= task_.count) return;
      try {
        scanned_.images[static_cast<std::size_t>(i)] = scan_row_(data_, task_, task_.first + i);
      } catch (...) {
        keep_error(i);
      }
      if (on_done) on_done(i);
    }
  }

  void keep_error(std::int64_t i) {
    const std::lock_guard lock(mutex_);
    if (!error_ || i < failed_row_) {
      error_ = std::current_exception();
      failed_row_ = i;
    }
    failed_ = true;
  }

  const datasets::Dataset& data_;
  const workers::ScanTask& task_;
  const ScanRow scan_row_;
  workers::Scanned scanned_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
  std::int64_t failed_row_ = 0;
};

}  // namespace

std::int64_t scan_here(FeaturePlan& plan, const std::string& id, int threads, ScanRow scan_row,
                       const ScanProgress& progress) {
  const auto& data = plan.dataset(id);
  const auto total = data.size(datasets::Split::train) + data.size(datasets::Split::test);
  std::int64_t done = 0;
  sweeps::Job job;
  job.dataset = id;
  for (const auto& task : plan.scan_tasks({job})) {
    const auto& what = std::get<workers::ScanTask>(task.what);
    Slice slice(data, what, scan_row);
    plan.take_scan(task.id, slice.scan(threads, [&](std::int64_t i) { progress(done + i, total); }));
    done += what.count;
  }
  progress(done, total);
  return total;
}

}  // namespace runner
