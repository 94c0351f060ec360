// The lines of each committed job.
#include "results/run_records.hpp"

#include <fmt/format.h>

#include "results/csv.hpp"
#include "results/grid.hpp"
#include "results/inference.hpp"
#include "sweeps/published_weights.hpp"

namespace results {
namespace {

using sweeps::Job;

constexpr const char* kRunHeader = "key,dataset,class,method,setting,seed,weights";

/// The fields that begin each line of a committed job.
std::string fields_of(const PlannedRun& run) {
  const Job& job = *run.job;
  return fmt::format("{},{},{},{},{},{},{}", run.key.hex, csv_field(job.dataset), csv_field(job.normal_class),
                     sweeps::name_of(job.method), csv_field(run.setting),
                     sweeps::is_seeded(job.method) ? fmt::format("{}", job.seed) : "",
                     sweeps::name_of(sweeps::kind_of_weights(job.backbone, run.done->result.weights)));
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

std::string epoch_lines(const PlannedRun& run) {
  const std::string fields = fields_of(run);
  std::string lines;
  for (const EpochRecord& record : run.done->result.epochs) {
    lines += fmt::format("{},{},{},{},{},{},{}\n", fields, record.epoch, ranking_fields(record.ranking),
                         loss_fields(record.losses), csv_number(record.learning_rate), csv_number(record.threshold),
                         outcome_of(run));
  }
  return lines;
}

std::string share_lines(const PlannedRun& run) {
  const std::string fields = fields_of(run);
  std::string lines;
  for (const auto& [mode, record] : shown_epochs_of(run)) {
    for (std::size_t i = 0; i < record->shares.size(); ++i) {
      lines += fmt::format("{},{},{},{},{},{}\n", fields, mode_name(mode), record->epoch, csv_number(record->threshold),
                           csv_field(run.done->result.classes.at(i)), csv_number(record->shares[i]));
    }
  }
  return lines;
}

}  // namespace

void write_epochs(const std::vector<PlannedRun>& runs, const TakeLines& take) {
  take(fmt::format(
      "{},epoch,auc,auc_low,auc_high,ap_normal,ap_anomalous,fpr95,total,classification,noise,kl,guidance,learning_rate,"
      "threshold,"
      "outcome\n",
      kRunHeader));
  for (const PlannedRun& run : runs) {
    if (run.done != nullptr) take(epoch_lines(run));
  }
}

std::string epochs_csv(const std::vector<sweeps::Plan>& plans, const Ledger& ledger) {
  std::string text;
  write_epochs(planned_runs(plans, ledger), [&](std::string_view lines) { text += lines; });
  return text;
}

std::string shares_csv(const std::vector<sweeps::Plan>& plans, const Ledger& ledger) {
  std::string text = fmt::format("{},mode,epoch,threshold,test_class,share\n", kRunHeader);
  for (const PlannedRun& run : planned_runs(plans, ledger)) {
    if (run.done != nullptr) text += share_lines(run);
  }
  return text;
}

}  // namespace results
