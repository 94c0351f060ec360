// Does one task inside the trainer process: scan, extract, assemble, train. Keeps what the next task is likely to need:
// the opened data set, the backbone, the feature sets loaded last. Knows nothing of messages, sockets or deadlines.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "results/result.hpp"
#include "workers/loaded_sets.hpp"
#include "workers/messages.hpp"

namespace workers {

class CheckpointKeeper;

/// How much a trainer does in advance. On the CPU all cores train: what another thread computes costs a training more
/// than it saves the next, because each of its threads waits for the slowest. The host of a GPU has cores to spare.
InAdvance most_in_advance();

class TaskRunner {
 public:
  /// threads: what LibTorch was given; recorded in results. keep_in: DIR, whose models/ and dumps/ take what trainings
  /// leave; empty: nothing is kept.
  explicit TaskRunner(int threads, std::filesystem::path keep_in = {});
  ~TaskRunner();
  TaskRunner(const TaskRunner&) = delete;
  TaskRunner& operator=(const TaskRunner&) = delete;

  /// Runs the task to its end. Throws storage::Error for damaged or missing input, naming the file; anything else is a
  /// fault of the code, or what `checkpoints` throws. Null `checkpoints`: a training begins anew and keeps none.
  TaskOutput run(const Task& task, const std::function<void()>& on_progress,
                 const std::function<void(const results::EpochRecord&)>& on_epoch,
                 CheckpointKeeper* checkpoints = nullptr);

  /// While run() trains, from one of its callbacks: begins to read the features of what will probably come next, unless
  /// they are in memory or memory is short (workers/loaded_sets.hpp). Throws nothing: what is wrong with them, run()
  /// says when it needs them.
  void prepare(const TrainTask& next, InAdvance how);

  /// Lets go of what is kept in a GPU's memory for tasks to come.
  void free_device_memory();

 private:
  Trained train(const TrainTask& wanted, const std::function<void()>& on_progress,
                const std::function<void(const results::EpochRecord&)>& on_epoch, CheckpointKeeper* checkpoints);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace workers
