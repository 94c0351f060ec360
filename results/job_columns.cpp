// The list of columns. Which setting has an effect on which job is what its canonical text says.
#include "results/job_columns.hpp"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "results/csv.hpp"
#include "results/inference.hpp"
#include "storage/json.hpp"
#include "sweeps/effect.hpp"
#include "sweeps/published_weights.hpp"

namespace results {
namespace {

using Columns = std::vector<JobColumn>;
using Kind = JobColumn::Kind;
using sweeps::Job;
using EpochOf = const EpochRecord* (*)(const PlannedRun&);

JobField field_of(const std::optional<double>& number) {
  return number ? JobField(*number) : JobField();
}

/// JSON, for a name may have any character in it; nothing for a class of its own.
JobField members_of(const PlannedRun& run) {
  if (run.job->members.empty()) return {};
  storage::JsonWriter json;
  json.begin_array();
  for (const std::string& name : run.job->members) json.value(name);
  return json.end_array().text();
}

/// A column of a setting: absent where it has no effect on the job. `value` takes a Job.
template <typename Value>
JobColumn setting(const char* name, const char* axis, Kind kind, const char* description, Value value,
                  const char* unit = "") {
  return {name, kind, unit, description, [=](const PlannedRun& run) -> JobField {
            if (!sweeps::has_effect(axis, *run.job)) return {};
            return value(*run.job);
          }};
}

template <typename Field>
JobColumn word(const char* name, Field field, const char* description) {
  return setting(name, name, Kind::text, description,
                 [field](const Job& job) { return JobField(std::string(sweeps::name_of(field(job)))); });
}

template <typename Number>
JobColumn number(const char* name, Number sweeps::TrainingSettings::*field, const char* description,
                 const char* unit = "") {
  return setting(
      name, name, Kind::number, description,
      [field](const Job& job) {
        if constexpr (std::is_same_v<Number, int>) return JobField(std::int64_t{job.training.*field});
        if constexpr (std::is_same_v<Number, double>) return JobField(job.training.*field);
      },
      unit);
}

JobColumn row_limit(const char* name, const char* axis, std::optional<std::int64_t> Job::*field,
                    const char* description) {
  return setting(
      name, axis, Kind::number, description,
      [field](const Job& job) { return job.*field ? JobField(*(job.*field)) : JobField(); }, "rows per class");
}

/// A column of what a result says: absent where there is none.
template <typename Value>
JobColumn of_result(const char* name, Kind kind, const char* unit, const char* description, Value value) {
  return {name, kind, unit, description, [value](const PlannedRun& run) -> JobField {
            if (run.done == nullptr) return {};
            return value(*run.done);
          }};
}

template <typename Value>
JobColumn of_failure(const char* name, const char* description, Value value) {
  return {name, Kind::text, "", description, [value](const PlannedRun& run) -> JobField {
            if (run.failed == nullptr || run.done != nullptr) return {};
            return value(*run.failed);
          }};
}

/// A column of one epoch: absent where there is no such epoch, or no ranking in it.
template <typename Value>
JobColumn of_ranking(const std::string& name, const std::string& description, EpochOf epoch_of, Value value) {
  return {name, Kind::number, "fraction", description, [=](const PlannedRun& run) -> JobField {
            const EpochRecord* epoch = epoch_of(run);
            if (epoch == nullptr || !epoch->ranking) return {};
            return field_of(value(*epoch->ranking));
          }};
}

std::optional<double> low_of(const Ranking& ranking) {
  if (!ranking.auc_std_error) return std::nullopt;
  return auc_interval(ranking.auc, *ranking.auc_std_error).low;
}

std::optional<double> high_of(const Ranking& ranking) {
  if (!ranking.auc_std_error) return std::nullopt;
  return auc_interval(ranking.auc, *ranking.auc_std_error).high;
}

Columns identity_columns() {
  return {
      {"key", Kind::text, "", "the job's name for good", [](const PlannedRun& run) { return JobField(run.key.hex); }},
      {"dataset", Kind::text, "", "id of the data set",
       [](const PlannedRun& run) { return JobField(run.job->dataset); }},
      {"class", Kind::text, "", "the normal class, or the name of a set of classes",
       [](const PlannedRun& run) { return JobField(run.job->normal_class); }},
      {"members", Kind::text, "", "the classes of such a set, as a JSON array", members_of},
      word(
          "method", [](const Job& job) { return job.method; }, "method"),
      {"setting", Kind::text, "", "what the setting is called among all jobs of the plans",
       [](const PlannedRun& run) { return JobField(run.setting); }},
      setting("seed", "seed", Kind::number, "seed of all randomness",
              [](const Job& job) { return JobField(static_cast<std::int64_t>(job.seed)); }),
  };
}

Columns input_columns() {
  return {
      setting("backbone", "backbone", Kind::text, "backbone whose features the job reads",
              [](const Job& job) { return JobField(job.backbone); }),
      of_result("weights", Kind::text, "", "kind of the backbone's weights: paper, other, untrained",
                [](const Done& done) {
                  return JobField(
                      std::string(sweeps::name_of(sweeps::kind_of_weights(done.job.backbone, done.result.weights))));
                }),
      word(
          "normalisation", [](const Job& job) { return job.normalisation; }, "normalisation of what the backbone sees"),
      row_limit("train_rows_per_class", "train_rows", &Job::train_rows,
                "limit of the training rows of each class; absent: all"),
      row_limit("test_rows_per_class", "test_rows", &Job::test_rows,
                "limit of the test rows of each class; absent: all"),
  };
}

Columns training_columns() {
  using T = sweeps::TrainingSettings;
  return {
      word(
          "perturbation", [](const Job& job) { return job.training.perturbation; }, "what makes pseudo-anomalies"),
      word(
          "guidance", [](const Job& job) { return job.training.guidance; }, "guidance of the perturbation"),
      word(
          "semantics", [](const Job& job) { return job.training.semantics; },
          "the released code's, or the paper's equations"),
      word(
          "classifier_passes", [](const Job& job) { return job.training.classifier_passes; },
          "passes of the classifier over a batch"),
      number("dimension", &T::dimension, "width of the networks; the paper's is 3072"),
      number("epochs", &T::epochs, "epochs of the training as planned", "epochs"),
      number("batch_size", &T::batch_size, "rows of a batch", "rows"),
      setting("learning_rate", "lr", Kind::number,
              "maximum of the one-cycle schedule as given; absent: a range test finds it",
              [](const Job& job) { return field_of(job.training.learning_rate); }),
      of_result("found_learning_rate", Kind::number, "", "maximum of the one-cycle schedule as the range test found it",
                [](const Done& done) { return field_of(done.result.found_learning_rate); }),
      number("weight_decay", &T::weight_decay, "AdamW's weight decay"),
      number("lambda", &T::lambda, "weight of the noise loss"),
      number("nu", &T::nu, "weight of the KL term"),
      number("gamma", &T::gamma, "weight of the guidance"),
      number("tau", &T::tau, "temperature of the guidance"),
      number("sigma", &T::sigma, "standard deviation of Gaussian noise"),
      word(
          "scaling", [](const Job& job) { return job.baseline.scaling; }, "scaling of the features of a baseline"),
      setting("k", "k", Kind::number, "neighbours of kNN",
              [](const Job& job) { return JobField(std::int64_t{job.baseline.k}); }),
      setting("clusters", "clusters", Kind::number, "centres of k-means",
              [](const Job& job) { return JobField(std::int64_t{job.baseline.clusters}); }),
  };
}

Columns outcome_columns() {
  return {
      {"outcome", Kind::text, "", "finished, diverged, failed (given up) or missing",
       [](const PlannedRun& run) { return JobField(std::string(outcome_of(run))); }},
      of_result("diverged_epoch", Kind::number, "", "epoch, from 0, in which a loss stopped being finite",
                [](const Done& done) {
                  const auto& epoch = done.result.diverged_epoch;
                  return epoch ? JobField(std::int64_t{*epoch}) : JobField();
                }),
      of_failure("cause", "class of the failure, e.g. exception, oom, signal, hung",
                 [](const Failed& failed) { return JobField(failed.cause); }),
      of_failure("message", "the failure in words", [](const Failed& failed) { return JobField(failed.message); }),
      {"epochs_recorded", Kind::whole, "epochs", "records of the job: its lines in epochs.csv, its rows in epochs/*",
       [](const PlannedRun& run) {
         return JobField(static_cast<std::int64_t>(run.done == nullptr ? 0 : run.done->result.epochs.size()));
       }},
  };
}

/// The same of the best epoch and of the last.
Columns epoch_columns(const std::string& which, EpochOf epoch_of) {
  const std::string of = " of the " + which + " epoch", mark = "_" + which;
  Columns columns;
  columns.push_back(of_ranking("auc" + mark, "AUROC, normal class positive," + of, epoch_of,
                               [](const Ranking& ranking) { return std::optional(ranking.auc); }));
  columns.push_back(
      of_ranking("auc" + mark + "_low", "lower bound of DeLong's 95 % interval of the AUROC" + of, epoch_of, low_of));
  columns.push_back(
      of_ranking("auc" + mark + "_high", "upper bound of DeLong's 95 % interval of the AUROC" + of, epoch_of, high_of));
  columns.push_back(of_ranking("ap_normal" + mark, "average precision, normal class positive," + of, epoch_of,
                               [](const Ranking& ranking) { return std::optional(ranking.ap_normal); }));
  columns.push_back(of_ranking("ap_anomalous" + mark, "average precision, anomalies positive," + of, epoch_of,
                               [](const Ranking& ranking) { return std::optional(ranking.ap_anomalous); }));
  columns.push_back(of_ranking("fpr95" + mark,
                               "false-positive rate where at least 95 % of the normal rows are accepted," + of,
                               epoch_of, [](const Ranking& ranking) { return std::optional(ranking.fpr95); }));
  columns.push_back({"threshold" + mark, Kind::number, "fraction",
                     "a row is accepted as normal where the sigmoid of its score is above it," + of,
                     [epoch_of](const PlannedRun& run) {
                       const EpochRecord* epoch = epoch_of(run);
                       return epoch == nullptr ? JobField() : field_of(epoch->threshold);
                     }});
  return columns;
}

Columns best_columns() {
  Columns columns = {{"best_epoch", Kind::number, "",
                      "earliest epoch, from 0, with the highest AUROC on the test split", [](const PlannedRun& run) {
                        const EpochRecord* best = best_epoch_of(run);
                        return best == nullptr ? JobField() : JobField(std::int64_t{best->epoch});
                      }}};
  for (JobColumn& column : epoch_columns("best", best_epoch_of)) columns.push_back(std::move(column));
  return columns;
}

Columns circumstances_columns() {
  return {
      of_result("train_rows", Kind::number, "rows", "normal rows that were trained on",
                [](const Done& done) { return JobField(done.result.train_rows); }),
      of_result("test_rows", Kind::number, "rows", "rows that were scored",
                [](const Done& done) { return JobField(done.result.test_rows); }),
      of_result("device", Kind::text, "", "kind of device that computed",
                [](const Done& done) { return JobField(done.result.device); }),
      of_result("threads", Kind::number, "threads", "CPU threads of the worker",
                [](const Done& done) { return JobField(std::int64_t{done.result.threads}); }),
      of_result("engine_version", Kind::number, "", "version of the numerics that computed",
                [](const Done& done) { return JobField(std::int64_t{done.engine_version}); }),
      of_result("wall_seconds", Kind::number, "seconds", "how long the job took",
                [](const Done& done) { return JobField(done.timing.wall_seconds); }),
      of_result("host", Kind::text, "", "host that computed",
                [](const Done& done) { return JobField(done.timing.host); }),
      of_result("started", Kind::text, "UTC", "when the job began",
                [](const Done& done) { return JobField(done.timing.started); }),
      of_result("gpu", Kind::text, "", "UUID of the worker's GPU; empty without one",
                [](const Done& done) { return JobField(done.timing.gpu); }),
      of_result(
          "processor", Kind::text, "",
          "kind of the worker's processor and its widest vectors: kinds may round differently; empty in older runs",
          [](const Done& done) { return JobField(done.timing.processor); }),
  };
}

Columns all_columns() {
  Columns all;
  for (Columns part : {identity_columns(), input_columns(), training_columns(), outcome_columns(), best_columns(),
                       epoch_columns("last", last_epoch_of), circumstances_columns()}) {
    std::move(part.begin(), part.end(), std::back_inserter(all));
  }
  return all;
}

std::string csv_text(const JobField& field) {
  if (const auto* text = std::get_if<std::string>(&field)) return csv_field(*text);
  if (const auto* number = std::get_if<double>(&field)) return csv_number(*number);
  if (const auto* whole = std::get_if<std::int64_t>(&field)) return fmt::format("{}", *whole);
  return "";
}

}  // namespace

const std::vector<JobColumn>& job_columns() {
  static const Columns columns = all_columns();
  return columns;
}

void write_jobs(const std::vector<PlannedRun>& runs, const std::function<void(std::string_view)>& take) {
  std::string line;
  const auto end_line = [&] {
    line.back() = '\n';
    take(line);
    line.clear();
  };
  for (const JobColumn& column : job_columns()) line += column.name + ",";
  end_line();
  for (const PlannedRun& run : runs) {
    for (const JobColumn& column : job_columns()) line += csv_text(column.field(run)) + ",";
    end_line();
  }
}

}  // namespace results
