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

struct EpochRecord {
  int epoch = 0;              ///< from 0; a baseline has the one record 0
  std::optional<double> auc;  ///< in [0, 1], normal class positive; absent: undefined, see auc_undefined
  std::string auc_undefined;  ///< why, e.g. "the test split has no anomalies"
  std::optional<LossTerms> losses;
  std::optional<double> learning_rate;  ///< of the epoch's last batch
  bool operator==(const EpochRecord&) const = default;
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
  FeatureUse train;
  FeatureUse test;
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
