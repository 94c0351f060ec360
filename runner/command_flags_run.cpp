// Flags of run and extract.
#include "runner/command_flags.hpp"
#include "storage/error.hpp"
#include "storage/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace runner {
namespace {

constexpr const char* kRunExample = R"(
Example:
  plume-bench run sweeps/quickstart.json --out runs/first
  mpirun --oversubscribe --bind-to none -np 3 plume-bench run sweep.json --out runs/first --data cifar10=/data/cifar-10-batches-bin

The same command again goes on where the last one ended. Exit status: 0 all cells complete, 3 done but jobs failed,
4 drained (work is left: run it again), 2 wrong usage, 1 the run itself broke.)";

/// Of `run` and of `extract`, which is a part of it.
void add_running_flags(CLI::App& app, Flags& flags) {
  auto* run = &app;
  add_sweep(*run, flags);
  run->add_option("--out", flags.out, "Directory of the run: journal, logs, report")->required();
  add_site_flags(*run, flags);
  run->add_option("--workers", flags.workers,
                  "Local workers (default: one per GPU; without GPUs one per CPU socket, at least two)")
      ->check(CLI::Range(1, 1024));
  run->add_option("--workers-per-gpu", flags.workers_per_gpu, "Workers that share a GPU, on every host")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  run->add_option("--threads", flags.threads, "Threads of each worker (default: the CPUs divided by the workers)")
      ->check(CLI::Range(1, 1024));
  run->add_option("--only", flags.only,
                  "Run only the jobs that match AXIS=VALUE,... and print a line for each epoch (not with --share); an "
                  "axis named twice means either: class=cat,seed=0,seed=1")
      // An unset shell variable must not run everything.
      ->check([](const std::string& text) {
        return text.empty() ? std::string("expected AXIS=VALUE,..., found nothing; leave it out to run every job") : "";
      });
  run->add_flag("--take-over", flags.take_over, "Take the directory over from a run that is certainly dead");
  run->add_flag("--dry-run", flags.dry_run,
                "Check all that a run would refuse before its first worker and print what it would do, as `plan` does; "
                "write, lock and start nothing");
  run->add_option("--job-retries", flags.budgets.job_retries, "Tries beyond the first after a job's own failure")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  run->add_option("--infrastructure-retries", flags.budgets.infrastructure_retries,
                  "Tries beyond the first after a lost worker")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  run->add_option("--heartbeat-deadline", flags.budgets.heartbeat_deadline,
                  "Seconds of silence after which a worker is lost")
      ->check(number_within(1.0, 86400.0))
      ->capture_default_str();
  run->add_option("--deadline", flags.deadline,
                  "When this run must have ended: seconds from now, 90m, 2h, or a time as 2026-11-28T12:00:00Z (UTC); "
                  "what cannot end before it is not started (default: the end of the Slurm allocation, if any)");
  run->add_option(
         "--deadline-margin", flags.deadline_margin,
         "Seconds before the deadline at which nothing should run any more (default 60, of short ones a tenth)")
      ->check(number_within(0.0, 86400.0));
  run->add_option("--drain-within", flags.drain_within,
                  "Seconds after SIGUSR1 or SIGTERM at which whoever sent it ends this run: trainings that cannot end "
                  "before make way with a checkpoint")
      ->check(number_within(0.0, 86400.0));
  run->add_option("--end-within", flags.end_within,
                  "The same for SIGTERM to this process, and for SIGUSR2 to it, mpirun or srun, also after SIGUSR1. "
                  "Without it SIGTERM under mpirun and srun gives running jobs up")
      ->check(number_within(0.0, 86400.0));
  run->add_option("--start-deadline", flags.start_seconds, "Seconds that a trainer may take to start")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  run->add_option("--load-deadline", flags.load_seconds, "Seconds that a task may take to its first step")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  run->add_option("--hang-deadline", flags.hang_seconds, "Least seconds without a step after which a trainer is hung")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
}

}  // namespace

void add_running_commands(CLI::App& app, Flags& flags) {
  auto* run = app.add_subcommand("run", "Run a sweep: features, trainings, tables");
  add_running_flags(*run, flags);
  run->add_option("--share", flags.share,
                  "Run one share of the jobs, K of N, e.g. 3/8: the tasks of a job array, each with an --out of its "
                  "own; `report` puts them together");
  run->add_flag("--no-epoch-lines", flags.no_epoch_lines,
                "Print no line for each epoch with --only: for batch scripts, whose output is a file");
  run->add_flag("--retry-failed", flags.retry_failed, "Run failed jobs again");
  run->add_flag("--redo-changed", flags.redo_changed, "Run jobs again whose images, weights or rows have changed");
  run->add_flag("--redo-unsaved", flags.redo_unsaved,
                "Train again what is done but left no models or dump, where the sweep wants them (save, dump)");
  run->add_option("--checkpoint-every", flags.checkpoint_minutes,
                  "Minutes of a training after which it writes a checkpoint, and again after each checkpoint; 0: never")
      ->check(number_within(0.0, 1e6))
      ->capture_default_str();
  run->footer(kRunExample);
  auto* extract = app.add_subcommand("extract", "The features of a sweep into the cache, and no training");
  add_running_flags(*extract, flags);
  extract->footer(
      "\nExample:\n  plume-bench extract sweep.json --out runs/features --data cifar10=/data/cifar-10-batches-bin\n\n"
      "Exit status: 0 the cache holds every feature that the sweep needs, 4 drained (run it again), 2 wrong usage, 1 "
      "it "
      "broke.");
}

namespace {

constexpr const char* kOfTheScript[] = {"--out", "--threads", "--workers", "--share", "--drain-within", "--end-within"};

/// One line that names the word: a flag of `slurm` or of the script, one without its value, or no flag of `run`.
[[noreturn]] void refuse_run_flag(const CLI::App& app, const std::vector<std::string>& more,
                                  const CLI::ParseError& error) {
  const auto* run = app.get_subcommand("run");
  std::vector<std::string> names;
  for (const auto* option : run->get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const auto& word : more) {
    const auto name = word.substr(0, word.find('='));
    if (name == "--only") {
      throw storage::UsageError("after --: --only: a flag of `slurm` itself: write it before --, as --only seed=0");
    }
    if (std::find(std::begin(kOfTheScript), std::end(kOfTheScript), name) != std::end(kOfTheScript)) {
      throw storage::UsageError(fmt::format("after --: {}: the script gives it itself; leave it out", name));
    }
    if (!name.starts_with("--") || std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw storage::UsageError(fmt::format("after --: {}: expected a flag of `run`{}; see plume-bench run --help", name,
                                          storage::suggestion(name, names)));
  }
  std::string what = error.what();
  std::replace(what.begin(), what.end(), '\n', ' ');
  throw storage::UsageError(fmt::format(
      "after --: {}; only flags of `run` that `slurm` has none for belong there, e.g. -- --retry-failed", what));
}

}  // namespace

void check_run_flags(const std::vector<std::string>& more) {
  for (const auto& word : more) {
    const auto name = word.substr(0, word.find('='));
    for (const char* never : {"--", "--dry-run", "--take-over", "--help", "-h"}) {
      if (name != never) continue;
      throw storage::UsageError(
          fmt::format("after --: {}: nothing for every allocation of a script; leave it out", name));
    }
  }
  CLI::App app;
  Flags flags;
  add_running_commands(app, flags);
  // The scripts give these themselves: given once more, each is one too many.
  std::vector<std::string> words{
      "run",     "sweep.json", "--out",  "runs",   "--threads",      "1", "--workers",    "1",
      "--share", "1/1",        "--only", "seed=0", "--drain-within", "1", "--end-within", "1"};
  words.insert(words.end(), more.begin(), more.end());
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    refuse_run_flag(app, more, error);
  }
}

}  // namespace runner
