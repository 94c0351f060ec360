// Lines of jobs in the order of the plans, so that the order of the journal changes no byte.
#include "results/run_records.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "results/csv.hpp"
#include "results/grid.hpp"
#include "results/inference.hpp"
#include "sweeps/published_weights.hpp"

namespace results {
namespace {

using sweeps::Job;
using sweeps::Mode;

constexpr const char* kRunHeader = "key,dataset,class,method,setting,seed,weights";

/// A committed job and the fields that begin each of its lines.
struct Run {
  std::string fields;
  const JobResult* result;
};

std::string fields_of(const sweeps::JobKey& key, const Job& job, const std::string& setting,
                      const std::string& weights) {
  return fmt::format("{},{},{},{},{},{},{}", key.hex, csv_field(job.dataset), csv_field(job.normal_class),
                     sweeps::name_of(job.method), csv_field(setting),
                     sweeps::is_seeded(job.method) ? fmt::format("{}", job.seed) : "",
                     sweeps::name_of(sweeps::kind_of_weights(job.backbone, weights)));
}

/// The names of settings are those among all planned jobs: they do not change while a sweep is under way.
std::vector<Run> committed_runs(const std::vector<sweeps::Plan>& plans, const Ledger& ledger) {
  std::vector<Job> jobs;
  std::vector<sweeps::JobKey> keys;
  std::unordered_set<sweeps::JobKey> seen;
  for (const sweeps::Plan& plan : plans) {
    for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
      if (!seen.insert(plan.keys.at(i)).second) continue;
      jobs.push_back(plan.jobs[i]);
      keys.push_back(plan.keys[i]);
    }
  }
  const std::vector<std::string> settings = sweeps::setting_names(jobs);
  std::vector<Run> runs;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto done = ledger.done.find(keys[i]);
    if (done == ledger.done.end()) continue;
    const JobResult& result = done->second.result;
    runs.push_back({fields_of(keys[i], jobs[i], settings[i], result.weights), &result});
  }
  return runs;
}

std::string ranking_fields(const std::optional<Ranking>& ranking) {
  if (!ranking) return ",,,,,";
  std::optional<double> low, high;
  if (ranking->auc_std_error) {
    const AucInterval interval = auc_interval(ranking->auc, *ranking->auc_std_error);
    low = interval.low;
    high = interval.high;
  }
  return fmt::format("{},{},{},{},{},{}", csv_number(ranking->auc), csv_number(low), csv_number(high),
                     csv_number(ranking->ap_normal), csv_number(ranking->ap_anomalous), csv_number(ranking->fpr95));
}

std::string loss_fields(const std::optional<LossTerms>& losses) {
  if (!losses) return ",,,,";
  return fmt::format("{},{},{},{},{}", csv_number(losses->total), csv_number(losses->classification),
                     csv_number(losses->noise), csv_number(losses->kl), csv_number(losses->guidance));
}

std::string share_lines(const Run& run, Mode mode, std::size_t epoch) {
  const EpochRecord& record = run.result->epochs[epoch];
  std::string lines;
  for (std::size_t i = 0; i < record.shares.size(); ++i) {
    lines += fmt::format("{},{},{},{},{},{}\n", run.fields, mode_name(mode), record.epoch, csv_number(record.threshold),
                         csv_field(run.result->classes.at(i)), csv_number(record.shares[i]));
  }
  return lines;
}

}  // namespace

std::string epochs_csv(const std::vector<sweeps::Plan>& plans, const Ledger& ledger) {
  std::string text = fmt::format(
      "{},epoch,auc,auc_low,auc_high,ap_normal,ap_anomalous,fpr95,total,classification,noise,kl,guidance,learning_rate,"
      "threshold,"
      "outcome\n",
      kRunHeader);
  for (const Run& run : committed_runs(plans, ledger)) {
    const char* outcome = run.result->outcome == Outcome::finished ? "finished" : "diverged";
    for (const EpochRecord& record : run.result->epochs) {
      text += fmt::format("{},{},{},{},{},{},{}\n", run.fields, record.epoch, ranking_fields(record.ranking),
                          loss_fields(record.losses), csv_number(record.learning_rate), csv_number(record.threshold),
                          outcome);
    }
  }
  return text;
}

std::string shares_csv(const std::vector<sweeps::Plan>& plans, const Ledger& ledger) {
  std::string text = fmt::format("{},mode,epoch,threshold,test_class,share\n", kRunHeader);
  for (const Run& run : committed_runs(plans, ledger)) {
    const std::vector<EpochRecord>& epochs = run.result->epochs;
    if (run.result->outcome != Outcome::finished || epochs.empty()) continue;
    if (const auto best = best_epoch(epochs)) text += share_lines(run, Mode::best, *best);
    text += share_lines(run, Mode::last, epochs.size() - 1);
  }
  return text;
}

}  // namespace results
