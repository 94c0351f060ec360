// The numbers, and comparing with them.
#include "workers/published_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "datasets/official.hpp"
#include "results/text_layout.hpp"

namespace workers {
namespace {

using datasets::Split;
using results::grouped;
using Three = std::array<double, 3>;

/// Where the numbers come from: method.md 1.2 and 6 (SPARK's are the released code's constants), the fixtures of
/// tests/golden/backbones, and for the means of CIFAR what is in general use.
const std::vector<PublishedForm>& published_forms() {
  constexpr double kFiveDigits = 2e-5;
  constexpr double kOtherDecoder = 2e-4;
  static const std::vector<PublishedForm> forms = {
      {"cifar10",
       "the original files",
       true,
       kFiveDigits,
       {{"", Three{0.49140, 0.48216, 0.44653}, std::nullopt},
        {"airplane", Three{0.52566, 0.56033, 0.58891}, Three{0.25022, 0.24083, 0.26597}}}},
      {"cifar10",
       "a copy that went through JPEG files",
       false,
       kOtherDecoder,
       {{"", Three{0.491250, 0.482090, 0.446521}, Three{0.244157, 0.239547, 0.249868}},
        {"airplane", Three{0.525609, 0.560188, 0.588685}, Three{0.248822, 0.240227, 0.264104}}}},
      {"cifar100", "the original files", true, kFiveDigits, {{"", Three{0.50708, 0.48655, 0.44092}, std::nullopt}}},
      {"spark2021",
       "the released code's constants",
       true,
       kOtherDecoder,
       {{"", Three{0.09430549, 0.09299065, 0.09526419}, Three{0.09868433, 0.09484387, 0.09236576}}}}};
  return forms;
}

double difference(const Three& a, const Three& b) {
  double most = 0;
  for (std::size_t c = 0; c < 3; ++c) most = std::max(most, std::abs(a[c] - b[c]));
  return most;
}

/// Nothing where the numbers are of a class that the data set does not have.
std::optional<double> difference(const PublishedNumbers& numbers, const std::vector<std::string>& classes,
                                 const SplitScan& train) {
  ChannelStatistics found;
  if (numbers.of_class.empty()) {
    found = statistics_for(sweeps::Normalisation::dataset, train, {});
  } else {
    const auto k =
        static_cast<std::size_t>(std::find(classes.begin(), classes.end(), numbers.of_class) - classes.begin());
    if (k == classes.size() || train.class_rows.at(k) == 0) return std::nullopt;
    found = statistics_of(train, {static_cast<int>(k)});
  }
  return std::max(numbers.mean ? difference(*numbers.mean, found.mean) : 0,
                  numbers.std_dev ? difference(*numbers.std_dev, found.std_dev) : 0);
}

std::string images_of(Split split) {
  return split == Split::train ? "training images" : "test images";
}

}  // namespace

std::vector<FormDifference> compare_with_published(const std::string& kind, const std::vector<std::string>& classes,
                                                   const SplitScan& train) {
  std::vector<FormDifference> compared;
  for (const auto& form : published_forms()) {
    if (form.kind != kind) continue;
    double most = 0;
    bool any = false;
    for (const auto& numbers : form.numbers) {
      const auto one = difference(numbers, classes, train);
      any = any || one;
      most = std::max(most, one.value_or(0));
    }
    if (any) compared.push_back({&form, most});
  }
  std::stable_sort(compared.begin(), compared.end(),
                   [](const auto& a, const auto& b) { return a.difference < b.difference; });
  return compared;
}

std::string official_counts(const std::string& kind) {
  const auto* counts = datasets::official_counts_of(kind);
  if (counts == nullptr) return "";
  if (counts->each_class) {
    return fmt::format("{} training and {} test images a class", grouped(counts->normal[0]),
                       grouped(counts->normal[1]));
  }
  return fmt::format("{} training and {} test images of the normal classes, {} test images of anomalies",
                     grouped(counts->normal[0]), grouped(counts->normal[1]), grouped(counts->anomalies[1]));
}

std::vector<std::string> departures_from_official(const std::string& kind, const datasets::Dataset& data) {
  std::vector<std::string> departures;
  const auto* counts = datasets::official_counts_of(kind);
  if (counts == nullptr) return departures;
  const auto note = [&](const std::string& whose, Split split, std::int64_t found, std::int64_t expected) {
    if (found == expected || expected < 0) return;
    departures.push_back(
        fmt::format("{}: {} {}, officially {}", whose, grouped(found), images_of(split), grouped(expected)));
  };
  const auto never = data.only_anomalies();
  for (const Split split : {Split::train, Split::test}) {
    const auto rows = datasets::rows_of_classes(data, split);
    std::int64_t normal = 0, anomalies = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto& name = data.classes()[k];
      const bool is_never = std::find(never.begin(), never.end(), name) != never.end();
      (is_never ? anomalies : normal) += rows[k];
      if (counts->each_class) note(name, split, rows[k], counts->normal[static_cast<int>(split)]);
    }
    if (counts->each_class) continue;
    note("normal classes", split, normal, counts->normal[static_cast<int>(split)]);
    note("anomalies", split, anomalies, counts->anomalies[static_cast<int>(split)]);
  }
  return departures;
}

}  // namespace workers
