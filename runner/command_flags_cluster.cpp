// Flags of slurm and of chain, which its scripts call.
#include "runner/command_flags.hpp"

namespace runner {
namespace {

constexpr const char* kSlurmExample = R"(
Example:
  plume-bench slurm sweep.json --out runs/mine --partition gpu --account me --nodes 2 --gpus-per-node 4 --time 12:00:00
  plume-bench slurm sweep.json --out runs/mine --form array --shares 16 --gpus-per-node 1 -- --hang-deadline 300
  sbatch runs/mine/slurm/run.sbatch
  sbatch runs/mine/slurm/run.sbatch --retry-failed

Nothing is submitted. What is the same for every sweep belongs in "slurm" of the site file: {"slurm": {"partition":
"gpu", "account": "me", "gpus_per_node": 4, "modules": ["openmpi"]}}; flags win. After "--": further flags of `run`;
what is typed after a script's name is added to them.)";

}  // namespace

void add_cluster_commands(CLI::App& app, Flags& flags) {
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
  slurm->add_option("--memory,--mem", to.memory, "Memory of a node, e.g. 64G (default: the cluster's)");
  slurm->add_option("--time", to.time,
                    "Time limit of an allocation, as sbatch takes it, but for UNLIMITED (default 24:00:00)");
  slurm->add_option("--drain", to.drain_seconds,
                    "Seconds before the end of an allocation at which nothing more is started (default 300, of short "
                    "allocations a sixth)");
  slurm->add_option("--shares", to.shares, "Shares, of the form array (default 8)");
  slurm->add_option("--at-once", to.at_once, "Shares that may run at the same time (default: all)");
  // Each takes one word: a "--" behind it begins the flags of `run`, and "[ -d x ]" is no list.
  slurm->add_option("--module", to.modules, "Environment module to load (may be repeated)")->allow_extra_args(false);
  slurm->add_option("--container", to.container, "Apptainer image that holds plume-bench (slurm/plume.def)");
  slurm->add_option("--setup", to.setup, "Line of shell before the run, e.g. an export (may be repeated)")
      ->allow_extra_args(false);
  slurm->add_option("--sbatch", to.directives, "Further option of sbatch, e.g. --sbatch=--constraint=a100")
      ->allow_extra_args(false);
  slurm->add_option(
      "--next", to.next,
      "What a script does when work is left: resubmit (default), requeue, where jobs may not submit jobs, "
      "or stop");
  slurm->add_option("--only", flags.only, "Only the jobs that match AXIS=VALUE,..., as in `run`");
  add_site_flags(*slurm, flags);
  slurm->add_flag("--force", flags.force, "Replace scripts that differ");
  slurm->add_option("flags", flags.run_flags, "Further flags of `run`, after --, for every allocation");
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

}  // namespace runner
