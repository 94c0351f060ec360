// How the jobs stand, and what was run where and for how long.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <map>
#include <set>

#include "results/html_parts.hpp"
#include "results/html_text.hpp"
#include "results/page_parts.hpp"

namespace results {
namespace {

/// "airplane, cat, ship" or, of many, "100 classes".
std::string listed(const std::set<std::string>& names, std::string_view several) {
  constexpr std::size_t kMost = 12;
  if (names.size() > kMost) return fmt::format("{} {}", names.size(), several);
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string seeds_text(const std::set<std::uint64_t>& seeds) {
  if (seeds.empty()) return "";
  if (seeds.size() > 2 && *seeds.rbegin() - *seeds.begin() + 1 == seeds.size())
    return fmt::format("{} to {}", *seeds.begin(), *seeds.rbegin());
  return fmt::format("{}", fmt::join(seeds, ", "));
}

std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

/// Of the results of one host.
struct HostUse {
  std::size_t results = 0;
  double seconds = 0;
};

struct Times {
  std::string first, last;  ///< UTC, when results' trainings began
  std::map<std::string, HostUse> hosts;
  double seconds = 0;
};

Times times_of(const std::vector<PlannedRun>& runs) {
  Times times;
  for (const PlannedRun& run : runs) {
    if (run.done == nullptr) continue;
    const JobTiming& timing = run.done->timing;
    HostUse& host = times.hosts[timing.host];
    ++host.results;
    host.seconds += timing.wall_seconds;
    times.seconds += timing.wall_seconds;
    if (timing.started.empty()) continue;
    if (times.first.empty() || timing.started < times.first) times.first = timing.started;
    if (timing.started > times.last) times.last = timing.started;
  }
  return times;
}

std::string hosts_text(const Times& times) {
  constexpr std::size_t kMost = 20;
  std::string text;
  std::size_t shown = 0;
  for (const auto& [host, use] : times.hosts) {
    if (shown++ == kMost) return text + fmt::format(" and {} more", times.hosts.size() - kMost);
    text += fmt::format("{}{} ({}, {})", text.empty() ? "" : "; ", html_text(host.empty() ? "not recorded" : host),
                        counted(use.results, "result", "results"), duration(use.seconds));
  }
  return text;
}

}  // namespace

JobCounts count_jobs(const std::vector<PlannedRun>& runs) {
  JobCounts counts{runs.size(), 0, 0, 0};
  for (const PlannedRun& run : runs) {
    if (run.done != nullptr) {
      ++(run.done->result.outcome == Outcome::diverged ? counts.diverged : counts.finished);
    } else if (run.failed != nullptr) {
      ++counts.failed;
    }
  }
  return counts;
}

std::string state_html(const JobCounts& counts) {
  if (counts.planned == 0) return element("p", "No jobs.", "class=\"state\"") + "\n";
  if (counts.finished == counts.planned) {
    const auto text = fmt::format("<b>Complete</b>: all of {} have a result.", counted(counts.planned, "job", "jobs"));
    return element("p", text, "class=\"state complete\"") + "\n";
  }
  std::string text =
      fmt::format("<b>{}</b>: {} of {} finished", counts.missing() > 0 ? "Incomplete" : "Complete, not all well",
                  counted(counts.finished, "job", "jobs"), counts.planned);
  if (counts.diverged > 0) text += fmt::format(", {} diverged", counts.diverged);
  if (counts.failed > 0) text += fmt::format(", {} failed", counts.failed);
  if (counts.missing() > 0) text += fmt::format(", {} not there yet", counts.missing());
  return element("p", text + ".", "class=\"state incomplete\"") + "\n";
}

std::string run_html(const std::vector<PlannedRun>& runs, const PageFacts& facts) {
  std::set<std::string> sets, classes, methods, backbones;
  std::set<std::uint64_t> seeds;
  for (const PlannedRun& run : runs) {
    const sweeps::Job& job = *run.job;
    sets.insert(job.dataset);
    classes.insert(job.normal_class);
    methods.insert(std::string(sweeps::name_of(job.method)));
    if (!job.backbone.empty()) backbones.insert(job.backbone);
    if (sweeps::is_seeded(job.method)) seeds.insert(job.seed);
  }
  std::string names;
  for (const auto& name : facts.sweeps) names += (names.empty() ? "" : ", ") + name;
  const Times times = times_of(runs);
  const std::string from_to =
      times.first.empty() ? "" : fmt::format("{} to {} (UTC)", html_text(times.first), html_text(times.last));
  return description_list({{"Sweep", html_text(names)},
                           {"Data", html_text(listed(sets, "data sets"))},
                           {"Normal classes", html_text(listed(classes, "classes"))},
                           {"Methods", html_text(listed(methods, "methods"))},
                           {"Backbones", html_text(listed(backbones, "backbones"))},
                           {"Seeds", seeds_text(seeds)},
                           {"Computing time", times.seconds > 0 ? duration(times.seconds) + " of one worker" : ""},
                           {"Begun", from_to},
                           {"Hosts", hosts_text(times)}});
}

}  // namespace results
