// Kinds of jobs, and the times of those that are done.
#include "runner/job_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace runner {
namespace {

std::string kind_of(const sweeps::Job& job, std::int64_t length) {
  const auto name = fmt::format("{} L{}", sweeps::name_of(job.method), length);
  switch (job.method) {
    case sweeps::Method::plume:
      return fmt::format("{} D{} batch {} {} {} {}", name, job.training.dimension, job.training.batch_size,
                         sweeps::name_of(job.training.perturbation), sweeps::name_of(job.training.guidance),
                         sweeps::name_of(job.training.classifier_passes));
    case sweeps::Method::plad:
      return fmt::format("{} batch {}", name, job.training.batch_size);
    default:
      return name;
  }
}

/// The kind of most results: a table does not mix two, so those of another are of little use.
std::string device_of(const std::vector<const results::Ledger*>& ledgers) {
  std::map<std::string, std::size_t> counts;
  for (const auto* ledger : ledgers) {
    for (const auto& [key, done] : ledger->done) ++counts[done.result.device];
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? "" : most->first;
}

}  // namespace

Effort effort_of(const sweeps::Job& job, const JobShape& shape) {
  return {kind_of(job, shape.length),
          sweeps::modelled_seconds(job, shape.rows, shape.test_rows, shape.length, sweeps::kCpuThread)};
}

std::optional<double> seconds_taken(const results::Done& done) {
  return done.timing.wall_seconds > 0 ? std::optional(done.timing.wall_seconds) : std::nullopt;
}

MeasuredTimes measured_times(const std::vector<const results::Ledger*>& ledgers, const RowLength& length_of) {
  MeasuredTimes measured;
  measured.device = device_of(ledgers);
  std::vector<const results::Done*> all;
  for (const auto* ledger : ledgers) {
    for (const auto& [key, done] : ledger->done) {
      // One that diverged did less than its settings say.
      const bool whole = done.result.outcome == results::Outcome::finished;
      if (whole && done.result.device == measured.device && seconds_taken(done)) all.push_back(&done);
    }
  }
  std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) {
    return std::tie(a->timing.started, a->timing.wall_seconds) < std::tie(b->timing.started, b->timing.wall_seconds);
  });
  std::vector<double> factors;
  for (const auto* done : all) {
    const auto length = length_of(done->job);
    if (!length) continue;
    const auto effort = effort_of(done->job, {done->result.train_rows, done->result.test_rows, *length});
    measured.times.add(effort, *seconds_taken(*done));
    ++measured.count;
    if (sweeps::is_trained(done->job.method)) factors.push_back(*seconds_taken(*done) / effort.work);
  }
  if (!factors.empty()) {
    const auto middle = factors.begin() + static_cast<std::ptrdiff_t>(factors.size() / 2);
    std::nth_element(factors.begin(), middle, factors.end());
    measured.factor = *middle;
  }
  return measured;
}

}  // namespace runner
