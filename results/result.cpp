// JSON of epoch records, results and timings: what travels from a trainer and what the journal keeps. Full precision
// both ways.
#include "results/result.hpp"

#include <cmath>
#include <limits>

#include "sweeps/published_weights.hpp"

namespace results {
namespace {

constexpr int kMostEpochs = std::numeric_limits<int>::max();

bool all_finite(const LossTerms& losses) {
  return std::isfinite(losses.total) && std::isfinite(losses.classification) && std::isfinite(losses.noise) &&
         std::isfinite(losses.kl) && std::isfinite(losses.guidance);
}

void write_losses(storage::JsonWriter& json, const LossTerms& losses) {
  json.key("losses").begin_object();
  json.member("total", losses.total).member("classification", losses.classification).member("noise", losses.noise);
  json.member("kl", losses.kl).member("guidance", losses.guidance);
  if (!all_finite(losses)) json.member("nonfinite", true);
  json.end_object();
}

LossTerms read_losses(const storage::JsonValue& value) {
  value.allow_only({"total", "classification", "noise", "kl", "guidance", "nonfinite"});
  const auto mark = value.find("nonfinite");
  const bool nonfinite = mark && mark->boolean();
  const auto term = [&](std::string_view key) {
    const storage::JsonValue found = value.at(key);
    return nonfinite && found.is_null() ? std::numeric_limits<double>::quiet_NaN() : found.number();
  };
  LossTerms losses;
  losses.total = term("total");
  losses.classification = term("classification");
  losses.noise = term("noise");
  losses.kl = term("kl");
  losses.guidance = term("guidance");
  return losses;
}

bool all_finite(const Ranking& ranking) {
  return std::isfinite(ranking.auc) && std::isfinite(ranking.ap_normal) && std::isfinite(ranking.ap_anomalous) &&
         std::isfinite(ranking.fpr95) && std::isfinite(ranking.auc_std_error.value_or(0));
}

/// A ranking that is not finite is written as undefined, and a threshold that is not finite not at all: no table may
/// show it.
void write_ranking(storage::JsonWriter& json, const EpochRecord& record) {
  if (record.ranking && all_finite(*record.ranking)) {
    json.member("auc", record.ranking->auc).member("ap_normal", record.ranking->ap_normal);
    json.member("ap_anomalous", record.ranking->ap_anomalous).member("fpr95", record.ranking->fpr95);
    if (record.ranking->auc_std_error) json.member("auc_std_error", *record.ranking->auc_std_error);
    return;
  }
  json.key("auc").null();
  json.member("undefined", record.ranking ? std::string("the AUROC is not finite") : record.undefined);
}

void write_shares(storage::JsonWriter& json, const std::vector<std::optional<double>>& shares) {
  json.key("shares").begin_array();
  for (const std::optional<double>& share : shares) {
    if (share) {
      json.value(*share);
    } else {
      json.null();
    }
  }
  json.end_array();
}

void write_epoch(storage::JsonWriter& json, const EpochRecord& record) {
  json.begin_object().member("epoch", record.epoch);
  write_ranking(json, record);
  if (record.losses) write_losses(json, *record.losses);
  if (record.learning_rate) json.member("learning_rate", *record.learning_rate);
  if (record.threshold && std::isfinite(*record.threshold)) {
    json.member("threshold", *record.threshold);
    if (!record.shares.empty()) write_shares(json, record.shares);
  }
  json.end_object();
}

double read_share(const storage::JsonValue& value) {
  const double share = value.number();
  if (share < 0 || share > 1) value.fail("expected a number in [0, 1], found " + value.text());
  return share;
}

/// All or none: "auc" is null, and why, where a ranking is undefined. Only the standard error may be absent alone.
void read_ranking(const storage::JsonValue& value, EpochRecord& record) {
  const bool defined = !value.at("auc").is_null();
  if (const auto why = value.find("undefined")) {
    if (defined) why->fail("expected no such key beside an \"auc\" that is a number");
    record.undefined = why->string();
  }
  for (const char* key : {"ap_normal", "ap_anomalous", "fpr95", "auc_std_error"}) {
    if (const auto found = value.find(key); found && !defined) found->fail("expected no such key beside \"auc\":null");
  }
  if (!defined) return;
  record.ranking = {read_share(value.at("auc")), read_share(value.at("ap_normal")),
                    read_share(value.at("ap_anomalous")), read_share(value.at("fpr95"))};
  if (const auto error = value.find("auc_std_error")) record.ranking->auc_std_error = read_share(*error);
}

void read_threshold(const storage::JsonValue& value, EpochRecord& record) {
  if (const auto threshold = value.find("threshold")) record.threshold = read_share(*threshold);
  const auto shares = value.find("shares");
  if (!shares) return;
  if (!record.threshold) shares->fail("expected no such key without a \"threshold\"");
  for (const storage::JsonValue& share : shares->items()) {
    record.shares.push_back(share.is_null() ? std::nullopt : std::optional(read_share(share)));
  }
}

double read_rate(const storage::JsonValue& value) {
  const double rate = value.number();
  if (!(rate > 0)) value.fail("expected a number above 0, found " + value.text());
  return rate;
}

void write_use(storage::JsonWriter& json, std::string_view name, const FeatureUse& use) {
  json.key(name).begin_object().member("id", use.id).member("checksum", use.checksum).end_object();
}

FeatureUse read_use(const storage::JsonValue& value) {
  value.allow_only({"id", "checksum"});
  return {value.at("id").string(), value.at("checksum").string()};
}

std::string read_weights(const storage::JsonValue& value) {
  const std::string weights = value.string();
  if (sweeps::is_weights_identity(weights)) return weights;
  value.fail("expected the 64 hexadecimal digits of a SHA-256, random:SEED or \"\", found " +
             storage::in_quotes(weights));
}

Outcome read_outcome(const storage::JsonValue& value) {
  const std::string name = value.string();
  if (name == "finished") return Outcome::finished;
  if (name == "diverged") return Outcome::diverged;
  value.fail("expected \"finished\" or \"diverged\", found \"" + name + "\"");
}

std::vector<EpochRecord> read_epochs(const storage::JsonValue& value) {
  std::vector<EpochRecord> epochs;
  for (const storage::JsonValue& item : value.items()) {
    epochs.push_back(decode_epoch(item));
    const auto expected = static_cast<int>(epochs.size()) - 1;
    if (epochs.back().epoch != expected) {
      item.at("epoch").fail("expected epoch " + std::to_string(expected) + ", found " +
                            std::to_string(epochs.back().epoch));
    }
  }
  return epochs;
}

void check_divergence(const storage::JsonValue& value, const JobResult& result) {
  const bool diverged = result.outcome == Outcome::diverged;
  if (diverged != result.diverged_epoch.has_value()) {
    value.fail("expected \"diverged_epoch\" with the outcome \"diverged\" and with no other");
  }
  if (diverged && result.epochs.size() > static_cast<std::size_t>(*result.diverged_epoch)) {
    value.at("epochs").fail("expected records before the diverged epoch " + std::to_string(*result.diverged_epoch) +
                            " only, found " + std::to_string(result.epochs.size()));
  }
}

void check_shares(const storage::JsonValue& value, const JobResult& result) {
  for (std::size_t i = 0; i < result.epochs.size(); ++i) {
    const std::size_t shares = result.epochs[i].shares.size();
    if (shares == 0 || shares == result.classes.size()) continue;
    value.at("epochs").items()[i].at("shares").fail("expected one share for each of the " +
                                                    std::to_string(result.classes.size()) + " classes, found " +
                                                    std::to_string(shares));
  }
}

}  // namespace

std::string encode(const EpochRecord& record) {
  storage::JsonWriter json;
  write_epoch(json, record);
  return json.text();
}

EpochRecord decode_epoch(const storage::JsonValue& value) {
  value.allow_only({"epoch", "auc", "ap_normal", "ap_anomalous", "fpr95", "auc_std_error", "undefined", "losses",
                    "learning_rate", "threshold", "shares"});
  EpochRecord record;
  record.epoch = static_cast<int>(value.at("epoch").integer(0, kMostEpochs));
  read_ranking(value, record);
  if (const auto losses = value.find("losses")) record.losses = read_losses(*losses);
  const auto rate = value.find("learning_rate");
  if (rate && !rate->is_null()) record.learning_rate = rate->number();
  read_threshold(value, record);
  return record;
}

std::string encode(const JobResult& result) {
  storage::JsonWriter json;
  json.begin_object().member("outcome", result.outcome == Outcome::finished ? "finished" : "diverged");
  if (result.diverged_epoch) json.member("diverged_epoch", *result.diverged_epoch);
  json.key("epochs").begin_array();
  for (const EpochRecord& record : result.epochs) write_epoch(json, record);
  json.end_array();
  if (result.found_learning_rate) json.member("found_learning_rate", *result.found_learning_rate);
  json.key("classes").begin_array();
  for (const std::string& name : result.classes) json.value(name);
  json.end_array();
  write_use(json, "train", result.train);
  write_use(json, "test", result.test);
  json.member("weights", result.weights);
  json.member("train_rows", result.train_rows).member("test_rows", result.test_rows);
  json.member("dropped_single_row", result.dropped_single_row);
  json.member("device", result.device).member("threads", result.threads).end_object();
  return json.text();
}

JobResult decode_result(const storage::JsonValue& value) {
  value.allow_only({"outcome", "diverged_epoch", "epochs", "found_learning_rate", "classes", "train", "test", "weights",
                    "train_rows", "test_rows", "dropped_single_row", "device", "threads"});
  JobResult result;
  result.outcome = read_outcome(value.at("outcome"));
  if (const auto epoch = value.find("diverged_epoch")) {
    result.diverged_epoch = static_cast<int>(epoch->integer(0, kMostEpochs));
  }
  result.epochs = read_epochs(value.at("epochs"));
  check_divergence(value, result);
  if (const auto rate = value.find("found_learning_rate")) result.found_learning_rate = read_rate(*rate);
  for (const storage::JsonValue& name : value.at("classes").items()) result.classes.push_back(name.string());
  check_shares(value, result);
  result.train = read_use(value.at("train"));
  result.test = read_use(value.at("test"));
  result.weights = read_weights(value.at("weights"));
  result.train_rows = value.at("train_rows").integer(0);
  result.test_rows = value.at("test_rows").integer(0);
  result.dropped_single_row = value.at("dropped_single_row").boolean();
  result.device = value.at("device").string();
  result.threads = static_cast<int>(value.at("threads").integer(1, std::numeric_limits<int>::max()));
  return result;
}

std::string encode(const JobTiming& timing) {
  storage::JsonWriter json;
  json.begin_object().member("wall_seconds", std::isfinite(timing.wall_seconds) ? timing.wall_seconds : 0.0);
  json.member("host", timing.host).member("started", timing.started);
  if (!timing.gpu.empty()) json.member("gpu", timing.gpu);
  if (!timing.processor.empty()) json.member("processor", timing.processor);
  json.end_object();
  return json.text();
}

JobTiming decode_timing(const storage::JsonValue& value) {
  value.allow_only({"wall_seconds", "host", "started", "gpu", "processor"});
  // Absent without one, and in journals that knew of none.
  const auto gpu = value.find("gpu"), processor = value.find("processor");
  return {value.at("wall_seconds").number(), value.at("host").string(), value.at("started").string(),
          gpu ? gpu->string() : "", processor ? processor->string() : ""};
}

std::optional<std::size_t> best_epoch(const std::vector<EpochRecord>& epochs) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    if (epochs[i].ranking && (!best || epochs[i].ranking->auc > epochs[*best].ranking->auc)) best = i;
  }
  return best;
}

}  // namespace results
