// Reads sinfo and scontrol, and holds a plan against them.
#include "runner/cluster_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "runner/progress.hpp"
#include "storage/nearest.hpp"

namespace runner {
namespace {

constexpr std::size_t kMostLines = 100'000;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::optional<int> count_of(std::string_view text) {
  int value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && stop == text.data() + text.size() && value >= 0 && value <= 1024;
  return good ? std::optional(value) : std::nullopt;
}

/// "gpu:2", "gpu:a100:4(S:0-1),mps:400", "gpu:a100:2,gpu:v100:1", "(null)".
int gpus_of(const std::string& resources) {
  int gpus = 0;
  for (auto resource : split(resources, ',')) {
    resource = resource.substr(0, resource.find('('));
    const auto parts = split(resource, ':');
    if (parts.size() < 2 || parts[0] != "gpu") continue;
    gpus += count_of(parts.back()).value_or(0);
  }
  return gpus;
}

const Partition* partition_for(const ClusterFacts& facts, const std::string& name) {
  const auto is_meant = [&](const Partition& p) { return name.empty() ? p.is_default : p.name == name; };
  const auto found = std::find_if(facts.partitions.begin(), facts.partitions.end(), is_meant);
  return found == facts.partitions.end() ? nullptr : &*found;
}

/// As sbatch takes it.
std::string time_text(long seconds) {
  const auto hms = fmt::format("{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
  return seconds < 86'400 ? hms : fmt::format("{}-{}", seconds / 86'400, hms);
}

std::string array_line(long max_array_size, const ClusterWish& wish) {
  const long most = max_array_size - 1;
  const auto& settings = wish.settings;
  if (settings.form == Form::array && settings.shares > most) {
    return fmt::format(
        "--shares {} is too many: this cluster's job arrays end at {} (MaxArraySize {}); write --shares {}",
        settings.shares, most, max_array_size, most);
  }
  const auto shares = static_cast<std::size_t>(settings.shares);
  const auto each = (wish.jobs + shares - 1) / shares;
  return fmt::format("as a job array: {} shares of about {} job{} each; up to {} are allowed (--form array --shares N)",
                     shares, each, each == 1 ? "" : "s", most);
}

/// What is wrong with the partition; "" where it is there and up.
std::string partition_line(const ClusterFacts& facts, const ClusterWish& wish, const Partition* partition) {
  const auto& name = wish.settings.partition;
  if (partition != nullptr) {
    return partition->is_up ? "" : fmt::format("partition {} is down: jobs wait until it is up", partition->name);
  }
  std::vector<std::string> names;
  for (const auto& p : facts.partitions) names.push_back(p.name);
  if (name.empty()) return fmt::format("no partition is the default: write --partition {}", fmt::join(names, " or "));
  return fmt::format("there is no partition \"{}\"{}: write --partition {}", name, storage::suggestion(name, names),
                     fmt::join(names, " or "));
}

std::string time_line(const Partition& partition, const ClusterWish& wish) {
  const long asked = seconds_of_time_limit(wish.settings.time).value_or(0);
  if (!partition.limit_seconds || asked <= *partition.limit_seconds) return "";
  return fmt::format("--time {} is more than partition {} allows: write --time {}", wish.settings.time, partition.name,
                     time_text(*partition.limit_seconds));
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

std::string gpus_line(const Partition& partition, const ClusterWish& wish) {
  if (wish.settings.gpus_per_node <= partition.most_gpus) return "";
  return fmt::format("no node of partition {} has {} GPU{}: write --gpus-per-node {}", partition.name,
                     wish.settings.gpus_per_node, wish.settings.gpus_per_node == 1 ? "" : "s", partition.most_gpus);
}

}  // namespace

std::vector<Partition> partitions_of(const std::string& sinfo_output) {
  std::vector<Partition> partitions;
  std::istringstream lines(sinfo_output);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line) && count < kMostLines; ++count) {
    auto fields = split(line, '|');
    if (fields.size() != 5 || fields[0].empty()) continue;
    auto& name = fields[0];
    const bool is_default = name.back() == '*';
    if (is_default) name.pop_back();
    auto known = std::find_if(partitions.begin(), partitions.end(), [&](const auto& p) { return p.name == name; });
    if (known == partitions.end())
      known = partitions.insert(partitions.end(), Partition{name, is_default, true, std::nullopt, 0});
    known->is_up = fields[1] == "up";
    known->limit_seconds = seconds_of_time_limit(fields[2]);  // "infinite" is no time
    known->most_gpus = std::max(known->most_gpus, gpus_of(fields[4]));
  }
  return partitions;
}

std::optional<long> max_array_size_of(const std::string& scontrol_output) {
  std::istringstream lines(scontrol_output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key, equals;
    long value = 0;
    if (words >> key >> equals >> value && key == "MaxArraySize" && equals == "=" && value > 0) return value;
  }
  return std::nullopt;
}

std::optional<ClusterFacts> ask_cluster(const Ask& ask) {
  const auto nodes = ask({"sinfo", "--noheader", "--format", "%P|%a|%l|%D|%G"}, {});
  if (!nodes.found) return std::nullopt;
  ClusterFacts facts;
  facts.partitions = partitions_of(nodes.output);
  facts.trouble = nodes.why;
  if (facts.trouble.empty() && facts.partitions.empty()) facts.trouble = "sinfo names no partition";
  if (!facts.trouble.empty()) return facts;  // scontrol would hang as well
  facts.max_array_size = max_array_size_of(ask({"scontrol", "show", "config"}, {}).output);
  return facts;
}

std::vector<std::string> cluster_lines(const ClusterFacts& facts, const ClusterWish& wish) {
  const std::string begin = "  Slurm: ";
  if (!facts.trouble.empty()) return {begin + facts.trouble + "; the plan is held against no cluster"};
  std::vector<std::string> lines;
  const auto say = [&](const std::string& line) {
    if (!line.empty()) lines.push_back(begin + line);
  };
  if (facts.max_array_size) say(array_line(*facts.max_array_size, wish));
  const auto* partition = partition_for(facts, wish.settings.partition);
  say(partition_line(facts, wish, partition));
  if (partition == nullptr) return lines;
  say(time_line(*partition, wish));
  say(longest_line(*partition, wish));
  say(gpus_line(*partition, wish));
  return lines;
}

}  // namespace runner
