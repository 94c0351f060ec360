// What listing a data set tells: classes, counts, normal sets.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "results/text_layout.hpp"
#include "storage/error.hpp"
#include "storage/printable.hpp"
#include "workers/data_check.hpp"
#include "workers/published_data.hpp"
#include "workers/row_names.hpp"

namespace workers {
namespace {

using datasets::Split;
using results::grouped;
using results::pad_left;
using results::pad_right;

constexpr std::size_t kMostTableRows = 36;
constexpr std::size_t kShownName = 40;       ///< columns of a class name in the table
constexpr std::int64_t kLeastTrainRows = 2;  ///< as runner::FeaturePlan wants
constexpr std::size_t kMostNames = 12;

struct ClassRow {
  std::string name, train, test;
};

struct Counts {
  std::vector<std::int64_t> of[2];  ///< by split: of each class
  explicit Counts(const datasets::Dataset& data)
      : of{datasets::rows_of_classes(data, Split::train), datasets::rows_of_classes(data, Split::test)} {}
};

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<ClassRow> table_rows(const datasets::Dataset& data, const Counts& counts) {
  std::vector<ClassRow> rows = {{"class", "train", "test"}};
  const auto& names = data.classes();
  const auto shown = names.size() <= kMostTableRows ? names.size() : kMostTableRows - 1;
  for (std::size_t k = 0; k < shown; ++k) {
    rows.push_back({storage::printable_line(names[k], kShownName), grouped(counts.of[0][k]), grouped(counts.of[1][k])});
  }
  std::int64_t left[2] = {0, 0};
  for (std::size_t k = shown; k < names.size(); ++k) {
    for (const int s : {0, 1}) left[s] += counts.of[s][k];
  }
  if (shown < names.size()) {
    rows.push_back({fmt::format("and {} more", names.size() - shown), grouped(left[0]), grouped(left[1])});
  }
  rows.push_back({"all", grouped(data.size(Split::train)), grouped(data.size(Split::test))});
  return rows;
}

void say_table(const datasets::Dataset& data, const Counts& counts, const SayFact& say) {
  const auto rows = table_rows(data, counts);
  std::size_t width[3] = {0, 0, 0};
  for (const auto& row : rows) {
    width[0] = std::max(width[0], results::display_width(row.name));
    width[1] = std::max(width[1], row.train.size());
    width[2] = std::max(width[2], row.test.size());
  }
  for (const auto& row : rows) {
    say("", fmt::format("{}  {}  {}", pad_right(row.name, width[0]), pad_left(row.train, width[1]),
                        pad_left(row.test, width[2])));
  }
}

std::string span_of_rows(const datasets::Dataset& data, Split split) {
  const auto size = data.size(split);
  if (size == 0) return fmt::format("{}: none", datasets::name_of(split));
  return fmt::format("{}: {} to {}", datasets::name_of(split), name_of_row(data, {split, 0}),
                     name_of_row(data, {split, size - 1}));
}

/// Counts of a split's classes in a few words, where the table cannot show them all.
std::string spread_of(const std::vector<std::int64_t>& rows) {
  const auto [least, most] = std::minmax_element(rows.begin(), rows.end());
  return *least == *most ? grouped(*least) : fmt::format("{} to {}", grouped(*least), grouped(*most));
}

std::vector<std::string> short_of_rows(const DataToCheck& check, const Counts& counts) {
  std::vector<std::string> names;
  const auto never = check.data.only_anomalies();
  for (std::size_t k = 0; k < counts.of[0].size(); ++k) {
    const auto& name = check.data.classes()[k];
    if (counts.of[0][k] < kLeastTrainRows && !holds(never, name)) names.push_back(name);
  }
  return names;
}

void say_normal(const DataToCheck& check, const std::vector<std::string>& too_short, const SayCheck& say) {
  const auto never = check.data.only_anomalies();
  const auto single = check.data.classes().size() - never.size() - too_short.size();
  if (single == 0 && check.normal_sets.empty()) {
    throw storage::UsageError(fmt::format("data set {}: no class has {} training rows, so none can be the normal class",
                                          check.spec.id, kLeastTrainRows));
  }
  std::string label = "normal";
  for (const auto& set : check.normal_sets) {
    say.fact(label,
             fmt::format("{}: {} class{} together, {}", storage::printable_line(set.name, kShownName),
                         set.classes.size(), set.classes.size() == 1 ? "" : "es", some_of(set.classes, kMostNames)));
    label = "";
  }
  if (check.normal_sets.empty()) say.fact(label, fmt::format("each of {} classes in turn", single));
  if (!never.empty()) say.fact("anomalies", fmt::format("never trained on: {}", some_of(never, kMostNames)));
  if (too_short.empty()) return;
  say.note(fmt::format("{} of {} classes {} fewer than {} training rows and {} nobody's normal class alone: {}",
                       too_short.size(), check.data.classes().size(), too_short.size() == 1 ? "has" : "have",
                       kLeastTrainRows, too_short.size() == 1 ? "is" : "are", some_of(too_short, 3)));
}

void say_official(const DataToCheck& check, const SayCheck& say) {
  const auto counts = official_counts(check.spec.kind);
  if (counts.empty()) return;
  const auto departures = departures_from_official(check.spec.kind, check.data);
  say.fact("official", departures.empty() ? fmt::format("{}: these are they", counts) : counts);
  if (departures.empty()) return;
  std::vector<std::string> shown(departures.begin(),
                                 departures.begin() + std::min<std::ptrdiff_t>(3, std::ssize(departures)));
  if (departures.size() > shown.size()) shown.push_back(fmt::format("and {} more", departures.size() - shown.size()));
  say.note(fmt::format("not the numbers of rows that the paper used: {}", fmt::join(shown, "; ")));
}

}  // namespace

void say_contents(const DataToCheck& check, const SayCheck& say) {
  const auto& data = check.data;
  const Counts counts(data);
  say.fact("kind", check.spec.kind);
  const auto settings = sweeps::canonical_text(check.spec);
  if (settings != fmt::format("{{\"kind\":\"{}\"}}", check.spec.kind)) say.fact("", settings);
  for (const Split split : {Split::train, Split::test}) say.fact("", span_of_rows(data, split));
  say.fact("classes", data.classes().size() > kMostTableRows
                          ? fmt::format("{}; rows of one: {} train, {} test", data.classes().size(),
                                        spread_of(counts.of[0]), spread_of(counts.of[1]))
                          : std::to_string(data.classes().size()));
  say_table(data, counts, say.fact);
  say_normal(check, short_of_rows(check, counts), say);
  say_official(check, say);
}

}  // namespace workers
