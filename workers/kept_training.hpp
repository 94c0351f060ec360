// Writes what a training leaves beside its result: the models of its best and last epoch, and a dump of rows.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sweeps/job.hpp"
#include "sweeps/keep.hpp"

namespace plume {
struct FinishedTraining;
struct JobData;
enum class ModelParts;
}  // namespace plume

namespace workers {

/// Of a training whose files are to be written.
struct KeptTraining {
  std::filesystem::path directory;  ///< DIR
  sweeps::Job job;
  sweeps::Keep keep;
  std::string features_identity;      ///< of the training rows
  std::vector<std::string> test_ids;  ///< where each test row came from
};

/// What must be kept of the best epoch for `keep`: a dump needs the perturbator.
plume::ModelParts parts_for(const sweeps::Keep& keep);

/// Each file replaces an earlier one, whole or not at all; the same training writes the same bytes. Throws
/// storage::DiskFull and storage::Error naming the file, and results::DumpRefused, when the models are written, where
/// the rows cannot be dumped (pseudo-anomalies may be beyond float32). Calls `on_progress` before each file.
void write_kept(const KeptTraining& kept, const plume::JobData& data, const plume::FinishedTraining& training,
                const std::function<void()>& on_progress);

}  // namespace workers
