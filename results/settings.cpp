// Captions: the distinct values of every setting of the jobs, in words. Which settings have an effect on a job is what
// its canonical text says: a field without effect is not in it.
#include "results/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "sweeps/backbones.hpp"

namespace results {
namespace {

using storage::JsonValue;

/// A member of the canonical text as a caption calls it; the order is the caption's.
struct Setting {
  const char* member;
  const char* words;
  const char* if_absent = nullptr;  ///< what its absence means, where it means something
};
constexpr Setting kSettings[] = {
    {"dataset", "data set"},
    {"backbone", "backbone"},
    {"normalisation", "normalisation"},
    {"train_rows", "training rows per class", "all"},
    {"test_rows", "test rows per class", "all"},
    {"semantics", "semantics"},
    {"classifier_passes", "classifier passes"},
    {"dimension", "dimension"},
    {"epochs", "epochs"},
    {"batch_size", "batch size"},
    {"lr", "learning rate"},
    {"weight_decay", "weight decay"},
    {"lambda", "lambda"},
    {"nu", "nu"},
    {"gamma", "gamma"},
    {"tau", "tau"},
    {"sigma", "sigma"},
    {"scaling", "features"},
    {"k", "kNN k"},
    {"clusters", "k-means clusters"},
};

/// "found by a range test (5.0e-04 to 6.3e-04)"; without the rates where nothing is committed.
std::string found_rates(const std::vector<const JobResult*>& results) {
  std::vector<double> rates;
  for (const JobResult* result : results) {
    if (result->found_learning_rate) rates.push_back(*result->found_learning_rate);
  }
  const std::string text = "found by a range test";
  if (rates.empty()) return text;
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  const std::string from = fmt::format("{:.1e}", *least), to = fmt::format("{:.1e}", *most);
  return from == to ? fmt::format("{} ({})", text, from) : fmt::format("{} ({} to {})", text, from, to);
}

/// "efficientnet-lite0 (in place of resnet50, vgg16)".
std::string with_place(const std::string& name, const sweeps::Substitutes& substitutes) {
  std::vector<std::string> replaced;
  for (const auto& [from, to] : substitutes) {
    if (to == name) replaced.push_back(from);
  }
  return replaced.empty() ? name : fmt::format("{} (in place of {})", name, fmt::join(replaced, ", "));
}

std::string value_text(const Setting& setting, const JsonValue& value, const std::vector<const JobResult*>& results) {
  if (std::string_view(setting.member) == "lr" && value.is_string()) return found_rates(results);
  if (std::string_view(setting.member) == "backbone" && value.string() == sweeps::kOwnFeatures) {
    return "unknown (features as given)";
  }
  if (value.is_string()) return value.string();
  if (std::string_view(setting.member) == "dimension" && value.integer() != sweeps::kPaperDimension) {
    return fmt::format("{} (reduced; the paper uses {})", value.integer(), sweeps::kPaperDimension);
  }
  return value.is_integer() ? value.text() : fmt::format("{}", value.number());  // 0.0005, where JSON has 5e-04
}

/// Canonical texts without what no caption says: jobs that differ in class and seed alone share one.
std::vector<JsonValue> distinct_texts(const std::vector<const sweeps::Job*>& jobs) {
  std::set<sweeps::Job> seen;
  std::vector<JsonValue> texts;
  for (const sweeps::Job* job : jobs) {
    sweeps::Job setting = *job;
    setting.normal_class.clear();
    setting.members.clear();
    setting.seed = 0;
    if (!seen.insert(setting).second) continue;
    texts.push_back(storage::parse_json(sweeps::canonical_text(setting), "a job", storage::Blame::run));
  }
  return texts;
}

/// ", upright, seed 3"; among the words of other data sets in brackets: " (upright, seed 3)".
std::string words_of(const std::vector<std::string>& settings, bool among_others) {
  if (settings.empty()) return "";
  const std::string words = fmt::format("{}", fmt::join(settings, ", "));
  return among_others ? fmt::format(" ({})", words) : ", " + words;
}

/// "lambda 5, 10": the distinct values in the order of the jobs; nothing if no job has the setting.
std::optional<std::string> fact_of(const Setting& setting, const std::vector<JsonValue>& jobs,
                                   const std::vector<const JobResult*>& results, const sweeps::PlannedTable& table) {
  const std::string_view member = setting.member;
  std::vector<std::string> values;
  for (const JsonValue& job : jobs) {
    const auto found = job.find(member);
    if (!found && setting.if_absent == nullptr) continue;
    std::string text = found ? value_text(setting, *found, results) : setting.if_absent;
    const auto of_dataset = member == "dataset" ? table.dataset_settings.find(text) : table.dataset_settings.end();
    if (member == "dataset" || member == "backbone") text = with_place(text, table.substitutes);
    if (of_dataset != table.dataset_settings.end()) text += words_of(of_dataset->second, table.datasets.size() > 1);
    if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(std::move(text));
  }
  if (values.empty()) return std::nullopt;
  return fmt::format("{} {}", setting.words, fmt::join(values, ", "));
}

/// "normal set satellites (AcrimSat, Aquarius)", one for each set.
void add_normal_sets(std::vector<std::string>& facts, const std::vector<const sweeps::Job*>& jobs) {
  std::set<std::string> seen;
  for (const sweeps::Job* job : jobs) {
    if (job->members.empty() || !seen.insert(job->normal_class).second) continue;
    facts.push_back(fmt::format("normal set {} ({})", job->normal_class, fmt::join(job->members, ", ")));
  }
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
  if (dropped == 0) return;
  facts.push_back(
      fmt::format("a last batch of one row left out of every epoch in {} run{}", dropped, dropped == 1 ? "" : "s"));
}

}  // namespace

std::vector<std::string> settings_of(const std::vector<const sweeps::Job*>& jobs,
                                     const std::vector<const JobResult*>& results, const sweeps::PlannedTable& table) {
  const std::vector<JsonValue> texts = distinct_texts(jobs);
  std::vector<std::string> facts;
  for (const Setting& setting : kSettings) {
    if (auto fact = fact_of(setting, texts, results, table)) facts.push_back(std::move(*fact));
    if (&setting == &kSettings[0]) add_normal_sets(facts, jobs);
  }
  add_run_facts(facts, results);
  return facts;
}

}  // namespace results
