// The checkpoints of one attempt of a training, inside the trainer: which one it begins from, when one is written, what
// is said of them. When is checkpoint_timing's to say, what is in a file checkpoint_header's, how it lies on disk
// storage/sealed_file's.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workers/checkpoint_header.hpp"
#include "workers/checkpoint_timing.hpp"
#include "workers/messages.hpp"
#include "workers/trainer_options.hpp"

namespace plume {
struct Boundary;
struct TrainingState;
}  // namespace plume

namespace workers {

/// The training made way: thrown through it by at_boundary. Its checkpoint is durable.
struct GivenBack {
  std::string message;  ///< one line
};

class CheckpointKeeper {
 public:
  struct Hooks {
    std::function<void()> on_progress;
    std::function<void(const FromTrainer&)> say;
    std::function<std::optional<Suspend>()> suspended;  ///< a Suspend that has come since the last call
  };

  /// `assign` is of a training and outlives the keeper.
  CheckpointKeeper(CheckpointOptions options, const Assign& assign, Hooks hooks);

  /// Features are loaded and the training begins. Looks which checkpoints there are, and removes what earlier attempts
  /// left unfinished.
  void begin(const CheckpointIdentity& identity);
  /// The state to begin from: of the good checkpoints the one that is farthest, then the next. One line is said for
  /// each that is refused. Absent: begin anew.
  std::optional<plume::TrainingState> next_state();
  /// What next_state gave last does not fit the training.
  void refuse(const std::string& why);

  void at_boundary(const plume::Boundary& boundary);

  /// Says a line of this attempt that a person should know.
  void remark(const std::string& text) const;

  /// Of earlier attempts whose work this one goes on with.
  double seconds_before() const { return begun_from_ ? begun_from_->seconds : 0; }
  /// When the first of them began; "": this one did.
  std::string started() const { return begun_from_ ? begun_from_->started : ""; }

 private:
  struct Candidate {
    std::filesystem::path file;
    CheckpointHeader header;
  };
  void look_at(const std::filesystem::path& file);
  plume::TrainingState read(const Candidate& candidate) const;
  bool write(const plume::Boundary& boundary);
  std::uint64_t write_file(const plume::TrainingState& state) const;
  CheckpointHeader header_of(const plume::TrainingState& state) const;

  CheckpointOptions options_;
  const Assign& assign_;
  sweeps::JobKey key_;
  Hooks hooks_;
  CheckpointIdentity identity_;
  std::vector<Candidate> candidates_;  ///< the best one last
  std::optional<CheckpointHeader> begun_from_;
  std::string began_;  ///< UTC
  Seconds start_{0};
  std::optional<CheckpointTiming> timing_;  ///< from the first boundary on
  bool said_that_it_cannot_write_ = false;
};

}  // namespace workers
