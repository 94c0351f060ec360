// Fills the templates in. What varies is directives, the environment and three commands; the rest of a script is the
// template's.
#include "runner/batch_scripts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "runner/batch_templates.hpp"
#include "runner/shell_text.hpp"
#include "storage/error.hpp"

namespace runner {
namespace {

/// What a script is for.
enum class Part { run, extract, share, report };

using Blanks = std::map<std::string, std::string>;

/// `@NAME@` for each blank; a template is ours, so one without its text is a fault of the program.
std::string filled(std::string_view form, const Blanks& blanks) {
  std::string text;
  for (std::size_t at = 0; at < form.size();) {
    const auto open = form.find('@', at);
    const auto close = open == std::string_view::npos ? open : form.find('@', open + 1);
    const auto blank = close == std::string_view::npos
                           ? blanks.end()
                           : blanks.find(std::string(form.substr(open + 1, close - open - 1)));
    if (blank == blanks.end()) {  // a plain "@", as in "${plume[@]}"
      const auto end = open == std::string_view::npos ? form.size() : open + 1;
      text += form.substr(at, end - at);
      at = end;
      continue;
    }
    text += std::string(form.substr(at, open - at)) + blank->second;
    at = close + 1;
  }
  return text;
}

/// Comments and options of sbatch.
class Directives {
 public:
  void say(const std::string& comment) { text_ += "# " + comment + "\n"; }
  void set(const std::string& option) { text_ += "#SBATCH " + option + "\n"; }
  void set(const std::string& option, const std::string& value) {
    if (!value.empty()) set(fmt::format("{}={}", option, value));
  }
  std::string text() const { return text_.substr(0, text_.size() - 1); }

 private:
  std::string text_;
};

/// Letters, digits, ".", "_" and "-" of a sweep's name: what squeue shows.
std::string job_name(const std::string& sweep, Part part) {
  std::string name = "plume-";
  for (const char c : sweep) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("._-").find(c) != std::string_view::npos;
    name += plain ? c : '_';
  }
  switch (part) {
    case Part::extract:
      return name + "-features";
    case Part::share:
      return name + "-share";
    case Part::report:
      return name + "-report";
    case Part::run:
      break;
  }
  return name;
}

void say_size(const ClusterSettings& cluster, Part part, Directives& lines) {
  if (part == Part::report) {
    lines.set("--ntasks", "1");
    lines.set("--time", "00:30:00");
    return;
  }
  if (part == Part::run) {
    lines.say(
        "One task more on each node than it has workers: rank 0 coordinates and computes nothing. On every other");
    lines.say("node one task has no place and leaves at once; in return all nodes are alike.");
    lines.set("--nodes", std::to_string(cluster.nodes));
    lines.set("--ntasks-per-node", std::to_string(cluster.workers() + 1));
    lines.say(
        "Threads of each worker. Keep the number from one allocation to the next: results record it, and a cell of a");
    lines.say("table does not mix two.");
    lines.set("--cpus-per-task", std::to_string(cluster.cpus_per_task));
  } else {
    lines.say("One task, which starts its workers itself: no MPI. CPUs are for all of them.");
    lines.set("--nodes", "1");
    lines.set("--ntasks", "1");
    lines.set("--cpus-per-task", std::to_string(cluster.cpus_per_task * cluster.workers()));
  }
  if (cluster.gpus_per_node > 0) {
    lines.say("GPUs belong to the node, not to its tasks: workers share them out among themselves, by UUID.");
    lines.set("--gpus-per-node", std::to_string(cluster.gpus_per_node));
    if (part == Part::run) lines.set("--gpu-bind", "none");
  }
  lines.set("--mem", cluster.memory);
  lines.set("--time", cluster.time);
}

void say_end(const ClusterSettings& cluster, Directives& lines) {
  lines.say(fmt::format("{} s before the end (Slurm: or up to 60 s earlier) this script gets SIGUSR1; B: the script,",
                        cluster.drain_seconds));
  lines.say("not the tasks. It should be more than a typical training takes.");
  lines.set(fmt::format("--signal=B:USR1@{}", cluster.drain_seconds));
  lines.say("Slurm may start this job again, under the same number: after a node failed, or it was preempted.");
  lines.set("--requeue");
  lines.set("--open-mode=append");
}

std::string directives(const BatchRun& run, Part part) {
  const auto& cluster = run.cluster;
  Directives lines;
  lines.set("--job-name", job_name(run.sweep_name, part));
  lines.set("--partition", cluster.partition);
  lines.set("--account", cluster.account);
  lines.set("--qos", cluster.qos);
  say_size(cluster, part, lines);
  if (part == Part::share) {
    lines.say(
        "Share K of N of the jobs is task K. Clusters allow an array only so many tasks: `scontrol show config |");
    lines.say("grep MaxArraySize`.");
    const auto limit = cluster.at_once > 0 ? fmt::format("%{}", cluster.at_once) : "";
    lines.set(fmt::format("--array=1-{}{}", cluster.shares, limit));
  }
  if (part != Part::report) say_end(cluster, lines);
  const auto output = (run.scripts / (part == Part::share ? "%x-%A_%a.out" : "%x-%j.out")).string();
  lines.set("--output", output.find(' ') == std::string::npos ? output : "\"" + output + "\"");
  for (const auto& directive : cluster.directives) lines.set(directive);
  return lines.text();
}

/// A command that must be there, and what to do where it is not.
std::string needed(const std::string& command, const std::string& mend) {
  return fmt::format("command -v {} > /dev/null || stop \"there is no {} on $HOSTNAME: {}\"\n", command, command, mend);
}

std::string module_lines(const std::vector<std::string>& modules) {
  if (modules.empty()) return "";
  const auto names = shell_words(modules);
  return needed("module", "leave --module and \\\"modules\\\" of the site file out, or have --setup define it") +
         fmt::format(
             "module load {} || stop \"module load {} failed on $HOSTNAME: \\`module avail\\` lists the names; mend "
             "--module, or \\\"modules\\\" of the site file\"\n",
             names, names);
}

std::string container_lines(const ClusterSettings& cluster) {
  const auto image = shell_word(cluster.container);
  return needed("apptainer", "name its module with --module, or leave --container out") +
         fmt::format(
             "image={}\n[ -r \"$image\" ] || stop \"$image: the container image is not there, or cannot be read\"\n",
             image) +
         "# Slurm's own programs are outside the container: the run is told when its allocation ends.\n"
         "export SLURM_JOB_END_TIME=\"${SLURM_JOB_END_TIME:-$(date -d \"$(squeue -h -j \"$SLURM_JOB_ID\" -o %e)\" "
         "+%s)}\"\n";
}

/// Seconds that a run has after SIGTERM: less than the script and mpirun wait, and they less than Slurm (KillWait, 30).
constexpr int kEndWithin = 8;
constexpr int kKillAfter = 10;  // by mpirun
constexpr int kEndPatience = 12;

/// Ends with "plume", the words that start the program, after a check that it does start.
std::string environment(const BatchRun& run, Part part) {
  const auto& cluster = run.cluster;
  std::string text = module_lines(cluster.modules);
  for (const auto& line : cluster.setup) text += line + "\n";
  if (cluster.container.empty()) {
    text += fmt::format("plume=({})\n", shell_word(run.program.string()));
  } else {
    text += container_lines(cluster) +
            fmt::format("plume=(apptainer exec {}\"$image\" plume-bench)\n", cluster.gpus_per_node > 0 ? "--nv " : "");
  }
  if (part == Part::run && cluster.form == Form::mpirun) {
    text += needed("mpirun", "name the module of Open MPI with --module, or give --form srun or array");
    // Of Open MPI 4 and 5: seconds from SIGTERM to SIGKILL, else 1.
    text += fmt::format("export OMPI_MCA_odls_base_sigkill_timeout={0} PRTE_MCA_odls_base_sigkill_timeout={0}\n",
                        kKillAfter);
  }
  return text + "\"${plume[@]}\" --version || stop \"${plume[*]}: does not start on $HOSTNAME\"";
}

/// The directories of all shares, as bash spells them.
std::string all_shares(const BatchRun& run) {
  return fmt::format("{}/share-*-of-{}", shell_word(run.out.string()), run.cluster.shares);
}

/// Seconds that a draining run has before its script gives it up; the other half is the script's own.
int patience_of(const ClusterSettings& cluster) {
  return cluster.drain_seconds / 2;
}

std::string call(const BatchRun& run, Part part) {
  const std::string program = "\"${plume[@]}\" ";
  if (part == Part::report) {
    return program + fmt::format("report {} --out {}", all_shares(run), shell_word((run.out / "report").string()));
  }
  auto words = shell_words(run.flags);
  if (part != Part::extract && !run.run_flags.empty()) words += (words.empty() ? "" : " ") + shell_words(run.run_flags);
  if (!words.empty()) words = " " + words;
  const auto sweep = shell_word(run.sweep.string());
  const auto workers = run.cluster.workers();
  const auto signals = fmt::format("--drain-within {} --end-within {}", patience_of(run.cluster), kEndWithin);
  switch (part) {
    case Part::extract:
      return program + fmt::format("extract {} --out \"$out\" --threads {}{} --workers {} {}", sweep,
                                   run.cluster.cpus_per_task, words, workers, signals);
    case Part::share:
      return program + fmt::format(
                           "run {} --out \"$out\" --share \"$SLURM_ARRAY_TASK_ID/{}\" --threads {}{} --workers {} "
                           "{} \"$@\"",
                           sweep, run.cluster.shares, run.cluster.cpus_per_task, words, workers, signals);
    default:
      break;
  }
  const auto launcher = run.cluster.form == Form::mpirun
                            ? std::string("mpirun --enable-recovery --bind-to none ")
                            : std::string(
                                  "srun --mpi=pmix --kill-on-bad-exit=0 --cpu-bind=none --gpu-bind=none "
                                  "--cpus-per-task=\"$SLURM_CPUS_PER_TASK\" ");
  return launcher + program +
         fmt::format("run {} --out \"$out\" --threads \"$SLURM_CPUS_PER_TASK\"{} {} \"$@\"", sweep, words, signals);
}

std::string again(const BatchRun& run, Part part) {
  const auto& cluster = run.cluster;
  const auto next = part == Part::run ? cluster.next : Next::requeue;  // jobs that wait for this one know its number
  if (next == Next::stop)
    return fmt::format("[ \"$status\" -ne 4 ] || echo \"work is left:\" {} \"$@\"", submit_line(run));
  const std::string ask = "if \"${plume[@]}\" chain \"$out\" --status \"$status\"; then\n";
  if (next == Next::resubmit) {
    const auto script = shell_word((run.scripts / "run.sbatch").string());
    return ask + "  sbatch --dependency=afterany:\"$SLURM_JOB_ID\" " + script + " \"$@\"\nfi";
  }
  return ask +
         "  job=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID}\n"
         "  scontrol requeue \"${job:-$SLURM_JOB_ID}\" && { sleep 600 & wait; }  # Slurm ends this script now\nfi";
}

/// The lines that say what a script is for.
std::string what(const BatchRun& run, Part part) {
  switch (part) {
    case Part::extract:
      return fmt::format("Sweep {}: its features, into the cache. The first of the jobs that `submit` starts.",
                         run.sweep_name);
    case Part::share:
      return fmt::format("Sweep {}: its trainings in {} shares, each a run of its own.", run.sweep_name,
                         run.cluster.shares);
    case Part::report:
      return fmt::format("Sweep {}: the tables of all its shares together.", run.sweep_name);
    case Part::run:
      break;
  }
  return fmt::format("Sweep {}: all of it, in one allocation after another until every job has a result.",
                     run.sweep_name);
}

std::string out_of(const BatchRun& run, Part part) {
  const auto base = shell_word(run.out.string());
  if (part == Part::extract) return shell_word((run.out / "features").string());
  if (part != Part::share) return base;
  return fmt::format("{}/share-\"$SLURM_ARRAY_TASK_ID\"-of-{}", base, run.cluster.shares);
}

ScriptFile script(const BatchRun& run, Part part, const std::string& name) {
  const bool by_launcher = part == Part::run;
  const Blanks blanks{{"LOGIN", run.cluster.modules.empty() ? "" : " -l"},
                      {"WHAT", what(run, part)},
                      {"SUBMIT", submit_line(run)},
                      {"LOOK", look_line(run)},
                      {"DIRECTIVES", directives(run, part)},
                      {"FOLDER", shell_word(run.folder.string())},
                      {"NEEDS", filled(batch_needs(), {{"ENVIRONMENT", environment(run, part)}})},
                      {"OUT", out_of(run, part)},
                      {"SHARES", all_shares(run)},
                      {"CALL", call(run, part)},
                      {"PATIENCE", std::to_string(patience_of(run.cluster))},
                      {"GIVE_UP", by_launcher ? "TERM" : "INT"},
                      {"END_PATIENCE", std::to_string(kEndPatience)},
                      {"AGAIN", again(run, part)}};
  return {name, filled(part == Part::report ? report_sbatch() : work_sbatch(), blanks), false};
}

/// sbatch reads "%" in file names as a pattern and knows no way to write a quote in one.
void check_paths(const BatchRun& run) {
  for (const auto& path : {run.program, run.sweep, run.out, run.scripts, run.folder}) {
    if (has_control_characters(path.string())) {
      throw storage::UsageError(
          fmt::format("slurm: {}: a control character in a path; rename it", storage::in_quotes(path.string())));
    }
  }
  if (run.scripts.string().find_first_of("%\"\\") != std::string::npos) {
    throw storage::UsageError(fmt::format(
        "--out {}: sbatch takes no file below a folder with %, \" or \\ in its name; give another", run.out.string()));
  }
}

}  // namespace

std::string submit_line(const BatchRun& run) {
  if (run.cluster.form == Form::array) return "bash " + shell_word((run.scripts / "submit").string());
  return "sbatch " + shell_word((run.scripts / "run.sbatch").string());
}

std::string look_line(const BatchRun& run) {
  return "plume-bench status --watch " + shell_word(run.out.string());
}

std::vector<ScriptFile> batch_scripts(const BatchRun& run) {
  check_paths(run);
  if (run.cluster.form != Form::array) return {script(run, Part::run, "run.sbatch")};
  const Blanks blanks{{"WHAT", fmt::format("Sweep {}: features, then {} shares of the trainings, then the tables.",
                                           run.sweep_name, run.cluster.shares)},
                      {"HERE", shell_word(run.scripts.string())},
                      {"SUBMIT", submit_line(run)}};
  return {script(run, Part::extract, "extract.sbatch"), script(run, Part::share, "share.sbatch"),
          script(run, Part::report, "report.sbatch"), ScriptFile{"submit", filled(submit_script(), blanks), true}};
}

}  // namespace runner
