// Captions: which settings have an effect on which jobs, and their distinct values in words.
#include "results/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

namespace results {
namespace {

using storage::shortest;
using sweeps::Guidance;
using sweeps::Job;
using sweeps::Method;
using sweeps::Perturbation;
using sweeps::Semantics;
using sweeps::TrainingSettings;

using Jobs = std::vector<const Job*>;
using Text = std::function<std::optional<std::string>(const Job&)>;

/// "name v1, v2" with the distinct values in the order of the jobs; jobs for which `text` is absent do not have the
/// setting.
void add_fact(std::vector<std::string>& facts, const std::string& name, const Jobs& jobs, const Text& text) {
  std::vector<std::string> values;
  for (const Job* job : jobs) {
    const auto value = text(*job);
    if (value && std::find(values.begin(), values.end(), *value) == values.end()) values.push_back(*value);
  }
  if (!values.empty()) facts.push_back(fmt::format("{} {}", name, fmt::join(values, ", ")));
}

/// A text of the training settings, for jobs that train and for which `has_effect`.
Text trained(
    std::function<std::string(const TrainingSettings&)> text,
    std::function<bool(const TrainingSettings&)> has_effect = [](const TrainingSettings&) { return true; }) {
  return [text = std::move(text), has_effect = std::move(has_effect)](const Job& job) -> std::optional<std::string> {
    if (job.method != Method::plume || !has_effect(job.training)) return std::nullopt;
    return text(job.training);
  };
}

bool is_gaussian(const TrainingSettings& s) {
  return s.perturbation == Perturbation::gaussian;
}
bool has_noise_loss(const TrainingSettings& s) {
  return !is_gaussian(s);
}
bool has_guidance(const TrainingSettings& s) {
  return s.guidance != Guidance::none;
}
bool has_temperature(const TrainingSettings& s) {
  return s.guidance == Guidance::full || (s.guidance == Guidance::mean && s.semantics == Semantics::paper);
}
bool has_semantics(const TrainingSettings& s) {
  return has_noise_loss(s) || has_guidance(s);
}

std::string rows_text(const std::optional<std::int64_t>& rows) {
  return rows ? std::to_string(*rows) : "all";
}

std::string dimension_text(const TrainingSettings& s) {
  if (s.dimension == sweeps::kPaperDimension) return std::to_string(s.dimension);
  return fmt::format("{} (reduced; the paper uses {})", s.dimension, sweeps::kPaperDimension);
}

void add_data_facts(std::vector<std::string>& facts, const Jobs& jobs) {
  add_fact(facts, "data set", jobs, [](const Job& j) { return j.dataset; });
  add_fact(facts, "backbone", jobs, [](const Job& j) { return j.backbone; });
  add_fact(facts, "normalisation", jobs, [](const Job& j) { return std::string(name_of(j.normalisation)); });
  add_fact(facts, "training rows per class", jobs, [](const Job& j) { return rows_text(j.train_rows); });
  add_fact(facts, "test rows per class", jobs, [](const Job& j) { return rows_text(j.test_rows); });
}

void add_training_facts(std::vector<std::string>& facts, const Jobs& jobs) {
  const auto add = [&](const char* name, const Text& text) { add_fact(facts, name, jobs, text); };
  add("semantics", trained([](auto& s) { return std::string(name_of(s.semantics)); }, has_semantics));
  add("classifier passes", trained([](auto& s) { return std::string(name_of(s.classifier_passes)); }));
  add("dimension", trained(dimension_text));
  add("epochs", trained([](auto& s) { return std::to_string(s.epochs); }));
  add("batch size", trained([](auto& s) { return std::to_string(s.batch_size); }));
  add("learning rate", trained([](auto& s) { return shortest(s.learning_rate); }));
  add("weight decay", trained([](auto& s) { return shortest(s.weight_decay); }));
  add("lambda", trained([](auto& s) { return shortest(s.lambda); }, has_noise_loss));
  add("nu", trained([](auto& s) { return shortest(s.nu); }, has_noise_loss));
  add("gamma", trained([](auto& s) { return shortest(s.gamma); }, has_guidance));
  add("tau", trained([](auto& s) { return shortest(s.tau); }, has_temperature));
  add("sigma", trained([](auto& s) { return shortest(s.sigma); }, is_gaussian));
}

std::string neighbours_text(const Job& job) {
  return fmt::format("k {} on {} features", job.neighbours.k, name_of(job.neighbours.scaling));
}

/// What the runs themselves say. Sorted, not in the order of the journal.
void add_run_facts(std::vector<std::string>& facts, const std::vector<const JobResult*>& results) {
  std::set<std::tuple<std::string, int>> devices;
  std::size_t dropped = 0;
  for (const JobResult* result : results) {
    devices.emplace(result->device, result->threads);
    dropped += result->dropped_single_row ? 1 : 0;
  }
  std::vector<std::string> texts;
  for (const auto& [device, threads] : devices) {
    texts.push_back(fmt::format("device {}, {} thread{}", device, threads, threads == 1 ? "" : "s"));
  }
  if (!texts.empty()) facts.push_back(fmt::format("{}", fmt::join(texts, " and ")));
  if (dropped > 0) {
    facts.push_back(
        fmt::format("a last batch of one row left out of every epoch in {} run{}", dropped, dropped == 1 ? "" : "s"));
  }
}

}  // namespace

std::vector<std::string> settings_of(const Jobs& jobs, const std::vector<const JobResult*>& results) {
  std::vector<std::string> facts;
  add_data_facts(facts, jobs);
  add_training_facts(facts, jobs);
  add_fact(facts, "kNN", jobs, [](const Job& job) -> std::optional<std::string> {
    return job.method == Method::knn ? std::optional(neighbours_text(job)) : std::nullopt;
  });
  add_run_facts(facts, results);
  return facts;
}

}  // namespace results
