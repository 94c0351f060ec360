// The settings that the paper fixes: method.md sections 1, 2 and 5.
#include "results/departures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "sweeps/backbones.hpp"

namespace results {
namespace {

using sweeps::Job;

constexpr int kPaperEpochs = 100;

/// The value of a job that is not the paper's; nothing where it is, or where the job has none.
using Departure = std::function<std::optional<std::string>(const Job&)>;

std::optional<std::string> other_than(std::int64_t value, std::int64_t of_the_paper) {
  return value == of_the_paper ? std::nullopt : std::optional(std::to_string(value));
}

std::optional<std::string> limit(const std::optional<std::int64_t>& rows) {
  return rows ? std::optional(std::to_string(*rows)) : std::nullopt;
}

std::optional<std::string> other_backbone(const Job& job) {
  const auto backbone = sweeps::backbone_of(job);
  if (!sweeps::has_weights(backbone) || sweeps::backbone_facts(backbone).in_paper) return std::nullopt;
  return job.backbone;
}

std::optional<std::string> own_features(const Job& job) {
  return job.backbone == sweeps::kOwnFeatures ? std::optional(std::string("features as given")) : std::nullopt;
}

std::optional<std::string> other_dataset(const Job& job) {
  static const std::vector<std::string> of_the_paper = {"cifar10", "cifar100", "spark2021"};
  const bool is_known = std::find(of_the_paper.begin(), of_the_paper.end(), job.dataset) != of_the_paper.end();
  return is_known ? std::nullopt : std::optional(job.dataset);
}

/// In the paper only SPARK has a normal class of several: its ten satellites.
std::optional<std::string> other_normal_set(const Job& job) {
  constexpr std::size_t kSatellites = 10;
  if (job.members.empty() || (job.dataset == "spark2021" && job.members.size() == kSatellites)) return std::nullopt;
  return job.normal_class;
}

/// "10, 20": the distinct departures of the trainings, in the order of the jobs.
std::string values_of(const std::vector<const Job*>& jobs, const Departure& departure) {
  std::vector<std::string> values;
  for (const Job* job : jobs) {
    const auto value = sweeps::is_trained(job->method) ? departure(*job) : std::nullopt;
    if (value && std::find(values.begin(), values.end(), *value) == values.end()) values.push_back(*value);
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

}  // namespace

std::vector<std::string> departures_of(const std::vector<const Job*>& jobs) {
  std::vector<std::string> texts;
  const auto add = [&](const char* form, const Departure& departure) {
    const std::string values = values_of(jobs, departure);
    if (!values.empty()) texts.push_back(fmt::format(fmt::runtime(form), values));
  };
  add("data set {}", other_dataset);
  add("normal set {}", other_normal_set);
  add("dimension {} (reduced)",
      [](const Job& job) { return other_than(job.training.dimension, sweeps::kPaperDimension); });
  add("{} training rows per class", [](const Job& job) { return limit(job.train_rows); });
  add("{} test rows per class", [](const Job& job) { return limit(job.test_rows); });
  add("{} epochs", [](const Job& job) { return other_than(job.training.epochs, kPaperEpochs); });
  add("backbone {}", other_backbone);
  add("{}", own_features);
  return texts;
}

}  // namespace results
