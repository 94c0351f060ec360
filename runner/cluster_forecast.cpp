// Divides expected seconds by what an allocation lasts.
#include "runner/cluster_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/text_layout.hpp"
#include "runner/progress.hpp"

namespace runner {
namespace {

/// Where nothing was timed, threads share the work evenly: the most that they can do.
sweeps::Machine worker_of(const ClusterSettings& cluster, const MeasuredTimes& measured) {
  auto machine = machine_of(measured, false);
  if (measured.count > 0) return machine;
  machine.flops_per_second *= cluster.cpus_per_task;
  machine.bytes_per_second *= cluster.cpus_per_task;
  return machine;
}

/// From the start of an allocation to its drain.
double usable_seconds(const ClusterSettings& cluster) {
  const auto limit = static_cast<double>(seconds_of_time_limit(cluster.time).value_or(0));
  return std::max(1.0, limit - cluster.drain_seconds);
}

std::string allocations_in_words(double seconds, const ClusterSettings& cluster, const char* star) {
  const auto count = std::max(1.0, std::ceil(seconds / usable_seconds(cluster)));
  return count == 1 ? std::string("one allocation")
                    : fmt::format("about {}{} allocations", results::grouped(static_cast<std::uint64_t>(count)), star);
}

/// How long the workers need together, and how many allocations that is.
std::string together_in_words(const Estimate& e, double features, const ClusterSettings& cluster, const char* star) {
  if (cluster.form == Form::array) {
    const auto share = std::max(e.longest_seconds, e.left_seconds / cluster.shares / cluster.workers());
    return fmt::format("each of {} shares about {}{}: {}", cluster.shares, duration_text(share), star,
                       allocations_in_words(share, cluster, star));
  }
  const int workers = cluster.workers() * cluster.nodes;
  const auto all = e.together_seconds + features / workers;
  const auto more = features <= 0 ? std::string()
                                  : fmt::format(" and at most {}* more for the features (together {})",
                                                duration_text(std::max(1.0, features / workers)),
                                                work_in_words(features, "worker", true));
  return fmt::format("with {} worker{} all in about {}{}{}: {}", workers, workers == 1 ? "" : "s",
                     duration_text(e.together_seconds), star, more, allocations_in_words(all, cluster, star));
}

std::string longest_in_words(const Estimate& e, const ClusterSettings& cluster, const char* star) {
  const auto usable = usable_seconds(cluster);
  const auto text = fmt::format("  longest job: about {}{}; an allocation has {} before its drain",
                                duration_text(std::max(1.0, e.longest_seconds)), star, duration_text(usable));
  if (e.longest_seconds <= usable) return text;
  return text +
         ", so such a training goes on from a checkpoint in the next one (--checkpoint-every); a longer --time has "
         "less to repeat";
}

}  // namespace

std::vector<std::string> forecast_lines(const ClusterWork& work, const ClusterSettings& cluster) {
  if (std::none_of(work.jobs.begin(), work.jobs.end(), [](const auto& job) { return job.left; })) {
    return {"  nothing is left to run: every job has ended"};
  }
  const auto e =
      estimate(work.jobs, work.measured, worker_of(cluster, work.measured), cluster.workers() * cluster.nodes);
  if (e.left == e.not_known) return {};
  const bool guessed = e.guessed > 0;
  const char* star = guessed ? "*" : "";
  const auto features = work.extraction_seconds / cluster.cpus_per_task;
  auto line = fmt::format("  estimated: {} of {} CPU thread{}, {}", work_in_words(e.left_seconds, "worker", guessed),
                          cluster.cpus_per_task, cluster.cpus_per_task == 1 ? "" : "s",
                          together_in_words(e, features, cluster, star));
  if (features > 0 && cluster.form == Form::array) {
    line += fmt::format("; before them the features, at most {}", work_in_words(features, "worker", true));
  }
  std::vector<std::string> lines{line, longest_in_words(e, cluster, star)};
  if (e.not_known > 0) {
    lines.push_back(fmt::format("  not counted: {} jobs on rows that nobody knows", results::grouped(e.not_known)));
  }
  if (guessed) {
    lines.emplace_back(
        "  * = guess: no job like these was timed; `plume-bench plan --times DIR` takes the times of a run of yours");
  }
  return lines;
}

}  // namespace runner
