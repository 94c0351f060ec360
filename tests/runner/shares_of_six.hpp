// A directory of three shares of a sweep of six jobs, as their runs and batch scripts leave it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/chain_file.hpp"
#include "runner/explain.hpp"
#include "runner/run_file.hpp"
#include "runner/shares_directory.hpp"
#include "runner/shares_screen.hpp"
#include "storage/error.hpp"
#include "tests/results/samples.hpp"
#include "tests/runner/sweep_of_six.hpp"

namespace runner {

/// A sweep of 6 jobs in 3 shares of 2.
class SharesOfSix : public testing::Test {
 protected:
  SharesOfSix() {
    const sweeps::ClassNames classes{{"cifar10", {{"cat", "dog"}, {}}}};
    sweep_ = sweeps::parse_sweep(kSweepOfSix, "sweep.json");
    freeze(file_, sweep_, classes);
    plan_ = sweeps::expand(sweep_, classes);
  }
  std::filesystem::path of(int share) const { return folder_ / share_folder(share, 3); }
  std::vector<std::size_t> jobs_of(int share) const {
    std::vector<std::size_t> all(plan_.jobs.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return sweeps::share_of(plan_.jobs, all, {share, 3});
  }
  const sweeps::JobKey& key(int share, std::size_t i) const { return plan_.keys.at(jobs_of(share).at(i)); }
  /// A share that ended: the first `done` of its jobs have a result, `failed` of the others were given up.
  void ended(int share, std::size_t done, std::size_t failed, int exit_status) {
    std::filesystem::create_directories(of(share));
    write_run_file(of(share), file_);
    const auto jobs = jobs_of(share);
    std::string journal;
    for (std::size_t i = 0; i < done; ++i) {
      journal += results::encode(samples::done(plan_.jobs[jobs[i]], samples::finished({0.9, 0.8}))) + "\n";
    }
    for (std::size_t i = done; i < done + failed; ++i) {
      journal += results::encode(results::Failed{plan_.jobs[jobs[i]], 2, "exception", "it broke"}) + "\n";
    }
    samples::write_bytes(of(share) / "journal.jsonl", journal);
    RunStatus status;
    status.phase = RunPhase::ended;
    status.exit_status = exit_status;
    status.sweep = sweep_.name;
    status.selection = "--share " + std::to_string(share) + "/3";
    status.chosen = chosen_text(jobs, plan_.jobs.size());
    status.jobs_chosen = static_cast<std::int64_t>(jobs.size());
    status.started = status.written = 1'700'000'000;
    samples::write_bytes(of(share) / "status.json", encode(status));
  }
  /// As `plume-bench slurm` writes them, as far as anything here reads them.
  void scripts_are_there(const std::string& submit = "sbatch --kill-on-invalid-dep=yes share.sbatch\n",
                         const std::string& only = "") {
    std::filesystem::create_directories(folder_ / "slurm");
    samples::write_bytes(folder_ / "slurm/share.sbatch",
                         "#!/bin/bash\n#SBATCH --array=1-3\nout=runs/a/share-\"$SLURM_ARRAY_TASK_ID\"-of-3\n"
                         "\"${plume[@]}\" run /s/sweep.json --out \"$out\"" +
                             (only.empty() ? "" : " --only " + only) + " &\nif plume-bench chain \"$out\"; then\n");
    samples::write_bytes(folder_ / "slurm/extract.sbatch", "if plume-bench chain \"$out\"; then\n");
    samples::write_bytes(folder_ / "slurm/submit", submit);
  }
  void scripts_run_only(const std::string& only) {
    scripts_are_there("sbatch --kill-on-invalid-dep=yes share.sbatch\n", only);
  }
  /// The last run of a share was started by its script, with this --only, and chose these of the plan's jobs.
  void was_told(int share, const std::string& only, const std::vector<std::size_t>& chosen) {
    auto status = read_status(of(share)).value();
    status.slurm_job = "8";
    status.selection = (only.empty() ? "" : "--only " + only + " ") + "--share " + std::to_string(share) + "/3";
    status.chosen = chosen_text(chosen, plan_.jobs.size());
    samples::write_bytes(of(share) / "status.json", encode(status));
  }
  std::string submit() const { return "bash " + (folder_ / "slurm/submit").string(); }
  /// The features' run, by a script, as it ended; `chosen` of the plan's jobs.
  void features_ended(int exit_status, const std::string& why = "", const std::vector<std::size_t>& chosen = {}) {
    const auto directory = folder_ / "features";
    std::filesystem::create_directories(directory);
    write_run_file(directory, file_);
    RunStatus status;
    status.phase = RunPhase::ended;
    status.exit_status = exit_status;
    status.why = why;
    status.sweep = sweep_.name;
    status.selection = "features only";
    if (!chosen.empty()) status.chosen = chosen_text(chosen, plan_.jobs.size());
    status.slurm_job = "7";
    status.counter = 5;
    status.started = status.written = 1'700'000'000;
    samples::write_bytes(directory / "status.json", encode(status));
    write_chain(directory, {0, 0, 5, ChainWord{false, exit_status, "the chain ends", 1'700'000'001}});
  }
  /// A share whose run drained or died under Slurm; what its script said of it, if anything.
  void interrupted(int share, bool died, std::optional<bool> again) {
    ended(share, 1, 0, 4);
    auto status = read_status(of(share)).value();
    status.slurm_job = "8";
    status.counter = 9;
    if (died) {
      status.phase = RunPhase::training;
      status.exit_status.reset();
      status.host = "elsewhere";
    }
    samples::write_bytes(of(share) / "status.json", encode(status));
    if (again) write_chain(of(share), {1, 0, 9, ChainWord{*again, 4, "drained: another goes on", 1'700'000'001}});
  }
  SharesView look() const {
    SharesDirectory directory(folder_.path(), 3);
    directory.look();
    return directory.view();
  }
  std::string screen(ScreenSize size = {110, 0}) const { return text_of(screen_of(look(), size), false); }
  std::string explained(const std::string& what) const {
    SharesDirectory directory(folder_.path(), 3);
    directory.look();
    std::string text;
    try {
      for (const auto& line : explain_in_shares(what, directory)) text += line + "\n";
    } catch (const storage::UsageError& error) {
      return error.what();
    }
    return text;
  }

  samples::TemporaryFolder folder_;
  sweeps::Sweep sweep_;
  RunFile file_;
  sweeps::Plan plan_;
};

}  // namespace runner
