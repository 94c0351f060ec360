// Flags as typed, and the commands that take them. What they mean is commands.cpp's.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "runner/cluster_settings.hpp"
#include "runner/run_command.hpp"
#include "workers/trainer_options.hpp"

namespace runner {

struct Flags {
  ClusterFlags cluster;
  std::vector<std::string> run_flags;
  int status = 0;
  bool force = false;
  std::string sweep, scale, out, site, cache, only, backbone, dataset, kind, sheet, what, model;
  std::vector<std::string> data, weights, substitutes, directories, times, paths;
  std::optional<std::string> report, share, deadline;
  std::optional<double> deadline_margin, drain_within, end_within;
  int workers = 0, threads = 0, workers_per_gpu = 1;
  int start_seconds = 300, load_seconds = 900, hang_seconds = 60;
  bool retry_failed = false, redo_changed = false, redo_unsaved = false, take_over = false, list_tensors = false,
       no_sheet = false, allow_mixed = false, features_only = false, dry_run = false, no_epoch_lines = false;
  double checkpoint_minutes = workers::kCheckpointMinutes;
  bool watch = false, json = false;
  double every_seconds = 1;
  Budgets budgets;
  workers::TrainerOptions trainer;
};

/// Every subcommand with its flags, into `app`; parsing fills `flags`, which must outlive it.
void add_commands(CLI::App& app, Flags& flags);

/// What `slurm` is to add to a `run`: refused here what the run would refuse when its turn in the queue has come.
void check_run_flags(const std::vector<std::string>& more);

/// What is a number and from `least` to `most`: CLI::Range takes nan.
CLI::Validator number_within(double least, double most);

// Parts of add_commands, a file each.
void add_sweep(CLI::App& app, Flags& flags);
void add_site_file(CLI::App& app, Flags& flags);
void add_weights_flags(CLI::App& app, Flags& flags);      ///< and --site
void add_data_flags(CLI::App& app, Flags& flags);         ///< and --cache
void add_site_flags(CLI::App& app, Flags& flags);         ///< all of them
void add_running_commands(CLI::App& app, Flags& flags);   ///< run, extract
void add_checking_commands(CLI::App& app, Flags& flags);  ///< check data, check weights
void add_scoring_command(CLI::App& app, Flags& flags);    ///< score
void add_cluster_commands(CLI::App& app, Flags& flags);   ///< slurm, chain

}  // namespace runner
