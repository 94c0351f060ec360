// From tensors to model files and a dump.
#include "workers/kept_training.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "plume/draws.hpp"
#include "plume/method.hpp"
#include "plume/row_views.hpp"
#include "plume/training.hpp"
#include "results/dump.hpp"
#include "workers/kept_files.hpp"
#include "workers/model_file.hpp"
#include "workers/saved_model.hpp"

namespace workers {
namespace {

std::vector<std::string> normal_names(const plume::JobData& data) {
  std::vector<std::string> names;
  for (const int k : data.normal_classes) names.push_back(data.classes.at(static_cast<std::size_t>(k)));
  return names;
}

// ---- models
// ------------------------------------------------------------------------------------------------------------------

void write_model_of(const KeptTraining& kept, const plume::JobData& data, const plume::FinishedTraining& training,
                    const plume::ModelOfEpoch& of_epoch, const std::string& which) {
  ModelFacts facts;
  facts.job = kept.job;
  facts.which = which;
  facts.epoch = of_epoch.epoch.epoch;
  facts.auroc = of_epoch.epoch.auc();
  facts.threshold = of_epoch.epoch.threshold;
  facts.features_identity = kept.features_identity;
  facts.row_length = data.train.numel() / data.train.size(0);
  facts.classes = data.classes;
  facts.normal_classes = normal_names(data);
  if (training.statistics) {
    facts.mean.assign(training.statistics->mean.begin(), training.statistics->mean.end());
    facts.std_dev.assign(training.statistics->std_dev.begin(), training.statistics->std_dev.end());
  }
  facts.contents = sweeps::name_of(kept.keep.save);
  write_model(model_file(kept.directory, sweeps::key_of(kept.job), which), facts, of_epoch.model);
}

// ---- dump
// --------------------------------------------------------------------------------------------------------------------

/// At most `most` of `rows`, drawn, in their order.
std::vector<std::int64_t> drawn_from(const std::vector<std::int64_t>& rows, std::int64_t most,
                                     const plume::Draws& draws, int stream) {
  const auto n = static_cast<std::int64_t>(rows.size());
  std::vector<std::int64_t> drawn;
  for (const auto i : draws.permutation(stream, n)) {
    if (static_cast<std::int64_t>(drawn.size()) == most) break;
    drawn.push_back(rows[static_cast<std::size_t>(i)]);
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

/// Test rows that are dumped.
struct Chosen {
  std::vector<std::int64_t> normal, anomalous;
};

Chosen chosen_rows(const plume::JobData& data, std::int64_t most, const plume::Draws& draws) {
  Chosen all;
  const auto& normal = data.normal_classes;
  for (std::size_t i = 0; i < data.test_labels.size(); ++i) {
    const bool is_normal = std::find(normal.begin(), normal.end(), data.test_labels[i]) != normal.end();
    (is_normal ? all.normal : all.anomalous).push_back(static_cast<std::int64_t>(i));
  }
  return {drawn_from(all.normal, most, draws, 0), drawn_from(all.anomalous, most, draws, 1)};
}

std::vector<float> floats_of(const at::Tensor& values) {
  return {values.const_data_ptr<float>(), values.const_data_ptr<float>() + values.numel()};
}

results::DumpedRows dumped(const plume::RowViews& views) {
  const auto* scores = views.scores.const_data_ptr<double>();
  return {floats_of(views.features), floats_of(views.embeddings), {scores, scores + views.scores.numel()}};
}

/// Of test rows: their scores are those that made the AUROC.
results::DumpedRows dumped(const plume::RowViews& views, const std::vector<std::int64_t>& rows,
                           const std::vector<double>& test_scores) {
  results::DumpedRows dump = dumped(views);
  for (std::size_t i = 0; i < rows.size(); ++i) dump.scores[i] = test_scores.at(static_cast<std::size_t>(rows[i]));
  return dump;
}

results::DumpedEpoch dumped_epoch(const plume::ModelOfEpoch& of_epoch, const plume::FinishedTraining& training,
                                  const Chosen& chosen, const plume::Draws& draws) {
  const plume::Model& model = of_epoch.model;
  results::DumpedEpoch dump;
  dump.epoch = of_epoch.epoch.epoch;
  dump.auroc = of_epoch.epoch.auc();
  dump.test_scores = plume::scores_of(model, training.test, [] {});
  dump.normal = dumped(plume::views_of(model, training.test, chosen.normal), chosen.normal, dump.test_scores);
  dump.anomalous = dumped(plume::views_of(model, training.test, chosen.anomalous), chosen.anomalous, dump.test_scores);
  dump.pseudo = dumped(plume::views_of_pseudo_anomalies(model, training.settings, training.test, chosen.normal, draws));
  return dump;
}

results::RowNames names_of(const std::vector<std::int64_t>& rows, const KeptTraining& kept,
                           const plume::JobData& data) {
  results::RowNames names;
  for (const auto row : rows) {
    names.ids.push_back(kept.test_ids.at(static_cast<std::size_t>(row)));
    names.labels.push_back(data.test_labels.at(static_cast<std::size_t>(row)));
  }
  return names;
}

void write_dump_of(const KeptTraining& kept, const plume::JobData& data, const plume::FinishedTraining& training) {
  const plume::StreamDraws draws(kept.job, "dump/");
  const Chosen chosen = chosen_rows(data, kept.keep.dump, draws);
  results::Dump dump;
  dump.job = sweeps::canonical_text(kept.job);
  dump.key = sweeps::key_of(kept.job).hex;
  dump.classes = data.classes;
  dump.normal_classes = normal_names(data);
  dump.normal = names_of(chosen.normal, kept, data);
  dump.anomalous = names_of(chosen.anomalous, kept, data);
  dump.test = {kept.test_ids, {data.test_labels.begin(), data.test_labels.end()}};
  if (training.best) dump.best = dumped_epoch(*training.best, training, chosen, draws);
  dump.last = dumped_epoch(training.last, training, chosen, draws);
  const auto any = std::max<std::size_t>(1, chosen.normal.size() + chosen.anomalous.size());
  const auto length_of = [&](const std::vector<float>& normal, const std::vector<float>& anomalous) {
    return static_cast<std::int64_t>((normal.size() + anomalous.size()) / any);
  };
  dump.dimension = length_of(dump.last.normal.features, dump.last.anomalous.features);
  dump.embedding = length_of(dump.last.normal.embeddings, dump.last.anomalous.embeddings);
  results::write_dump(results::dump_file(kept.directory, sweeps::key_of(kept.job)), dump);
}

}  // namespace

plume::ModelParts parts_for(const sweeps::Keep& keep) {
  if (keep.save == sweeps::Save::all || keep.dump > 0) return plume::ModelParts::all;
  return keep.save == sweeps::Save::none ? plume::ModelParts::none : plume::ModelParts::classifier;
}

void write_kept(const KeptTraining& kept, const plume::JobData& data, const plume::FinishedTraining& training,
                const std::function<void()>& on_progress) {
  if (kept.keep.save != sweeps::Save::none) {
    on_progress();
    if (training.best) write_model_of(kept, data, training, *training.best, "best");
    on_progress();
    write_model_of(kept, data, training, training.last, "last");
  }
  if (kept.keep.dump == 0) return;
  on_progress();
  write_dump_of(kept, data, training);
}

}  // namespace workers
