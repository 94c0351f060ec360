// Flags that several commands share, and the commands that look at a run.
#include "runner/command_flags.hpp"

#include <fmt/format.h>

namespace runner {
namespace {

/// What `report` and `export` ask for.
void add_runs(CLI::App& command, Flags& flags, const std::string& what) {
  command.add_option("directories", flags.directories, "Directories of runs, finished or under way")->required();
  command.add_option("--out", flags.report,
                     fmt::format("Folder of the {} (default, of one directory: DIR/report)", what));
}

void add_report(CLI::App& app, Flags& flags) {
  auto* report = app.add_subcommand("report", "Make the tables of a run, or of several together, from journals alone");
  add_runs(*report, flags, "report");
  report->add_flag("--allow-mixed", flags.allow_mixed,
                   "Put runs into one mean that differ in device, threads, rows or engine version, and of two results "
                   "of a job take the first directory's; every table marks it");
  report->footer("\nExample:\n  plume-bench report runs/first\n  plume-bench report runs/a runs/b --out runs/together");
}

void add_export(CLI::App& app, Flags& flags) {
  auto* made =
      app.add_subcommand("export", "Write what runs came out with as HDF5 arrays and CSV, for your own figures");
  add_runs(*made, flags, "export");
  made->add_flag("--allow-mixed", flags.allow_mixed,
                 "Let in what `report` would refuse: runs of one cell that differ in device, threads, rows or engine "
                 "version, which are columns of their own; of two results of a job the first directory's counts");
  made->footer(
      "\nExample:\n  plume-bench export runs/first\n  plume-bench export runs/a runs/b --out runs/together\n\n"
      "Writes results.h5 (jobs, epochs and shares as named arrays), jobs.csv (a line a job, with its settings and what "
      "came of it) and epochs.csv (a line an epoch). From journals alone. results/README.md lists every array.");
}

void add_watching(CLI::App& app, Flags& flags) {
  auto* status = app.add_subcommand("status", "How a run stands: tables, workers, failures; from its files alone");
  status->add_option("directory", flags.out, "Directory of a run, at work or not")->required();
  status->add_flag("--watch", flags.watch, "Look again and again, until the run ends or q is typed");
  status->add_option("--every", flags.every_seconds, "Seconds between two looks of --watch")
      ->check(number_within(0.1, 86400.0))
      ->capture_default_str();
  status->add_flag("--json", flags.json, "One JSON document in one line; with --watch one each time something changes");
  status->footer(
      "\nExample:\n  plume-bench status runs/first --watch\n\n"
      "Works from any machine that sees the directory, takes no lock and writes nothing. Without a terminal, --watch "
      "prints a block each time something changes. Exit status: 0 it could look, whatever it saw; 1 a file of the "
      "directory is damaged or cannot be read; 2 wrong usage or no such directory.");
  auto* explain = app.add_subcommand("explain", "Why a job or a cell of a table is not done, and what mends it");
  explain->add_option("directory", flags.out, "Directory of a run, at work or not")->required();
  explain->add_option(
      "what", flags.what,
      "A job: its key (six digits are enough) or its name as logs have it; or a cell: TABLE/ROW/COLUMN");
  explain->footer(
      "\nExample:\n  plume-bench explain runs/first 1a2b3c4d\n  plume-bench explain runs/first "
      "\"ablation/LinearMap/cat\"\n\nExit status as of `status`.");
}

void add_others(CLI::App& app, Flags& flags) {
  auto* plan = app.add_subcommand(
      "plan", "What a sweep would run: jobs per table, shared jobs, what is done, features, time, memory and disk");
  add_sweep(*plan, flags);
  plan->add_option("--out", flags.directories, "Directory of a run, to count what is done (may be repeated)");
  plan->add_option("--times", flags.times,
                   "Directory of another run, whose times are taken for jobs like its own (may be repeated)");
  plan->add_option("--workers", flags.workers, "Say how long so many workers would take")->check(CLI::Range(1, 100000));
  add_site_flags(*plan, flags);
  plan->footer(
      "\nExample:\n  plume-bench plan sweeps/paper/all.json\n  plume-bench plan sweeps/quickstart.json --out "
      "runs/first\n\n"
      "CIFAR and SPARK need not be at hand: their official classes and numbers of images are taken then.");
  add_report(app, flags);
  add_export(app, flags);
  auto* repair = app.add_subcommand("repair", "Move the damaged lines of a journal aside and keep the good ones");
  repair->add_option("directory", flags.out, "Directory of a run")->required();
  repair->footer("\nExample:\n  plume-bench repair runs/first");
  auto* trainer = app.add_subcommand("trainer", "")->group("");  // hidden: what a worker starts
  trainer->add_option("--fd", flags.trainer.descriptor, "Socket to the supervisor");
  trainer->add_option("--threads", flags.trainer.threads, "Threads")->required();
  trainer->add_option("--gpu", flags.trainer.gpu, "UUID of the one GPU that it must see");
  trainer->add_option("--checkpoints", flags.trainer.checkpoints.attempts, "Folder of the attempts, DIR/attempts");
  trainer->add_option("--keep-in", flags.trainer.keep_in, "Folder whose models/ and dumps/ take what trainings leave");
  trainer->add_option("--checkpoint-every", flags.checkpoint_minutes, "As of run; in minutes");
}

}  // namespace

void add_site_file(CLI::App& app, Flags& flags) {
  app.add_option("--site", flags.site,
                 "Site file: where data, weights and cache are (default: $PLUME_SITE, ./site.json, "
                 "~/.config/plume-bench/site.json)");
}

void add_weights_flags(CLI::App& app, Flags& flags) {
  app.add_option("--weights", flags.weights,
                 "Weight file of a backbone: ID=FILE, or ID=random:SEED for an untrained one (may be repeated)");
  add_site_file(app, flags);
}

void add_data_flags(CLI::App& app, Flags& flags) {
  app.add_option("--data", flags.data,
                 "Where a data set lies: ID=PATH, a folder or, for features, an HDF5 file (may be repeated)");
  app.add_option("--cache", flags.cache, "Folder of the feature cache");
}

CLI::Validator number_within(double least, double most) {
  const auto check = [least, most](std::string& text) {
    double value = 0;
    const bool is_number = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
    return is_number ? std::string() : fmt::format("expected a number from {} to {}, found {}", least, most, text);
  };
  return CLI::Validator(check, fmt::format("FLOAT in [{} - {}]", least, most));
}

void add_sweep(CLI::App& app, Flags& flags) {
  app.add_option("sweep", flags.sweep, "Sweep file (JSON)")->required();
  app.add_option("--substitute", flags.substitutes,
                 "Take another backbone or data set than the sweep names: OLD=NEW, e.g. resnet50=efficientnet-lite0 or "
                 "spark2021=spark2022 (may be repeated); every table says so");
  app.add_option("--scale", flags.scale,
                 "Run a smaller version: quick lowers rows, width, epochs and seeds of every job, and a backbone whose "
                 "weights are nowhere runs untrained; every table says so");
}

void add_site_flags(CLI::App& app, Flags& flags) {
  add_data_flags(app, flags);
  add_weights_flags(app, flags);
}

void add_commands(CLI::App& app, Flags& flags) {
  app.require_subcommand(1);
  add_running_commands(app, flags);
  add_cluster_commands(app, flags);
  add_checking_commands(app, flags);
  add_scoring_command(app, flags);
  add_others(app, flags);
  add_watching(app, flags);
}

}  // namespace runner
