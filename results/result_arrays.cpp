// Each array walks over all runs by itself: the file has one array after the other.
#include "results/result_arrays.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "results/grid.hpp"
#include "results/inference.hpp"
#include "results/job_columns.hpp"
#include "storage/array_file.hpp"

namespace results {
namespace {

using Runs = std::vector<PlannedRun>;
using storage::ArrayType;
using storage::ArrayValues;
using storage::NamedArray;
using sweeps::Mode;

double number_of(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

storage::ArrayAttributes in_words(const std::string& unit, const std::string& description) {
  return {{"unit", unit}, {"description", description}};
}

// ---- jobs

std::string text_of(const JobField& field) {
  const auto* text = std::get_if<std::string>(&field);
  return text == nullptr ? "" : *text;
}

double number_of(const JobField& field) {
  if (const auto* whole = std::get_if<std::int64_t>(&field)) return static_cast<double>(*whole);
  const auto* number = std::get_if<double>(&field);
  return number_of(number == nullptr ? std::nullopt : std::optional(*number));
}

NamedArray job_array(const JobColumn& column, const Runs& runs) {
  NamedArray array{
      "jobs/" + column.name, ArrayType::numbers, runs.size(), 0, in_words(column.unit, column.description), {}};
  if (column.kind == JobColumn::Kind::text) {
    array.type = ArrayType::texts;
    for (const PlannedRun& run : runs) array.text_bytes = std::max(array.text_bytes, text_of(column.field(run)).size());
    array.values = [&](ArrayValues& values) {
      for (const PlannedRun& run : runs) values.text(text_of(column.field(run)));
    };
  } else if (column.kind == JobColumn::Kind::whole) {
    array.type = ArrayType::wholes;
    array.values = [&](ArrayValues& values) {
      for (const PlannedRun& run : runs) values.whole(std::get<std::int64_t>(column.field(run)));
    };
  } else {
    array.values = [&](ArrayValues& values) {
      for (const PlannedRun& run : runs) values.number(number_of(column.field(run)));
    };
  }
  return array;
}

// ---- epochs

struct EpochColumn {
  const char* name;
  const char* unit;
  const char* description;
  std::optional<double> (*value)(const EpochRecord&);
};

template <double Ranking::*field>
std::optional<double> ranked(const EpochRecord& record) {
  return record.ranking ? std::optional((*record.ranking).*field) : std::nullopt;
}

template <double LossTerms::*field>
std::optional<double> lost(const EpochRecord& record) {
  return record.losses ? std::optional((*record.losses).*field) : std::nullopt;
}

template <double AucInterval::*bound>
std::optional<double> bounded(const EpochRecord& record) {
  if (!record.ranking || !record.ranking->auc_std_error) return std::nullopt;
  return auc_interval(record.ranking->auc, *record.ranking->auc_std_error).*bound;
}

constexpr EpochColumn kEpochColumns[] = {
    {"auc", "fraction", "AUROC on the test split, normal class positive", ranked<&Ranking::auc>},
    {"auc_low", "fraction", "lower bound of DeLong's 95 % interval of the AUROC", bounded<&AucInterval::low>},
    {"auc_high", "fraction", "upper bound of DeLong's 95 % interval of the AUROC", bounded<&AucInterval::high>},
    {"ap_normal", "fraction", "average precision, normal class positive", ranked<&Ranking::ap_normal>},
    {"ap_anomalous", "fraction", "average precision, anomalies positive", ranked<&Ranking::ap_anomalous>},
    {"fpr95", "fraction", "false-positive rate where at least 95 % of the normal rows are accepted",
     ranked<&Ranking::fpr95>},
    {"total", "", "the loss: mean over the batches of the epoch", lost<&LossTerms::total>},
    {"classification", "", "its classification term, before its weight", lost<&LossTerms::classification>},
    {"noise", "", "its noise term, before its weight", lost<&LossTerms::noise>},
    {"kl", "", "its KL term, before its weight", lost<&LossTerms::kl>},
    {"guidance", "", "its guidance term, before its weight", lost<&LossTerms::guidance>},
    {"learning_rate", "", "learning rate of the epoch's last batch",
     [](const EpochRecord& record) { return record.learning_rate; }},
    {"threshold", "fraction", "a row is accepted as normal where the sigmoid of its score is above it",
     [](const EpochRecord& record) { return record.threshold; }},
};

constexpr const char* kJobIndex = "which job: an index, from 0, into the arrays jobs/*";
constexpr const char* kEpochNumber = "number of the epoch, from 0";

using OnEpoch = std::function<void(std::int64_t job, const EpochRecord& record)>;

void each_epoch(const Runs& runs, const OnEpoch& on_epoch) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].done == nullptr) continue;
    for (const EpochRecord& record : runs[i].done->result.epochs) on_epoch(static_cast<std::int64_t>(i), record);
  }
}

void add_epochs(std::vector<NamedArray>& arrays, const Runs& runs) {
  std::uint64_t length = 0;
  each_epoch(runs, [&](std::int64_t /*job*/, const EpochRecord& /*record*/) { ++length; });
  const auto add = [&](const std::string& name, ArrayType type, storage::ArrayAttributes words, auto give) {
    arrays.push_back({"epochs/" + name, type, length, 0, std::move(words), [&runs, give](ArrayValues& values) {
                        each_epoch(runs,
                                   [&](std::int64_t job, const EpochRecord& record) { give(values, job, record); });
                      }});
  };
  add("job", ArrayType::wholes, in_words("", kJobIndex),
      [](ArrayValues& values, std::int64_t job, const EpochRecord&) { values.whole(job); });
  add("epoch", ArrayType::wholes, in_words("", kEpochNumber),
      [](ArrayValues& values, std::int64_t, const EpochRecord& record) { values.whole(record.epoch); });
  for (const EpochColumn& column : kEpochColumns) {
    add(column.name, ArrayType::numbers, in_words(column.unit, column.description),
        [&column](ArrayValues& values, std::int64_t, const EpochRecord& record) {
          values.number(number_of(column.value(record)));
        });
  }
}

// ---- shares

/// One line of shares.csv.
struct Share {
  std::int64_t job;
  Mode mode;
  const EpochRecord& record;
  const std::string& test_class;
  std::optional<double> share;
};

using OnShare = std::function<void(const Share& share)>;

void each_share(const Runs& runs, const OnShare& on_share) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const auto& [mode, record] : shown_epochs_of(runs[i])) {
      const std::vector<std::string>& classes = runs[i].done->result.classes;
      for (std::size_t k = 0; k < record->shares.size(); ++k) {
        on_share({static_cast<std::int64_t>(i), mode, *record, classes.at(k), record->shares[k]});
      }
    }
  }
}

void add_shares(std::vector<NamedArray>& arrays, const Runs& runs) {
  std::uint64_t length = 0;
  std::size_t longest = 0;
  each_share(runs, [&](const Share& share) {
    ++length;
    longest = std::max(longest, share.test_class.size());
  });
  const auto add = [&](const char* name, ArrayType type, std::size_t text_bytes, storage::ArrayAttributes words,
                       auto give) {
    arrays.push_back(
        {std::string("shares/") + name, type, length, text_bytes, std::move(words),
         [&runs, give](ArrayValues& values) { each_share(runs, [&](const Share& share) { give(values, share); }); }});
  };
  add("job", ArrayType::wholes, 0, in_words("", kJobIndex),
      [](ArrayValues& values, const Share& share) { values.whole(share.job); });
  add("mode", ArrayType::texts, std::max(mode_name(Mode::best).size(), mode_name(Mode::last).size()),
      in_words("", "best or last: which epoch of the job"),
      [](ArrayValues& values, const Share& share) { values.text(mode_name(share.mode)); });
  add("epoch", ArrayType::wholes, 0, in_words("", kEpochNumber),
      [](ArrayValues& values, const Share& share) { values.whole(share.record.epoch); });
  add("threshold", ArrayType::numbers, 0, in_words("fraction", "threshold of that epoch"),
      [](ArrayValues& values, const Share& share) { values.number(number_of(share.record.threshold)); });
  add("test_class", ArrayType::texts, longest, in_words("", "the class whose test rows the share is of"),
      [](ArrayValues& values, const Share& share) { values.text(share.test_class); });
  add("share", ArrayType::numbers, 0,
      in_words("fraction",
               "of the test rows of the class, those on the right side of the threshold: accepted of the "
               "normal class, rejected of every other one; NaN: it has no test rows"),
      [](ArrayValues& values, const Share& share) { values.number(number_of(share.share)); });
}

}  // namespace

void write_result_arrays(const std::filesystem::path& file, const std::vector<PlannedRun>& runs) {
  std::vector<NamedArray> arrays;
  for (const JobColumn& column : job_columns()) arrays.push_back(job_array(column, runs));
  add_epochs(arrays, runs);
  add_shares(arrays, runs);
  storage::write_arrays(
      file, {{"format", std::string("plume-bench results")}, {"version", std::int64_t{kResultArraysVersion}}}, arrays);
}

}  // namespace results
