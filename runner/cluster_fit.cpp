// Holds a plan against what sinfo and scontrol said.
#include "runner/cluster_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "runner/progress.hpp"
#include "runner/sbatch_options.hpp"
#include "storage/json.hpp"
#include "storage/nearest.hpp"

namespace runner {
namespace {

std::vector<std::string> split(const std::string& text, const char* separators) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (std::string_view(separators).find(c) == std::string_view::npos) {
      parts.back() += c;
    } else if (!parts.back().empty()) {
      parts.emplace_back();
    }
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

/// One of "a,b", or "" for the default; null where it is not there.
const Partition* partition_named(const ClusterFacts& facts, const std::string& name) {
  const auto is_meant = [&](const Partition& p) { return name.empty() ? p.is_default : p.name == name; };
  const auto found = std::find_if(facts.partitions.begin(), facts.partitions.end(), is_meant);
  return found == facts.partitions.end() ? nullptr : &*found;
}

/// As the settings name them: jobs run in whichever of them is free first.
std::vector<std::string> names_of_partitions(const ClusterSettings& settings) {
  auto names = split(settings.partition, ",");
  if (names.empty()) names.emplace_back();
  return names;
}

/// As sbatch takes it.
std::string time_text(long seconds) {
  const auto hms = fmt::format("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
  return seconds < 86'400 ? hms : fmt::format("{}-{}", seconds / 86'400, hms);
}

const char* plural(long count) {
  return count == 1 ? "" : "s";
}

std::string array_objection(const ClusterFacts& facts, const ClusterSettings& settings) {
  if (settings.form != Form::array || !facts.max_array_size || settings.shares < *facts.max_array_size) return "";
  return fmt::format(
      "--shares {} is too many: this cluster's job arrays end at {} (MaxArraySize {}); write --shares {}",
      settings.shares, *facts.max_array_size - 1, *facts.max_array_size, *facts.max_array_size - 1);
}

std::string array_advice(const ClusterFacts& facts, const ClusterWish& wish) {
  if (!facts.max_array_size || !array_objection(facts, wish.settings).empty()) return "";
  const auto shares = static_cast<std::size_t>(wish.settings.shares);
  const auto each = (wish.jobs + shares - 1) / shares;
  return fmt::format("as a job array: {} shares of about {} job{} each; up to {} are allowed (--form array --shares N)",
                     shares, each, each == 1 ? "" : "s", *facts.max_array_size - 1);
}

/// A partition that is not there; "" where it is.
std::string name_objection(const ClusterFacts& facts, const std::string& name) {
  if (partition_named(facts, name) != nullptr) return "";
  std::vector<std::string> names;
  for (const auto& p : facts.partitions) names.push_back(p.name);
  if (name.empty()) return fmt::format("no partition is the default: write --partition {}", fmt::join(names, " or "));
  return fmt::format("there is no partition \"{}\"{}: write --partition {}", name, storage::suggestion(name, names),
                     fmt::join(names, " or "));
}

std::string state_objection(const Partition& partition, const ClusterSettings&) {
  switch (partition.state) {
    case PartitionState::up:
      return "";
    case PartitionState::down:
      return fmt::format("partition {} is down: jobs wait until it is up", partition.name);
    case PartitionState::takes_none:
      break;
  }
  return fmt::format("partition {} drains or is inactive, and sbatch refuses jobs: write another --partition, or wait",
                     partition.name);
}

std::string time_objection(const Partition& partition, const ClusterSettings& settings) {
  const long asked = seconds_of_time_limit(settings.time).value_or(0);
  if (!partition.limit_seconds || asked <= *partition.limit_seconds) return "";
  return fmt::format("--time {} is more than partition {} allows: write --time {}", settings.time, partition.name,
                     time_text(*partition.limit_seconds));
}

std::string nodes_objection(const Partition& partition, const ClusterSettings& settings) {
  if (partition.nodes == 0 || settings.nodes <= partition.nodes) return "";
  return fmt::format("partition {} has {} node{}: write --nodes {}", partition.name, partition.nodes,
                     plural(partition.nodes), partition.nodes);
}

std::string away_objection(const Partition& partition, const ClusterSettings& settings) {
  const long there = partition.nodes - partition.nodes_away;
  if (partition.nodes == 0 || settings.nodes > partition.nodes || settings.nodes <= there) return "";
  return fmt::format("of {} node{} of partition {} {} {} down or drained: jobs wait until {} back (sinfo -R says why)",
                     partition.nodes, plural(partition.nodes), partition.name, partition.nodes_away,
                     partition.nodes_away == 1 ? "is" : "are", partition.nodes_away == 1 ? "it is" : "they are");
}

std::string gpus_objection(const Partition& partition, const ClusterSettings& settings) {
  if (settings.gpus_per_node <= partition.most_gpus) return "";
  const bool needs_workers = partition.most_gpus == 0 && settings.workers_per_node == 0;
  return fmt::format("no node of partition {} has {} GPU{}: write --gpus-per-node {}{}", partition.name,
                     settings.gpus_per_node, plural(settings.gpus_per_node), partition.most_gpus,
                     needs_workers ? " --workers-per-node N" : "");
}

/// Beside the workers: rank 0 where there is MPI.
int other_tasks(const ClusterSettings& settings) {
  return settings.form == Form::array ? 0 : 1;
}

std::string cpus_objection(const Partition& partition, const ClusterSettings& settings) {
  const int others = other_tasks(settings);
  const int tasks = settings.workers() + others;
  const int asked = tasks * settings.cpus_per_task;
  if (partition.most_cpus == 0 || asked <= partition.most_cpus) return "";
  std::vector<std::string> mends;
  if (const int cpus = partition.most_cpus / tasks; cpus > 0) mends.push_back(fmt::format("--cpus-per-task {}", cpus));
  const int workers = partition.most_cpus / settings.cpus_per_task - others;
  if (workers > 0) mends.push_back(fmt::format("--workers-per-node {}", workers));
  if (mends.empty()) mends.emplace_back("--workers-per-node 1 --cpus-per-task 1, or another --partition");
  return fmt::format("no node of partition {} has {} CPUs ({} task{} of {}), the largest has {}: write {}",
                     partition.name, asked, tasks, plural(tasks), settings.cpus_per_task, partition.most_cpus,
                     fmt::join(mends, " or "));
}

/// Of Slurm's "64G", "7900M", "7900"; nothing for other texts.
std::optional<double> megabytes_of(const std::string& memory) {
  double value = 0;
  const auto [stop, error] = std::from_chars(memory.data(), memory.data() + memory.size(), value);
  const std::string unit(stop, memory.data() + memory.size());
  if (error != std::errc() || unit.size() > 1) return std::nullopt;
  constexpr double kStep = 1024;
  switch (unit.empty() ? 'M' : unit.front()) {
    case 'K':
    case 'k':
      return value / kStep;
    case 'M':
    case 'm':
      return value;
    case 'G':
    case 'g':
      return value * kStep;
    case 'T':
    case 't':
      return value * kStep * kStep;
    default:
      return std::nullopt;
  }
}

std::string memory_objection(const Partition& partition, const ClusterSettings& settings) {
  const auto asked = megabytes_of(settings.memory);
  if (!asked || partition.most_megabytes == 0 || *asked <= static_cast<double>(partition.most_megabytes)) return "";
  return fmt::format("no node of partition {} has the memory of --memory {}: write --memory {}M", partition.name,
                     settings.memory, partition.most_megabytes);
}

/// The last of the options that users added.
std::string added_option(const ClusterSettings& settings, const std::string& option, const std::string& letter) {
  std::string value;
  for (const auto& line : settings.directives) {
    if (auto given = option_value(line, option, letter); !given.empty()) value = std::move(given);
  }
  return value;
}

std::string memory_of_cpus_objection(const Partition& partition, const ClusterSettings& settings) {
  const auto each = added_option(settings, "--mem-per-cpu", "");
  const auto asked = megabytes_of(each);
  const int cpus = (settings.workers() + other_tasks(settings)) * settings.cpus_per_task;
  if (!asked || partition.most_megabytes == 0 || *asked * cpus <= static_cast<double>(partition.most_megabytes)) {
    return "";
  }
  return fmt::format("no node of partition {} has the memory of {} CPUs with --mem-per-cpu={}: write --mem-per-cpu={}M",
                     partition.name, cpus, each, partition.most_megabytes / cpus);
}

/// "a100", "a100|v100", "[rack1*2&rack2*4]": names of features between signs.
std::string constraint_objection(const Partition& partition, const ClusterSettings& settings) {
  const auto constraint = added_option(settings, "--constraint", "-C");
  for (const auto& term : split(constraint, "&|,[]()")) {
    const auto name = term.substr(0, term.find('*'));
    if (std::binary_search(partition.features.begin(), partition.features.end(), name)) continue;
    if (partition.features.empty()) {
      return fmt::format("no node of partition {} has features, and --constraint={} names one: leave it out",
                         partition.name, constraint);
    }
    return fmt::format("no node of partition {} has the feature {}{} of --constraint={}: write {}", partition.name,
                       storage::in_quotes(name), storage::suggestion(name, partition.features), constraint,
                       fmt::join(partition.features, " or "));
  }
  return "";
}

std::vector<std::string> objections_to(const Partition& partition, const ClusterSettings& settings) {
  std::vector<std::string> lines;
  for (const auto objection : {state_objection, time_objection, nodes_objection, away_objection, gpus_objection,
                               cpus_objection, memory_objection, memory_of_cpus_objection, constraint_objection}) {
    if (auto line = objection(partition, settings); !line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

/// The one of those named that fits best; null where none is there.
const Partition* partition_for(const ClusterFacts& facts, const ClusterSettings& settings) {
  const Partition* best = nullptr;
  std::size_t least = 0;
  for (const auto& name : names_of_partitions(settings)) {
    const auto* partition = partition_named(facts, name);
    if (partition == nullptr) continue;
    const auto against = objections_to(*partition, settings).size();
    if (best == nullptr || against < least) best = partition, least = against;
  }
  return best;
}

/// A job must fit between the start of an allocation and its drain.
std::string longest_line(const Partition& partition, const ClusterWish& wish) {
  const double asked = static_cast<double>(seconds_of_time_limit(wish.settings.time).value_or(0));
  const double limit = partition.limit_seconds ? static_cast<double>(*partition.limit_seconds) : asked;
  const double lasts = asked > 0 ? std::min(asked, limit) : limit;
  constexpr double kDrain = 300;
  const double drain = wish.settings.drain_seconds > 0 ? wish.settings.drain_seconds : std::min(kDrain, lasts / 6);
  if (wish.longest_seconds <= lasts - drain || lasts <= 0) return "";
  const bool longer_helps = !partition.limit_seconds || wish.longest_seconds + drain < limit;
  const auto needed = time_text(static_cast<long>(std::ceil((wish.longest_seconds * 1.2 + drain) / 3600)) * 3600);
  const auto mend = longer_helps ? fmt::format("write --time {}, or it needs checkpoints (--checkpoint-every)", needed)
                                 : std::string("it needs checkpoints (--checkpoint-every), or another --partition");
  return fmt::format("longest job about {}{}, an allocation of partition {} lasts {}: {}",
                     duration_text(wish.longest_seconds), wish.longest_is_guessed ? "*" : "", partition.name,
                     duration_text(lasts), mend);
}

/// Lines that say something, indented.
std::vector<std::string> said(const std::vector<std::string>& lines) {
  std::vector<std::string> indented;
  for (const auto& line : lines) {
    if (!line.empty()) indented.push_back("  Slurm: " + line);
  }
  return indented;
}

}  // namespace

std::vector<std::string> cluster_objections(const ClusterFacts& facts, const ClusterSettings& settings) {
  if (!facts.trouble.empty()) return said({facts.trouble + "; nothing is held against a cluster"});
  std::vector<std::string> lines{array_objection(facts, settings)};
  for (const auto& name : names_of_partitions(settings)) lines.push_back(name_objection(facts, name));
  if (const auto* partition = partition_for(facts, settings)) {
    for (auto& line : objections_to(*partition, settings)) lines.push_back(std::move(line));
  }
  return said(lines);
}

std::vector<std::string> cluster_lines(const ClusterFacts& facts, const ClusterWish& wish) {
  auto lines = cluster_objections(facts, wish.settings);
  const auto* partition = partition_for(facts, wish.settings);
  if (!facts.trouble.empty()) return lines;
  const auto longest = partition == nullptr ? "" : longest_line(*partition, wish);
  for (auto& line : said({longest, array_advice(facts, wish)})) lines.push_back(std::move(line));
  return lines;
}

}  // namespace runner
