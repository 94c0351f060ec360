// Subcommands and flags.
#include "runner/commands.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <thread>

#include "results/journal.hpp"
#include "runner/chain.hpp"
#include "runner/explain.hpp"
#include "runner/feature_plan.hpp"
#include "runner/lock.hpp"
#include "runner/placement.hpp"
#include "runner/plan_command.hpp"
#include "runner/report_command.hpp"
#include "runner/run_command.hpp"
#include "runner/run_file.hpp"
#include "runner/slurm_command.hpp"
#include "runner/status_command.hpp"
#include "runner/version.hpp"
#include "storage/error.hpp"
#include "storage/nearest.hpp"

namespace runner {
namespace {

constexpr const char* kRunExample = R"(
Example:
  plume-bench run sweeps/quickstart.json --out runs/first
  mpirun --oversubscribe --bind-to none -np 3 plume-bench run sweep.json --out runs/first --data cifar10=/data/cifar-10-batches-bin

The same command again goes on where the last one ended. Exit status: 0 all cells complete, 3 done but jobs failed,
4 drained (work is left: run it again), 2 wrong usage, 1 the run itself broke.)";

struct Flags {
  ClusterFlags cluster;
  std::vector<std::string> run_flags;
  int status = 0;
  bool force = false;
  std::string sweep, scale, out, site, cache, only, backbone, dataset, kind, sheet, what;
  std::vector<std::string> data, weights, substitutes, directories, times;
  std::optional<std::string> report, share, deadline;
  std::optional<double> deadline_margin;
  int workers = 0, threads = 0, workers_per_gpu = 1;
  int start_seconds = 300, load_seconds = 900, hang_seconds = 60;
  bool retry_failed = false, redo_changed = false, take_over = false, list_tensors = false, no_sheet = false,
       allow_mixed = false, features_only = false, dry_run = false;
  double checkpoint_minutes = workers::kCheckpointMinutes;
  bool watch = false, json = false;
  double every_seconds = 1;
  Budgets budgets;
  workers::TrainerOptions trainer;
};

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

void add_site_flags(CLI::App& app, Flags& flags) {
  add_data_flags(app, flags);
  add_weights_flags(app, flags);
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

/// ID=PATH, each ID once: which of two was meant is not for us to say.
std::map<std::string, std::string> assignments(const std::string& flag, const std::vector<std::string>& texts) {
  std::map<std::string, std::string> paths;
  for (const auto& text : texts) {
    const auto [id, path] = split_assignment(flag, text, flag == "--substitute" ? "OLD=NEW" : "NAME=PATH");
    if (paths.emplace(id, path).second) continue;
    throw storage::UsageError(
        fmt::format("{} {}: given twice, as {} and as {}; give it once", flag, id, paths[id], path));
  }
  return paths;
}

SiteFlags site_flags(const Flags& flags) {
  SiteFlags site;
  if (!flags.site.empty()) site.site = flags.site;
  if (!flags.cache.empty()) site.cache = flags.cache;
  site.data = assignments("--data", flags.data);
  site.weights = assignments("--weights", flags.weights);
  return site;
}

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
                  "Run only the jobs that match AXIS=VALUE,... and print a line for each epoch; an axis named twice "
                  "means either: class=cat,seed=0,seed=1")
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
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
  run->add_option("--deadline", flags.deadline,
                  "When this run must have ended: seconds from now, 90m, 2h, or a time as 2026-11-28T12:00:00Z (UTC); "
                  "what cannot end before it is not started (default: the end of the Slurm allocation, if any)");
  run->add_option(
         "--deadline-margin", flags.deadline_margin,
         "Seconds before the deadline at which nothing should run any more (default 60, of short ones a tenth)")
      ->check(CLI::Range(0.0, 86400.0));
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

void add_run(CLI::App& app, Flags& flags) {
  auto* run = app.add_subcommand("run", "Run a sweep: features, trainings, tables");
  add_running_flags(*run, flags);
  run->add_option("--share", flags.share,
                  "Run one share of the jobs, K of N, e.g. 3/8: the tasks of a job array, each with an --out of its "
                  "own; `report` puts them together");
  run->add_flag("--retry-failed", flags.retry_failed, "Run failed jobs again");
  run->add_flag("--redo-changed", flags.redo_changed, "Run jobs again whose images, weights or rows have changed");
  run->add_option("--checkpoint-every", flags.checkpoint_minutes,
                  "Minutes of a training after which it writes a checkpoint, and again after each checkpoint; 0: never")
      ->check(CLI::Range(0.0, 1e6))
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

constexpr const char* kSlurmExample = R"(
Example:
  plume-bench slurm sweep.json --out runs/mine --partition gpu --account me --nodes 2 --gpus-per-node 4 --time 12:00:00
  plume-bench slurm sweep.json --out runs/mine --form array --shares 16 --gpus-per-node 1 -- --retry-failed
  sbatch runs/mine/slurm/run.sbatch

Nothing is submitted. What is the same for every sweep belongs into "slurm" of the site file: {"slurm": {"partition":
"gpu", "account": "me", "gpus_per_node": 4, "modules": ["openmpi"]}}; flags win. After "--": further flags of `run`.)";

void add_slurm(CLI::App& app, Flags& flags) {
  auto* slurm = app.add_subcommand("slurm", "Write batch scripts for a sweep and a cluster");
  auto& to = flags.cluster;
  add_sweep(*slurm, flags);
  slurm->add_option("--out", flags.out, "Directory of the run; the scripts go into its folder slurm/")->required();
  slurm->add_option("--form", to.form,
                    "How workers are started: mpirun (default), srun (with PMIx), or array: no MPI, shares of the jobs "
                    "as tasks of a job array");
  slurm->add_option("--partition", to.partition, "Partition (default: the cluster's)");
  slurm->add_option("--account", to.account, "Account");
  slurm->add_option("--qos", to.qos, "Quality of service");
  slurm->add_option("--nodes", to.nodes, "Nodes of an allocation (default 1)");
  slurm->add_option("--gpus-per-node", to.gpus_per_node, "GPUs of a node (default 1); 0 for a cluster without");
  slurm->add_option("--workers-per-node", to.workers_per_node, "Workers of a node (default: one for each GPU)");
  slurm->add_option("--cpus-per-task", to.cpus_per_task, "CPUs, and so threads, of each worker (default 4)");
  slurm->add_option("--mem", to.memory, "Memory of a node, e.g. 64G (default: the cluster's)");
  slurm->add_option("--time", to.time, "Time limit of an allocation, as sbatch takes it (default 24:00:00)");
  slurm->add_option("--drain", to.drain_seconds,
                    "Seconds before the end of an allocation at which nothing more is started (default 300, of short "
                    "allocations a sixth)");
  slurm->add_option("--shares", to.shares, "Shares, of the form array (default 8)");
  slurm->add_option("--at-once", to.at_once, "Shares that may run at the same time (default: all)");
  slurm->add_option("--module", to.modules, "Environment module to load (may be repeated)");
  slurm->add_option("--container", to.container, "Apptainer image that holds plume-bench (slurm/plume.def)");
  slurm->add_option("--setup", to.setup, "Line of shell before the run, e.g. an export (may be repeated)");
  slurm->add_option("--sbatch", to.directives, "Further option of sbatch, e.g. --sbatch=--constraint=a100");
  slurm->add_option(
      "--next", to.next,
      "What a script does when work is left: resubmit (default), requeue, where jobs may not submit jobs, "
      "or stop");
  slurm->add_option("--only", flags.only, "Only the jobs that match AXIS=VALUE,..., as in `run`");
  add_site_flags(*slurm, flags);
  slurm->add_flag("--force", flags.force, "Replace scripts that differ");
  slurm->add_option("flags", flags.run_flags, "Further flags of `run`, after --");
  slurm->footer(kSlurmExample);

  auto* chain = app.add_subcommand("chain", "For batch scripts: whether a directory is worth another allocation");
  chain->add_option("directory", flags.out, "Directory of a run")->required();
  chain->add_option("--status", flags.status, "How the run in this allocation ended: its exit status")
      ->required()
      ->check(CLI::Range(0, 255));
  chain->footer(
      "\nExit status: 0 another allocation is to follow; 5 none: the line printed says why. Two allocations in a row "
      "that got nothing done end a chain.");
}

void add_check_data(CLI::App& check, Flags& flags) {
  auto* data = check.add_subcommand("data", "What a data set is, whether it is whole, and what a model sees of it");
  data->add_option("ID", flags.dataset, "Data set: cifar10, or the id that a sweep gives to yours");
  data->add_option("--sweep", flags.sweep, "Sweep file whose entry of that id holds: kind, split, normal sets, skip");
  data->add_option("--kind", flags.kind, "Kind of a data set that no sweep declares yet, e.g. image-folder");
  add_data_flags(*data, flags);
  add_site_file(*data, flags);
  data->add_option("--threads", flags.threads, "Threads of the scan (default: all CPUs)")->check(CLI::Range(1, 1024));
  data->add_option("--sheet", flags.sheet, "File of the contact sheet (default: check-ID.html)");
  data->add_flag("--no-sheet", flags.no_sheet, "Write no contact sheet");
  data->footer(
      "\nExample:\n  plume-bench check data cifar10 --data cifar10=/data/cifar-10-batches-bin\n"
      "  plume-bench check data mine --kind image-folder --data mine=/data/mine --sheet mine.html\n\n"
      "Lines that begin with \"Note:\" stop no run. Exit status: 0 the data set can be run on, 1 something in it is "
      "damaged, 2 wrong usage or no such data set.");
}

void add_check(CLI::App& app, Flags& flags) {
  auto* check = app.add_subcommand("check", "Check what a run would use: weights ID, data ID");
  check->require_subcommand(1);
  check->footer(
      "\nExample:\n  plume-bench check weights resnet50\n  plume-bench check data cifar10 --data "
      "cifar10=/data/cifar-10-batches-bin");
  add_check_data(*check, flags);
  auto* weights = check->add_subcommand("weights", "Whether a weight file is the paper's, is whole, and runs");
  weights->add_option("ID", flags.backbone, "Backbone whose weights are checked, e.g. resnet50");
  add_weights_flags(*weights, flags);
  weights->add_option("--threads", flags.threads, "Threads of the forward pass (default: all CPUs)")
      ->check(CLI::Range(1, 1024));
  weights->add_flag("--list", flags.list_tensors, "Print every tensor of the file: name, dtype, shape");
  weights->footer(
      "\nExample:\n  plume-bench check weights resnet50 --weights resnet50=/models/resnet50-0676ba61.pth\n\n"
      "Exit status: 0 the backbone runs on them, 1 they are damaged or another network's, 2 wrong usage or no such "
      "file.");
}

void add_report(CLI::App& app, Flags& flags) {
  auto* report = app.add_subcommand("report", "Make the tables of a run, or of several together, from journals alone");
  report->add_option("directories", flags.directories, "Directories of runs, finished or under way")->required();
  report->add_option("--out", flags.report, "Folder of the report (default, of one directory: DIR/report)");
  report->add_flag("--allow-mixed", flags.allow_mixed,
                   "Put runs into one mean that differ in device, threads, rows or engine version, and of two results "
                   "of a job take the first directory's; every table marks it");
  report->footer("\nExample:\n  plume-bench report runs/first\n  plume-bench report runs/a runs/b --out runs/together");
}

void add_watching(CLI::App& app, Flags& flags) {
  auto* status = app.add_subcommand("status", "How a run stands: tables, workers, failures; from its files alone");
  status->add_option("directory", flags.out, "Directory of a run, at work or not")->required();
  status->add_flag("--watch", flags.watch, "Look again and again, until the run ends or q is typed");
  status->add_option("--every", flags.every_seconds, "Seconds between two looks of --watch")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  status->add_flag("--json", flags.json, "One JSON document in one line; with --watch one each time something changes");
  status->footer(
      "\nExample:\n  plume-bench status runs/first --watch\n\n"
      "Works from any machine that sees the directory, takes no lock and writes nothing. Without a terminal, --watch "
      "prints a block each time something changes. Exit status: 0 it could look, whatever it saw; 1 a file of the "
      "directory is damaged or cannot be read; 2 wrong usage or no such directory.");
  auto* explain = app.add_subcommand("explain", "Why a job or a cell of a table is not done, and what mends it");
  explain->add_option("directory", flags.out, "Directory of a run, at work or not")->required();
  explain
      ->add_option("what", flags.what,
                   "A job: its key (six digits are enough) or its name as logs have it; or a cell: TABLE/ROW/COLUMN")
      ->required();
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
  auto* repair = app.add_subcommand("repair", "Move the damaged lines of a journal aside and keep the good ones");
  repair->add_option("directory", flags.out, "Directory of a run")->required();
  repair->footer("\nExample:\n  plume-bench repair runs/first");
  auto* trainer = app.add_subcommand("trainer", "")->group("");  // hidden: what a worker starts
  trainer->add_option("--fd", flags.trainer.descriptor, "Socket to the supervisor");
  trainer->add_option("--threads", flags.trainer.threads, "Threads")->required();
  trainer->add_option("--gpu", flags.trainer.gpu, "UUID of the one GPU that it must see");
  trainer->add_option("--checkpoints", flags.trainer.checkpoints.attempts, "Folder of the attempts, DIR/attempts");
  trainer->add_option("--checkpoint-every", flags.checkpoint_minutes, "As of run; in minutes");
}

RunOptions run_options(const Flags& flags, const std::vector<std::string>& command, const Computing& computing) {
  RunOptions options;
  options.sweep = flags.sweep;
  options.substitutes = assignments("--substitute", flags.substitutes);
  options.scale = flags.scale;
  options.out = flags.out;
  options.site = site_flags(flags);
  if (flags.workers > 0) options.workers = flags.workers;
  if (flags.threads > 0) options.threads = flags.threads;
  options.workers_per_gpu = flags.workers_per_gpu;
  options.why_gpus_idle = computing.why_gpus_idle;
  options.only = flags.only;
  if (flags.share) options.share = sweeps::parse_share(*flags.share);
  options.features_only = flags.features_only;
  options.retry_failed = flags.retry_failed;
  options.redo_changed = flags.redo_changed;
  if (flags.deadline) {
    if (flags.deadline->empty()) throw storage::UsageError("--deadline: expected a time, found nothing; leave it out");
    options.deadline = *flags.deadline;
  }
  options.deadline_margin = flags.deadline_margin;
  options.take_over = flags.take_over;
  options.dry_run = flags.dry_run;
  options.budgets = flags.budgets;
  options.start_deadline = workers::Seconds(flags.start_seconds);
  options.load_deadline = workers::Seconds(flags.load_seconds);
  options.hang_floor = workers::Seconds(flags.hang_seconds);
  options.checkpoint_every = workers::Seconds(60 * flags.checkpoint_minutes);
  options.command = command;
  return options;
}

/// What `slurm` is to add to a `run`: refused here what the run would refuse when its turn in the queue has come.
void check_run_flags(const std::vector<std::string>& more) {
  CLI::App app;
  Flags flags;
  add_run(app, flags);
  // The scripts give these themselves: given once more, each is one too many.
  std::vector<std::string> words{"run",       "sweep.json", "--out",   "runs", "--threads", "1",
                                 "--workers", "1",          "--share", "1/1",  "--only",    "seed=0"};
  words.insert(words.end(), more.begin(), more.end());
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    std::string what = error.what();
    std::replace(what.begin(), what.end(), '\n', ' ');
    throw storage::UsageError(fmt::format(
        "after --: {}; only flags of `run` that `slurm` has none for belong there, e.g. -- --retry-failed", what));
  }
}

int repair_directory(const std::filesystem::path& directory) {
  LockOptions options;  // a run that is at work would go on writing into the file that is replaced
  options.wait = [](std::chrono::duration<double> time) { std::this_thread::sleep_for(time); };
  options.say = [](const std::string& line) { std::cerr << line << std::endl; };
  const DirectoryLock lock(directory, options);
  const auto bad = results::repair_journal(directory / "journal.jsonl");
  std::cout << (bad == 0
                    ? std::string("journal.jsonl: nothing to repair")
                    : fmt::format(
                          "journal.jsonl: {} damaged line(s) moved aside; run the sweep again to redo their jobs", bad))
            << std::endl;
  return 0;
}

/// A command, or a part of one: `check weights` is `weights` of `check`.
struct UsedCommand {
  const CLI::App* app;
  std::string name;                ///< "check weights"; "" for the program itself
  int next = 1;                    ///< index of the first argument after it
  std::vector<std::string> parts;  ///< what may follow as a part of it
};

std::vector<std::string> parts_of(const CLI::App& app) {
  std::vector<std::string> parts;
  for (const auto* part : app.get_subcommands({})) {
    if (!part->get_group().empty()) parts.push_back(part->get_name());
  }
  return parts;
}

/// As far as the arguments begin with known words.
UsedCommand used_command(const CLI::App& app, int argc, char** argv) {
  UsedCommand used{&app, "", 1, parts_of(app)};
  while (used.next < argc && std::find(used.parts.begin(), used.parts.end(), argv[used.next]) != used.parts.end()) {
    used.name += (used.name.empty() ? "" : " ") + std::string(argv[used.next]);
    used.app = used.app->get_subcommand(argv[used.next++]);
    used.parts = parts_of(*used.app);
  }
  return used;
}

/// CLI11's complaint as our one line, with the nearest right word for a mistyped flag or command.
[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const auto used = used_command(app, argc, argv);
  const auto see = fmt::format("see plume-bench {}{}--help", used.name, used.name.empty() ? "" : " ");
  if (!used.parts.empty() && used.next < argc && argv[used.next][0] != '-') {
    const std::string word = argv[used.next];
    throw storage::UsageError(fmt::format("{}: no such command{}{}; {}", word,
                                          used.name.empty() ? "" : " after " + storage::in_quotes(used.name),
                                          storage::suggestion(word, used.parts), see));
  }
  if (!used.parts.empty() && !used.name.empty()) {
    throw storage::UsageError(
        fmt::format("{}: a word is missing after it: {}; {}", used.name, storage::listed(used.parts), see));
  }
  std::vector<std::string> words;
  for (const auto* option : used.app->get_options()) words.push_back(option->get_name());
  std::string hint;
  for (int i = 1; i < argc && dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr; ++i) {
    const std::string word(argv[i]);
    if (word.rfind("--", 0) != 0) continue;
    const auto name = word.substr(0, word.find('='));
    if (std::find(words.begin(), words.end(), name) == words.end()) hint = storage::suggestion(name, words);
  }
  std::string what = error.what();
  std::replace(what.begin(), what.end(), '\n', ' ');
  throw storage::UsageError(fmt::format("{}{}; {}", what, hint, see));
}

std::optional<int> given(int threads) {
  return threads > 0 ? std::optional<int>(threads) : std::nullopt;
}

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

DataQuestion data_question(const Flags& flags) {
  return {flags.dataset,        given(flags.sweep), given(flags.kind), site_flags(flags),
          given(flags.threads), given(flags.sheet), flags.no_sheet};
}

int run_command(const std::string& command, const Flags& flags, const std::vector<std::string>& typed,
                const Computing& computing) {
  if (command == "report") return print_report({flags.directories, flags.report, flags.allow_mixed});
  if (command == "status") return print_status({flags.out, flags.watch, flags.json, flags.every_seconds});
  if (command == "explain") return print_explanation({flags.out, flags.what});
  if (command == "repair") return repair_directory(existing_run(flags.out));
  if (command == "chain") return print_chain(flags.out, flags.status);
  if (command == "slurm") {
    check_run_flags(flags.run_flags);
    return write_slurm_scripts({flags.sweep, flags.scale, flags.only, assignments("--substitute", flags.substitutes),
                                flags.out, site_flags(flags), flags.cluster, flags.run_flags, flags.force});
  }
  if (command == "plan")
    return print_plan({flags.sweep, assignments("--substitute", flags.substitutes), flags.scale, site_flags(flags),
                       flags.directories, flags.times, flags.workers});
  if (command == "check data") return print_data_check(data_question(flags), computing.check_data);
  if (command == "check weights") {
    return print_weights_check({flags.backbone, site_flags(flags), given(flags.threads), flags.list_tensors},
                               computing.check_weights);
  }
  if (flags.out.empty()) throw storage::UsageError("--out: expected a directory, found \"\"");
  return static_cast<int>(run_sweep(run_options(flags, typed, computing)));
}

}  // namespace

int run_command_line(int argc, char** argv, const Computing& computing) {
  CLI::App app{
      "plume-bench: reproduces the PLUME paper's tables: features once, trainings exactly once, tables with what is "
      "missing",
      "plume-bench"};
  app.set_version_flag("--version", std::string("plume-bench ") + kVersion);
  app.require_subcommand(1);
  Flags flags;
  add_run(app, flags);
  add_slurm(app, flags);
  add_check(app, flags);
  add_others(app, flags);
  add_watching(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForAllHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    refuse(app, error, argc, argv);
  }
  const auto* used = app.get_subcommands().front();
  std::string command = used->get_name();
  for (; !used->get_subcommands().empty(); used = used->get_subcommands().front()) {
    command += " " + used->get_subcommands().front()->get_name();
  }
  if (command == "trainer") {
    // Ctrl-C and drain signals reach the whole process group; what becomes of a training is its supervisor's business.
    for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGPIPE}) signal(number, SIG_IGN);
    flags.trainer.checkpoints.every = workers::Seconds(60 * flags.checkpoint_minutes);
    return computing.trainer(flags.trainer);
  }
  flags.features_only = command == "extract";
  const int status = run_command(command, flags, std::vector<std::string>(argv, argv + argc), computing);
  if (std::cout.flush()) return status;
  const std::string what = "standard output cannot be written: what was printed is not complete";
  if (command != "run") throw storage::Error(what);
  // What became of the sweep is what a job script asks; the tables are on disk.
  std::cerr << fmt::format("plume-bench: {}; the tables are in {}\n", what, flags.out + "/report");
  return status;
}

}  // namespace runner
