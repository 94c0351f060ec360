// From a command line to the command that it names.
#include "runner/commands.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <iostream>
#include <optional>
#include <thread>

#include "results/journal.hpp"
#include "runner/chain.hpp"
#include "runner/command_flags.hpp"
#include "runner/command_refusal.hpp"
#include "runner/computing_program.hpp"
#include "runner/explain.hpp"
#include "runner/export_command.hpp"
#include "runner/lock.hpp"
#include "runner/plan_command.hpp"
#include "runner/report_command.hpp"
#include "runner/run_file.hpp"
#include "runner/slurm_command.hpp"
#include "runner/status_command.hpp"
#include "runner/version.hpp"
#include "storage/error.hpp"
#include "workers/gpu_support.hpp"

namespace runner {
namespace {

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

RunOptions run_options(const Flags& flags, const std::vector<std::string>& command) {
  RunOptions options;
  options.sweep = flags.sweep;
  options.substitutes = assignments("--substitute", flags.substitutes);
  options.scale = flags.scale;
  options.out = flags.out;
  options.site = site_flags(flags);
  if (flags.workers > 0) options.workers = flags.workers;
  if (flags.threads > 0) options.threads = flags.threads;
  options.workers_per_gpu = flags.workers_per_gpu;
  options.why_gpus_idle = workers::why_gpus_idle;
  options.only = flags.only;
  options.epoch_lines = !flags.only.empty() && !flags.share && !flags.no_epoch_lines;
  if (flags.share) options.share = sweeps::parse_share(*flags.share);
  options.features_only = flags.features_only;
  options.retry_failed = flags.retry_failed;
  options.redo_changed = flags.redo_changed;
  options.redo_unsaved = flags.redo_unsaved;
  if (flags.deadline) {
    if (flags.deadline->empty()) throw storage::UsageError("--deadline: expected a time, found nothing; leave it out");
    options.deadline = *flags.deadline;
  }
  options.deadline_margin = flags.deadline_margin;
  options.drain_within = flags.drain_within;
  options.end_within = flags.end_within;
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

bool computes(const std::string& command) {
  return command == "trainer" || command == "check data" || command == "check weights" || command == "score";
}

int run_computing(const std::string& command, const Flags& flags, const Computing& computing) {
  if (command == "trainer") {
    // Ctrl-C and drain signals reach the whole process group; what becomes of a training is its supervisor's business.
    for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE}) signal(number, SIG_IGN);
    workers::TrainerOptions options = flags.trainer;
    options.checkpoints.every = workers::Seconds(60 * flags.checkpoint_minutes);
    return computing.trainer(options);
  }
  if (command == "check data") return print_data_check(data_question(flags), computing.check_data);
  if (command == "check weights") {
    return print_weights_check({flags.backbone, site_flags(flags), given(flags.threads), flags.list_tensors},
                               computing.check_weights);
  }
  return print_scores(
      {flags.model, flags.paths, flags.report, given(flags.sheet), site_flags(flags), given(flags.threads)},
      computing.score);
}

int run_command(const std::string& command, const Flags& flags, const std::vector<std::string>& typed) {
  if (command == "report") return print_report({flags.directories, flags.report, flags.allow_mixed});
  if (command == "export") return write_export({flags.directories, flags.report, flags.allow_mixed});
  if (command == "status") return print_status({flags.out, flags.watch, flags.json, flags.every_seconds});
  if (command == "explain") return print_explanation({flags.out, flags.what});
  if (command == "repair") return repair_directory(existing_run(flags.out));
  if (command == "chain") return print_chain(flags.out, flags.status);
  if (command == "slurm") {
    check_run_flags(flags.run_flags);
    computing_program();  // that it can be started is for the nodes to say
    return write_slurm_scripts({flags.sweep, flags.scale, flags.only, assignments("--substitute", flags.substitutes),
                                flags.out, site_flags(flags), flags.cluster, flags.run_flags, flags.force,
                                workers::why_gpus_idle()});
  }
  if (command == "plan")
    return print_plan({flags.sweep, assignments("--substitute", flags.substitutes), flags.scale, site_flags(flags),
                       flags.directories, flags.times, flags.workers});
  if (flags.out.empty()) throw storage::UsageError("--out: expected a directory, found \"\"");
  return static_cast<int>(run_sweep(run_options(flags, typed)));
}

}  // namespace

int run_command_line(int argc, char** argv, const Computing* computing) {
  check_what_became(computing != nullptr);
  CLI::App app{
      "plume-bench: reproduces the PLUME paper's tables: features once, trainings exactly once, tables with what is "
      "missing",
      "plume-bench"};
  app.set_version_flag("--version",
                       computing != nullptr ? computing_version() : std::string("plume-bench ") + kVersion);
  Flags flags;
  add_commands(app, flags);
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
  flags.features_only = command == "extract";
  if (computes(command) && computing == nullptr) become_computing_program(argv);
  const int status = computes(command) ? run_computing(command, flags, *computing)
                                       : run_command(command, flags, std::vector<std::string>(argv, argv + argc));
  if (command == "trainer") return status;
  if (std::cout.flush()) return status;
  const std::string what = "standard output cannot be written: what was printed is not complete";
  if (command != "run") throw storage::Error(what);
  // What became of the sweep is what a job script asks; the tables are on disk.
  std::cerr << fmt::format("plume-bench: {}; the tables are in {}\n", what, flags.out + "/report");
  return status;
}

}  // namespace runner
