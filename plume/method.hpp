// The one entry to everything that a job computes: a training (method.md sections 2-5) or a baseline fit. No files,
// ranks, clock or printing.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plume/input_rows.hpp"
#include "plume/kept_models.hpp"
#include "plume/step_device.hpp"
#include "plume/training_state.hpp"
#include "results/result.hpp"
#include "storage/error.hpp"
#include "sweeps/job.hpp"

namespace plume {

/// Rows of one job: a backbone's features [n, L] float32 or, for plad and rotation, images [n, 3, 32, 32] uint8.
struct JobData {
  at::Tensor train;                       ///< rows of the normal classes only, n >= 2
  at::Tensor test;                        ///< m rows of all classes
  std::vector<int> test_labels;           ///< m, index into classes
  std::vector<std::string> classes;       ///< official names of the data set, in index order
  std::vector<int> normal_classes = {0};  ///< indices into classes: one, or those of a normal set
  /// plad and rotation: the statistics that normalise their images, of values in [0, 1]; absent: those of `train`.
  std::optional<ChannelStatistics> statistics;
};

/// The learning-rate range test suggests no rate: the same job would say so again.
class SearchFailed : public storage::Error {
 public:
  using storage::Error::Error;
};

/// What a training that finished leaves behind.
struct FinishedTraining {
  std::optional<ModelOfEpoch> best;             ///< absent where no epoch has an AUROC
  ModelOfEpoch last;                            ///< whole
  sweeps::TrainingSettings settings;            ///< as it was trained: plad's say what it always does
  InputRows test;                               ///< where the models are
  std::optional<ChannelStatistics> statistics;  ///< plad: what normalises its images
};

struct Observer {
  std::function<void()> on_progress = [] {};  ///< after every batch trained or scored
  /// After every epoch; on a device mostly when the batches of the next one were handed over, so that nothing waits.
  std::function<void(const results::EpochRecord&)> on_epoch = [](const auto&) {};
  /// Trainings only: after every batch, and after every epoch but the last. On a device a batch was handed over then,
  /// and taking the state waits for it; where a loss was not finite that throws, which is not the observer's to catch.
  /// It may take the state, and may throw what it likes to end the training there.
  std::function<void(const Boundary&)> on_boundary = [](const auto&) {};
  /// Trainings only, where `keep` is not none: once, after the last epoch; not where the training diverged. What it is
  /// given is good until it returns.
  std::function<void(const FinishedTraining&)> on_finished = [](const auto&) {};
  ModelParts keep = ModelParts::none;  ///< of the best epoch
};

/// Runs a job to its end: fills all of the result but the feature uses, device and threads. Bit-equal when called again
/// with the same thread count. Throws storage::Error for data it must refuse (fewer than 2 training rows, non-finite
/// features) and SearchFailed where `lr: "find"` finds none.
/// `from`: a state of this job on the same data, device kind and thread count; the training goes on there, and the
/// result is the same to the bit. Epochs that it has are not reported again. Throws StateRefused where it does not fit.
/// `device`: what trains; null: the CPU. Rows may be in its memory already. A baseline is the CPU's either way.
results::JobResult run_job(const sweeps::Job& job, const JobData& data, const Observer& observer,
                           const TrainingState* from = nullptr, const StepDevice* device = nullptr);

}  // namespace plume
