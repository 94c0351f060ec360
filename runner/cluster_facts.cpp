// Reads sinfo and scontrol.
#include "runner/cluster_facts.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "runner/cluster_settings.hpp"

namespace runner {
namespace {

constexpr std::size_t kMostLines = 100'000;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// 0 for what is no number, or none of a cluster: "8+", "n/a".
long count_of(std::string_view text, long most) {
  long value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = error == std::errc() && stop == text.data() + text.size() && value >= 0 && value <= most;
  return good ? value : 0;
}

/// "gpu:2", "gpu:a100:4(S:0-1),mps:400", "gpu:a100:2,gpu:v100:1", "(null)".
int gpus_of(const std::string& resources) {
  int gpus = 0;
  for (auto resource : split(resources, ',')) {
    resource = resource.substr(0, resource.find('('));
    const auto parts = split(resource, ':');
    if (parts.size() < 2 || parts[0] != "gpu") continue;
    gpus += static_cast<int>(count_of(parts.back(), 1024));
  }
  return gpus;
}

PartitionState state_of(const std::string& text) {
  if (text == "up") return PartitionState::up;
  return text == "down" ? PartitionState::down : PartitionState::takes_none;  // "drain", "inact"
}

/// "down*", "drained", "draining", "fail", "unknown*"; not "idle~", which Slurm wakes up.
bool is_away(const std::string& node_state) {
  constexpr const char* kAway[] = {"down", "drain", "fail", "error", "unknown", "future"};
  return std::any_of(std::begin(kAway), std::end(kAway), [&](const char* way) { return node_state.starts_with(way); });
}

void add_features(const std::string& text, std::vector<std::string>& features) {
  if (text == "(null)") return;
  for (auto& feature : split(text, ',')) {
    const auto place = std::lower_bound(features.begin(), features.end(), feature);
    if (place == features.end() || *place != feature) features.insert(place, std::move(feature));
  }
}

}  // namespace

std::vector<Partition> partitions_of(const std::string& sinfo_output) {
  std::vector<Partition> partitions;
  std::istringstream lines(sinfo_output);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line) && count < kMostLines; ++count) {
    auto fields = split(line, '|');
    if (fields.size() != 9 || fields[0].empty()) continue;
    auto& name = fields[0];
    const bool is_default = name.back() == '*';
    if (is_default) name.pop_back();
    auto known = std::find_if(partitions.begin(), partitions.end(), [&](const auto& p) { return p.name == name; });
    if (known == partitions.end()) {
      known = partitions.emplace(partitions.end());
      known->name = name;
      known->is_default = is_default;
    }
    known->state = state_of(fields[1]);
    known->limit_seconds = seconds_of_time_limit(fields[2]);  // "infinite" is no time
    const long nodes = count_of(fields[3], 1'000'000);
    known->nodes += nodes;
    if (is_away(fields[7])) known->nodes_away += nodes;
    add_features(fields[8], known->features);
    known->most_gpus = std::max(known->most_gpus, gpus_of(fields[4]));
    known->most_cpus = std::max(known->most_cpus, static_cast<int>(count_of(fields[5], 1'000'000)));
    known->most_megabytes = std::max(known->most_megabytes, count_of(fields[6], 1'000'000'000'000));
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
  const auto nodes = ask({"sinfo", "--noheader", "--exact", "--format", "%P|%a|%l|%D|%G|%c|%m|%T|%f"}, {});
  if (!nodes.found) return std::nullopt;
  ClusterFacts facts;
  facts.partitions = partitions_of(nodes.output);
  facts.trouble = nodes.why;
  if (facts.trouble.empty() && facts.partitions.empty()) facts.trouble = "sinfo names no partition";
  if (!facts.trouble.empty()) return facts;  // scontrol would hang as well
  facts.max_array_size = max_array_size_of(ask({"scontrol", "show", "config"}, {}).output);
  return facts;
}

}  // namespace runner
