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

struct Rule {
  const char* form;  ///< "{} epochs"
  bool reduces;      ///< makes a training smaller, and nothing else
  Departure departure;
};

const std::vector<Rule>& rules() {
  static const std::vector<Rule> list = {
      {"data set {}", false, other_dataset},
      {"normal set {}", false, other_normal_set},
      {"dimension {} (reduced)", true,
       [](const Job& job) { return other_than(job.training.dimension, sweeps::kPaperDimension); }},
      {"{} training rows per class", true, [](const Job& job) { return limit(job.train_rows); }},
      {"{} test rows per class", true, [](const Job& job) { return limit(job.test_rows); }},
      {"{} epochs", true, [](const Job& job) { return other_than(job.training.epochs, kPaperEpochs); }},
      {"backbone {}", false, other_backbone},
      {"{}", false, own_features},
  };
  return list;
}

}  // namespace

std::vector<std::string> departures_of(const std::vector<const Job*>& jobs) {
  std::vector<std::string> texts;
  for (const Rule& rule : rules()) {
    const std::string values = values_of(jobs, rule.departure);
    if (!values.empty()) texts.push_back(fmt::format(fmt::runtime(rule.form), values));
  }
  return texts;
}

std::vector<std::string> short_departures_of(const std::vector<const Job*>& jobs) {
  std::vector<std::string> texts;
  bool reduced = false;
  for (const Rule& rule : rules()) {
    const std::string values = values_of(jobs, rule.departure);
    if (values.empty()) continue;
    if (rule.reduces) {
      reduced = true;
    } else {
      texts.push_back(fmt::format(fmt::runtime(rule.form), values));
    }
  }
  if (reduced) texts.insert(texts.begin(), "reduced");
  return texts;
}

}  // namespace results
