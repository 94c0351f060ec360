// The rows of a data set that a scan could not read and left out.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "results/text_layout.hpp"
#include "workers/data_check.hpp"
#include "workers/row_names.hpp"

namespace workers {
namespace {

using datasets::Split;
using results::grouped;

constexpr std::size_t kNamed = 3;  ///< rows of a reason
constexpr std::size_t kMostReasons = 8;
constexpr std::int64_t kLeastTrainRows = 2;  ///< as runner::FeaturePlan wants

/// A fault without the file that it begins with: "/x/a.jpg: damaged JPEG image" -> "damaged JPEG image".
std::string reason_of(const std::string& fault) {
  std::string_view rest = fault;
  for (auto end = rest.find(": "); end != std::string_view::npos; end = rest.find(": ")) {
    if (rest.substr(0, end).find('/') == std::string_view::npos) break;
    rest.remove_prefix(end + 2);
  }
  return std::string(rest);
}

/// Without its numbers, which differ from row to row.
std::string kind_of(std::string reason) {
  std::erase_if(reason, [](unsigned char c) { return std::isdigit(c) != 0; });
  return reason;
}

struct Reason {
  std::string text;  ///< of its first row
  std::vector<DataRow> rows;
};

/// Most frequent first.
std::vector<Reason> reasons_of(const std::array<SplitScan, 2>& scan) {
  std::map<std::string, Reason> by_kind;
  for (const Split split : {Split::train, Split::test}) {
    for (const auto& skipped : scan[static_cast<std::size_t>(split)].skipped) {
      auto text = reason_of(skipped.fault);
      auto& reason = by_kind[kind_of(text)];
      if (reason.rows.empty()) reason.text = std::move(text);
      reason.rows.push_back({split, skipped.row});
    }
  }
  std::vector<Reason> reasons;
  for (auto& [kind, reason] : by_kind) reasons.push_back(std::move(reason));
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.rows.size() > b.rows.size(); });
  return reasons;
}

}  // namespace

void say_skipped(const DataToCheck& check, const std::array<SplitScan, 2>& scan, const SayCheck& say) {
  const auto count = scan[0].skipped.size() + scan[1].skipped.size();
  if (count == 0) return;  // "every one whole" was said by the scan
  say.fact("skipped",
           fmt::format("{} train, {} test", grouped(scan[0].skipped.size()), grouped(scan[1].skipped.size())));
  const auto reasons = reasons_of(scan);
  for (std::size_t i = 0; i < std::min(kMostReasons, reasons.size()); ++i) {
    say.fact("", fmt::format("{}: {}: {}", grouped(reasons[i].rows.size()), reasons[i].text,
                             some_of(check.data, reasons[i].rows, kNamed)));
  }
  if (reasons.size() > kMostReasons) say.fact("", fmt::format("and {} other reasons", reasons.size() - kMostReasons));
  say.note(fmt::format("{} of {} rows cannot be read and {} left out, as \"skip\" allows", grouped(count),
                       grouped(scan[0].row_count() + scan[1].row_count()), count == 1 ? "is" : "are"));
  const auto listed = datasets::rows_of_classes(check.data, Split::train);
  for (std::size_t k = 0; k < listed.size(); ++k) {
    if (scan[0].class_rows[k] >= kLeastTrainRows || listed[k] < kLeastTrainRows) continue;
    say.note(fmt::format("{} has {} training row{} left and is nobody's normal class alone",
                         some_of({check.data.classes()[k]}, 1), scan[0].class_rows[k],
                         scan[0].class_rows[k] == 1 ? "" : "s"));
  }
}

}  // namespace workers
