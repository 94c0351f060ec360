// The one entry to everything that a job computes: a training (method.md sections 2-5) or a baseline fit. No files,
// ranks, clock or printing.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "results/result.hpp"
#include "sweeps/job.hpp"

namespace plume {

/// Feature rows of one job, on the CPU.
struct JobData {
  at::Tensor train;              ///< [n, L] float32: rows of the normal class only, n >= 2
  at::Tensor test;               ///< [m, L] float32
  std::vector<int> test_labels;  ///< m, index into classes
  int normal_class = 0;          ///< index into classes
};

struct Observer {
  std::function<void()> on_progress = [] {};  ///< after every batch
  std::function<void(const results::EpochRecord&)> on_epoch = [](const auto&) {};
};

/// Runs a job to its end: fills outcome, diverged_epoch, epochs, train_rows, test_rows, dropped_single_row of the
/// result (not the feature uses, device and threads). Bit-equal when called again with the same thread count. Throws
/// storage::Error for data it must refuse (fewer than 2 training rows, non-finite features).
results::JobResult run_job(const sweeps::Job& job, const JobData& data, const Observer& observer);

}  // namespace plume
