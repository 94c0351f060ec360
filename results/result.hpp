// What a job came out with: a record per epoch and the facts that it rests on. Values only; the journal keeps them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/json.hpp"
#include "sweeps/job.hpp"

namespace results {

/// Means over the batches of an epoch of the terms of the loss, each before its weight. Absent for baselines.
struct LossTerms {
  double total = 0;
  double classification = 0;
  double noise = 0;
  double kl = 0;
  double guidance = 0;
  bool operator==(const LossTerms&) const = default;
};

/// How well scores rank a test split (method.md section 5); all in [0, 1].
struct Ranking {
  double auc = 0;           ///< normal class positive
  double ap_normal = 0;     ///< average precision, normal class positive
  double ap_anomalous = 0;  ///< average precision, anomalies positive
  double fpr95 = 0;         ///< the smallest false-positive rate where at least 95 % of the normal rows are accepted
  /// Of the AUROC, by DeLong's method; absent where the split has fewer than two rows of a kind, and in records of
  /// engine version 3.
  std::optional<double> auc_std_error = {};
  bool operator==(const Ranking&) const = default;
};

struct EpochRecord {
  int epoch = 0;                   ///< from 0; a baseline has the one record 0
  std::optional<Ranking> ranking;  ///< absent: undefined, see `undefined`
  std::string undefined;           ///< why, e.g. "the test split has no anomalies"
  std::optional<LossTerms> losses;
  std::optional<double> learning_rate;  ///< of the epoch's last batch
  /// On the sigmoid of the training rows' scores, in [0, 1]: a row is accepted as normal strictly above it. Absent for
  /// baselines, whose scores are no logits.
  std::optional<double> threshold;
  /// For each of JobResult::classes the share of its test rows on the right side of the threshold, in [0, 1]; absent
  /// for a class without test rows. Empty where there is no threshold.
  std::vector<std::optional<double>> shares;
  bool operator==(const EpochRecord&) const = default;

  std::optional<double> auc() const { return ranking ? std::optional(ranking->auc) : std::nullopt; }
};

/// A feature set that a result rests on.
struct FeatureUse {
  std::string id;        ///< digest of its identity
  std::string checksum;  ///< of its payload
  bool operator==(const FeatureUse&) const = default;
};

enum class Outcome { finished, diverged };

/// Bit-equal when the job is run again on the same device kind with the same thread count.
struct JobResult {
  Outcome outcome = Outcome::finished;
  std::optional<int> diverged_epoch;  ///< the epoch in which a loss stopped being finite; its records end before it
  std::vector<EpochRecord> epochs;
  std::optional<double> found_learning_rate;  ///< of the range test; absent where the rate was given, and for baselines
  std::vector<std::string> classes;           ///< of the data set, in index order: what the shares are of
  FeatureUse train;
  FeatureUse test;
  std::string weights;          ///< of the backbone that made their rows, see sweeps::is_weights_identity
  std::int64_t train_rows = 0;  ///< normal rows trained on
  std::int64_t test_rows = 0;
  bool dropped_single_row = false;  ///< a last batch of one row was left out of every epoch
  std::string device;               ///< kind, e.g. "cpu"
  int threads = 1;
  bool operator==(const JobResult&) const = default;
};

/// About a run of a job, not about its result: in no table.
struct JobTiming {
  double wall_seconds = 0;
  std::string host;
  std::string started;  ///< UTC, e.g. "2026-11-27T20:15:03Z"
  std::string gpu =
      {};  ///< UUID of the one that its worker was placed on, "" without; what computed says JobResult::device
  std::string processor = {};  ///< kind of the worker's: storage::processor_kind(); "" in journals that knew of none
};

std::string encode(const EpochRecord& record);
EpochRecord decode_epoch(const storage::JsonValue& value);
std::string encode(const JobResult& result);
JobResult decode_result(const storage::JsonValue& value);
std::string encode(const JobTiming& timing);
JobTiming decode_timing(const storage::JsonValue& value);

/// Index of the earliest epoch with the highest AUROC; absent where none is defined.
std::optional<std::size_t> best_epoch(const std::vector<EpochRecord>& epochs);

}  // namespace results
