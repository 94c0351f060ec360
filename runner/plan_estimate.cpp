// Sums up expected seconds.
#include "runner/plan_estimate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <queue>

#include "results/text_layout.hpp"
#include "runner/progress.hpp"

namespace runner {
namespace {

constexpr const char* kCpu = "cpu";

/// Longest first, each to the worker that is free first.
double together(std::vector<double> seconds, int workers) {
  std::sort(seconds.begin(), seconds.end(), std::greater<>());
  std::priority_queue<double, std::vector<double>, std::greater<>> free;
  for (int k = 0; k < workers; ++k) free.push(0);
  double last = 0;
  for (const double one : seconds) {
    const double ends = free.top() + one;
    free.pop();
    free.push(ends);
    last = std::max(last, ends);
  }
  return last;
}

const char* unit_on(const std::string& device) {
  return device == kCpu ? "worker" : "GPU";
}

std::string left_of_all(const Estimate& e, const std::string& unit) {
  const auto left = work_in_words(e.left_seconds, unit, e.guessed > 0);
  return e.left_seconds == e.all_seconds ? left
                                         : left + " left of " + work_in_words(e.all_seconds, unit, e.all_is_guessed);
}

std::string source_in_words(const Estimate& e, const MeasuredTimes& measured) {
  auto text = fmt::format("from {} job{} that ran on {}", results::grouped(measured.count),
                          measured.count == 1 ? "" : "s", measured.device == kCpu ? "CPUs" : measured.device);
  if (e.guessed > 0) {
    text += fmt::format("; * = {} of the {} left are guessed: no job like them was timed", results::grouped(e.guessed),
                        results::grouped(e.left));
  }
  return text;
}

/// Nothing was timed, and it is not known on what the run will compute.
std::vector<std::string> guesses(const std::vector<PlannedJob>& jobs, const MeasuredTimes& none, int workers) {
  const auto cpu = estimate(jobs, none, sweeps::kCpuThread, std::max(1, workers));
  const auto gpu = estimate(jobs, none, sweeps::kH100, std::max(1, workers));
  if (cpu.left == cpu.not_known) return {};
  std::vector<std::string> lines{
      fmt::format("  estimated: {} of one CPU thread each, or {} on an H100; * = guess: no job like these was timed",
                  work_in_words(cpu.left_seconds, "worker", true), work_in_words(gpu.left_seconds, "GPU", true))};
  lines.push_back(fmt::format("  longest job: about {}* on a CPU thread, {}* on an H100",
                              duration_text(cpu.longest_seconds), duration_text(gpu.longest_seconds)));
  if (workers > 0) {
    lines.push_back(fmt::format("  with {} workers: about {}* on CPUs, {}* on H100s", workers,
                                duration_text(cpu.together_seconds), duration_text(gpu.together_seconds)));
  }
  return lines;
}

}  // namespace

std::string work_in_words(double seconds, const std::string& whose, bool guessed) {
  const char* star = guessed ? "*" : "";
  if (seconds < 120) return fmt::format("{:.0f}{} {}-seconds", seconds, star, whose);
  if (seconds < 5400) return fmt::format("{:.0f}{} {}-minutes", seconds / 60, star, whose);
  const double hours = seconds / 3600;
  return hours < 100
             ? fmt::format("{:.1f}{} {}-hours", hours, star, whose)
             : fmt::format("{}{} {}-hours", results::grouped(static_cast<std::uint64_t>(hours + 0.5)), star, whose);
}

sweeps::Machine machine_of(const MeasuredTimes& measured, bool gpus) {
  if (measured.count > 0) return measured.device == kCpu ? sweeps::kCpuThread : sweeps::kH100;
  return gpus ? sweeps::kH100 : sweeps::kCpuThread;
}

Expected expected_of(const sweeps::Job& job, const JobShape& shape, const MeasuredTimes& measured,
                     const sweeps::Machine& guess) {
  const auto effort = effort_of(job, shape);
  if (const auto seconds = measured.times.seconds_of(effort)) return {*seconds, false};
  if (measured.factor) return {effort.work * *measured.factor, true};
  return {sweeps::modelled_seconds(job, shape.rows, shape.test_rows, shape.length, guess), true};
}

Estimate estimate(const std::vector<PlannedJob>& jobs, const MeasuredTimes& measured, const sweeps::Machine& guess,
                  int workers) {
  Estimate sum;
  std::vector<double> each;
  for (const auto& job : jobs) {
    sum.left += job.left ? 1 : 0;
    if (!job.left && job.took) {
      sum.all_seconds += *job.took;
      continue;
    }
    if (!job.shape) {
      sum.not_known += job.left ? 1 : 0;
      continue;
    }
    const auto expected = expected_of(job.job, *job.shape, measured, guess);
    sum.all_seconds += expected.seconds;
    sum.all_is_guessed = sum.all_is_guessed || expected.guessed;
    if (!job.left) continue;
    sum.left_seconds += expected.seconds;
    sum.guessed += expected.guessed ? 1 : 0;
    each.push_back(expected.seconds);
    sum.longest_seconds = std::max(sum.longest_seconds, expected.seconds);
  }
  sum.together_seconds = together(std::move(each), std::max(1, workers));
  return sum;
}

std::vector<std::string> estimate_lines(const std::vector<PlannedJob>& jobs, const MeasuredTimes& measured,
                                        int workers) {
  if (std::none_of(jobs.begin(), jobs.end(), [](const auto& job) { return job.left; })) return {};
  if (measured.count == 0) return guesses(jobs, measured, workers);
  const auto e = estimate(jobs, measured, machine_of(measured, false), workers);
  if (e.left == e.not_known) return {};
  const char* star = e.guessed > 0 ? "*" : "";
  auto line =
      fmt::format("  estimated: {}, {}", left_of_all(e, unit_on(measured.device)), source_in_words(e, measured));
  if (e.not_known > 0) line += fmt::format("; {} jobs on rows that nobody knows not counted", e.not_known);
  std::vector<std::string> lines{line};
  lines.push_back(fmt::format("  longest job left: about {}{}", duration_text(e.longest_seconds), star));
  if (workers > 0) {
    lines.back() += fmt::format("; with {} worker{} all in about {}{}", workers, workers == 1 ? "" : "s",
                                duration_text(e.together_seconds), star);
  }
  return lines;
}

}  // namespace runner
