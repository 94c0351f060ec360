// run_job: checks the data, then trains or fits the baseline, and makes the result's records.
#include "plume/method.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "plume/baselines.hpp"
#include "plume/device_draws.hpp"
#include "plume/device_training.hpp"
#include "plume/learning_rate_search.hpp"
#include "plume/ranking.hpp"
#include "plume/threshold.hpp"
#include "plume/training.hpp"
#include "storage/error.hpp"

namespace plume {
namespace {

constexpr std::int64_t kSide = 32;  ///< of the images of plad and rotation, pixels

[[noreturn]] void refuse(const sweeps::Job& job, const std::string& what) {
  throw storage::Error(fmt::format("{}/{}: {}", job.dataset, job.normal_class, what));
}

void check_images(const sweeps::Job& job, const at::Tensor& rows, const char* split) {
  const bool fits = rows.dim() == 4 && rows.size(1) == 3 && rows.size(2) == kSide && rows.size(3) == kSide;
  if (!fits || rows.scalar_type() != at::kByte)
    refuse(job, fmt::format("the {} rows are not images of 3x{}x{} bytes", split, kSide, kSide));
}

void check_features(const sweeps::Job& job, const at::Tensor& rows, const char* split) {
  if (rows.dim() != 2 || rows.scalar_type() != at::kFloat)
    refuse(job, fmt::format("the {} features are not a float32 table of rows", split));
  const at::Tensor good = at::isfinite(rows).all(1);
  if (good.all().item<bool>()) return;
  const auto row = good.logical_not().nonzero()[0].item<std::int64_t>();
  refuse(job, fmt::format("{} row {} has a feature that is not finite; extract the features again", split, row));
}

void check_rows(const sweeps::Job& job, const JobData& data) {
  const auto check = sweeps::reads_images(job.method) ? check_images : check_features;
  check(job, data.train, "training");
  check(job, data.test, "test");
  const std::int64_t n = data.train.size(0), m = data.test.size(0);
  if (n < 2) {
    const char* why = sweeps::is_trained(job.method) ? ": batch norm trains on no fewer" : "";
    refuse(job, fmt::format("{} training row(s); at least 2 are needed{}", n, why));
  }
  if (m == 0) refuse(job, "the test split has no rows; at least 1 is needed");
  if (data.train.size(1) != data.test.size(1))
    refuse(job, fmt::format("training rows have {} features, test rows {}; extract both with one backbone",
                            data.train.size(1), data.test.size(1)));
  if (data.train.size(1) == 0) refuse(job, "rows without features; extract the features again");
}

void check_labels(const sweeps::Job& job, const JobData& data) {
  const std::int64_t m = data.test.size(0);
  if (static_cast<std::int64_t>(data.test_labels.size()) != m)
    refuse(job, fmt::format("{} test rows, but {} labels", m, data.test_labels.size()));
  const auto classes = static_cast<int>(data.classes.size());
  for (const int label : data.test_labels) {
    if (label < 0 || label >= classes) refuse(job, fmt::format("test label {}, but {} classes", label, classes));
  }
}

void check_settings(const sweeps::Job& job) {
  const auto& training = job.training;
  if (training.batch_size < 2)
    refuse(job,
           fmt::format("batch_size is {}; expected at least 2: batch norm trains on no fewer", training.batch_size));
  if (training.dimension < 6 || training.dimension % 6 != 0)
    refuse(job, fmt::format("dimension is {}; expected a multiple of 6", training.dimension));
  if (training.epochs < 1) refuse(job, fmt::format("epochs is {}; expected at least 1", training.epochs));
}

std::vector<bool> normals_among(const JobData& data) {
  std::vector<bool> is_normal;
  const auto& normal = data.normal_classes;
  for (const int label : data.test_labels) {
    is_normal.push_back(std::find(normal.begin(), normal.end(), label) != normal.end());
  }
  return is_normal;
}

results::EpochRecord record_of(int epoch, const std::vector<double>& scores, const JobData& data) {
  const std::vector<bool> is_normal = normals_among(data);
  results::EpochRecord record;
  record.epoch = epoch;
  record.ranking = ranking_of(scores, is_normal);
  if (!record.ranking) {
    const bool has_normals = std::find(is_normal.begin(), is_normal.end(), true) != is_normal.end();
    record.undefined = has_normals ? "the test split has no anomalies" : "the test split has no normal rows";
  }
  return record;
}

bool all_finite(const std::vector<double>& scores) {
  return std::all_of(scores.begin(), scores.end(), [](double score) { return std::isfinite(score); });
}

/// What a training runs on.
struct Setup {
  sweeps::TrainingSettings settings;
  Model model;
  InputRows train;
  InputRows test;
  std::optional<ChannelStatistics> statistics = {};  ///< plad
};

/// PLAD: add-mult on images, normalised with the statistics of the normal rows, or with those given; no guidance, one
/// classifier pass.
Setup plad_setup(const sweeps::Job& job, const JobData& data, const Draws& draws) {
  const ChannelStatistics statistics = data.statistics ? *data.statistics : statistics_of(data.train.cpu());
  Setup setup{job.training, make_plad_model(draws), InputRows::images(data.train, statistics),
              InputRows::images(data.test, statistics), statistics};
  setup.settings.perturbation = sweeps::Perturbation::add_mult;
  setup.settings.guidance = sweeps::Guidance::none;
  setup.settings.classifier_passes = sweeps::ClassifierPasses::one;
  setup.settings.dimension = sweeps::kPaperDimension;
  return setup;
}

Setup setup_of(const sweeps::Job& job, const JobData& data, const Draws& draws) {
  if (job.method == sweeps::Method::plad) return plad_setup(job, data, draws);
  const int dimension = job.training.dimension;
  return {job.training, make_model(job.training.perturbation, widths_of(dimension), draws),
          InputRows::features(data.train, dimension), InputRows::features(data.test, dimension)};
}

/// `lr: "find"`: the rate that the range test suggests for this job.
double found_learning_rate(const sweeps::Job& job, const Setup& setup, const Observer& observer,
                           const StepDevice* device) {
  const StreamDraws draws(job, "find/");
  const RangeTest test =
      device != nullptr
          ? search_learning_rate(*device, setup.settings, setup.model, setup.train, draws, observer.on_progress)
          : search_learning_rate(setup.settings, setup.model, setup.train, draws,
                                 [&](const results::LossTerms&) { observer.on_progress(); });
  if (const auto suggestion = test.suggestion()) return suggestion->learning_rate;
  throw SearchFailed(
      fmt::format("{}/{}: the learning-rate range test suggests no rate: it ended after {} batches, and of their "
                  "losses without the first 10 and the last {} {} finite, where 2 are needed; give \"lr\" a number "
                  "such as 1e-3",
                  job.dataset, job.normal_class, test.recorded().size(), RangeTest::usable(test.recorded()),
                  RangeTest::usable(test.recorded()) == 1 ? "is" : "are"));
}

/// What the positions and records of a state must be in any training; its tensors are the trainer's to judge.
void check_state(const TrainingState& state, const sweeps::TrainingSettings& settings) {
  if (state.epoch < 0 || state.epoch >= settings.epochs)
    throw StateRefused(fmt::format("it is in epoch {} of a training of {}", state.epoch, settings.epochs));
  bool in_order = state.epochs.size() == static_cast<std::size_t>(state.epoch);
  for (std::size_t i = 0; in_order && i < state.epochs.size(); ++i) {
    in_order = state.epochs[i].epoch == static_cast<int>(i);
  }
  if (!in_order) throw StateRefused(fmt::format("its records are not those of epochs 0 to {}", state.epoch - 1));
  if (state.found_learning_rate.has_value() == settings.learning_rate.has_value())
    throw StateRefused(settings.learning_rate ? "it has a found learning rate, this job has a given one"
                                              : "it has no found learning rate, and this job is to find one");
}

/// An epoch whose scores a device may still be computing.
struct Evaluation {
  int epoch = 0;
  TrainedEpoch trained;
  ScoresUnderWay of_training, of_test;
};

/// Ranking, threshold and shares of an epoch; absent where a score is not finite.
std::optional<results::EpochRecord> judged(const Evaluation& evaluation, const JobData& data) {
  const std::vector<double> training_scores = evaluation.of_training(), scores = evaluation.of_test();
  if (!all_finite(training_scores) || !all_finite(scores)) return std::nullopt;
  results::EpochRecord record = record_of(evaluation.epoch, scores, data);
  const Threshold threshold = threshold_of(training_scores);
  record.threshold = threshold.sigmoid;
  record.shares =
      shares_on_the_right_side(threshold, scores, data.test_labels, data.normal_classes, data.classes.size());
  record.losses = evaluation.trained.losses;
  record.learning_rate = evaluation.trained.learning_rate;
  return record;
}

/// Thrown where an epoch turns out to have diverged; caught by Epochs::run.
struct Diverged {
  int epoch;
};

std::optional<TrainedEpoch> run_epoch(Trainer& trainer, int epoch, const std::function<void()>& on_batch,
                                      const std::function<void()>& /*there is no waiting*/) {
  return trainer.run_epoch(epoch, [&](const results::LossTerms&) { on_batch(); });
}
std::optional<TrainedEpoch> run_epoch(DeviceTrainer& trainer, int epoch, const std::function<void()>& on_batch,
                                      const std::function<void()>& on_handed_over) {
  return trainer.run_epoch(epoch, on_batch, on_handed_over);
}

/// The epochs of a training, on the CPU or on a device. While a device trains an epoch the host judges the one before;
/// records come in order all the same, and no state is given out before the records of the epochs before it.
template <typename AnyTrainer>
class Epochs {
 public:
  Epochs(AnyTrainer& trainer, const Setup& setup, const JobData& data, const Observer& observer,
         const StepDevice* device, BestModel& best, results::JobResult& result)
      : trainer_(trainer),
        setup_(setup),
        data_(data),
        observer_(observer),
        device_(device),
        best_(best),
        result_(result) {}

  /// From `begin` on, to the last or to the one in which the training diverges.
  void run(int begin) {
    try {
      for (int epoch = begin; epoch < setup_.settings.epochs; ++epoch) run_one(epoch);
    } catch (const Diverged& diverged) {
      result_.outcome = results::Outcome::diverged;
      result_.diverged_epoch = diverged.epoch;
    }
  }

 private:
  void run_one(int epoch) {
    const auto on_batch = [&] {
      observer_.on_progress();
      leave(epoch);
    };
    const auto trained = run_epoch(trainer_, epoch, on_batch, [&] { settle(); });
    if (!trained) throw Diverged{epoch};
    under_way_ =
        Evaluation{epoch, *trained, begin_scores(trainer_.model(), setup_.train, device_, observer_.on_progress),
                   begin_scores(trainer_.model(), setup_.test, device_, observer_.on_progress)};
    const bool is_last = epoch + 1 == setup_.settings.epochs;
    // The next epoch changes the weights, which a best epoch keeps.
    if (is_last || device_ == nullptr || observer_.keep != ModelParts::none) settle();
    if (!is_last) leave(epoch + 1);
  }

  void leave(int epoch) {
    observer_.on_boundary(
        {epoch, trainer_.batches_made(), trainer_.batches().count(), setup_.settings.epochs, [this, epoch] {
           settle();
           return TrainingState{epoch,          trainer_.progress(), result_.found_learning_rate,
                                result_.epochs, trainer_.tensors(),  best_.tensors()};
         }});
  }

  /// The record of the epoch whose scores are under way, if there is one.
  void settle() {
    if (!under_way_) return;
    const Evaluation evaluation = *std::exchange(under_way_, std::nullopt);
    auto record = judged(evaluation, data_);
    if (!record) throw Diverged{evaluation.epoch};
    best_.see(*record, trainer_.model());
    result_.epochs.push_back(std::move(*record));
    observer_.on_epoch(result_.epochs.back());
  }

  AnyTrainer& trainer_;
  const Setup& setup_;
  const JobData& data_;
  const Observer& observer_;
  const StepDevice* device_;
  BestModel& best_;
  results::JobResult& result_;
  std::optional<Evaluation> under_way_;
};

/// From the beginning, or from a state that was checked.
template <typename AnyTrainer>
void run_trainer(AnyTrainer& trainer, const Setup& setup, const JobData& data, const Observer& observer,
                 const TrainingState* from, const StepDevice* device, results::JobResult& result) {
  BestModel best(observer.keep);
  if (from != nullptr) {
    best.restore(*from, trainer.model());
    trainer.restore(*from);
    result.epochs = from->epochs;
  }
  result.dropped_single_row = trainer.batches().drops_single_row();
  Epochs<AnyTrainer>(trainer, setup, data, observer, device, best, result).run(from != nullptr ? from->epoch : 0);
  if (observer.keep == ModelParts::none || result.outcome == results::Outcome::diverged) return;
  observer.on_finished(
      {best.best(), {result.epochs.back(), trainer.model()}, setup.settings, setup.test, setup.statistics});
}

void train(const sweeps::Job& job, const JobData& data, const Observer& observer, const TrainingState* from,
           const StepDevice* device, results::JobResult& result) {
  if (from != nullptr) check_state(*from, job.training);
  const StreamDraws draws(job);
  Setup setup = device != nullptr ? setup_of(job, data, DeviceDraws(draws, *device)) : setup_of(job, data, draws);
  if (device != nullptr) {
    setup.train = setup.train.on(device->device());
    setup.test = setup.test.on(device->device());
  }
  if (!setup.settings.learning_rate) {
    setup.settings.learning_rate =
        from != nullptr ? *from->found_learning_rate : found_learning_rate(job, setup, observer, device);
    result.found_learning_rate = setup.settings.learning_rate;
  }
  if (device != nullptr) {
    DeviceTrainer trainer(*device, setup.settings, setup.model, setup.train, draws);
    setup.model = {};  // it has its own
    run_trainer(trainer, setup, data, observer, from, device, result);
  } else {
    Trainer trainer(setup.settings, std::move(setup.model), setup.train, draws);
    run_trainer(trainer, setup, data, observer, from, nullptr, result);
  }
}

void fit_baseline(const sweeps::Job& job, const JobData& data, const Observer& observer, results::JobResult& result) {
  const auto scores = baseline_scores(job, data.train.cpu(), data.test.cpu(), observer.on_progress, data.statistics);
  if (!all_finite(scores)) refuse(job, "a score of the baseline is not finite: its features are too large");
  result.epochs.push_back(record_of(0, scores, data));
  observer.on_epoch(result.epochs.back());
}

}  // namespace

results::JobResult run_job(const sweeps::Job& job, const JobData& data, const Observer& observer,
                           const TrainingState* from, const StepDevice* device) {
  check_rows(job, data);
  check_labels(job, data);
  results::JobResult result;
  result.train_rows = data.train.size(0);
  result.test_rows = data.test.size(0);
  result.classes = data.classes;
  if (sweeps::is_trained(job.method)) {
    check_settings(job);
    train(job, data, observer, from, device, result);
  } else {
    fit_baseline(job, data, observer, result);
  }
  return result;
}

}  // namespace plume
