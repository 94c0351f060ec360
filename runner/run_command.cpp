// The processes of a run: local workers, or the ranks of an MPI world.
#include "runner/run_command.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "runner/attempts_folder.hpp"
#include "runner/computing_program.hpp"
#include "runner/gpu_placement.hpp"
#include "runner/launcher_process.hpp"
#include "runner/mpi_world.hpp"
#include "runner/placement.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "workers/fault_on_request.hpp"
#include "workers/gpus.hpp"

namespace runner {
namespace {

/// Ctrl-C: drain, give running jobs up, end at once. SIGTERM and SIGUSR1: drain. Nothing finished is ever lost: the
/// journal is durable up to the last result, and trainers die with their supervisors.
extern "C" void on_signal(int number) {
  auto& asked = stopping_asked();
  const auto before = asked.load();
  if (before == Stopping::no) {
    asked = Stopping::drain;
  } else if (number == SIGINT) {
    if (before == Stopping::now) _exit(static_cast<int>(Exit::drained));
    asked = Stopping::now;
  }
}

/// Under mpirun Ctrl-C and SIGTERM mean that the ranks are killed within some two seconds: too short for a drain.
extern "C" void on_end_of_ranks(int) {
  stopping_asked() = Stopping::now;
}

/// SIGTERM or SIGUSR2 from who has said how long it waits.
void end_soon() {
  if (stopping_asked().load() != Stopping::now) stopping_asked() = Stopping::soon;
}
extern "C" void on_end_soon(int) {
  end_soon();
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(number, &action, nullptr);
}

void handle_signals(bool under_mpi, bool is_given_time) {
  handle(SIGUSR1, on_signal);
  handle(SIGINT, under_mpi ? on_end_of_ranks : on_signal);
  handle(SIGUSR2, is_given_time ? on_end_soon : on_signal);
  handle(SIGTERM, is_given_time ? on_end_soon : under_mpi ? on_end_of_ranks : on_signal);
  signal(SIGPIPE, SIG_IGN);
}

workers::SupervisorOptions supervisor_options(const RunOptions& run, const std::string& name, int threads,
                                              const workers::VisibleGpus& gpus) {
  workers::SupervisorOptions options;
  options.gpus = gpus;
  options.trainer_command = {computing_program().string(),
                             "trainer",
                             "--threads",
                             std::to_string(threads),
                             "--checkpoints",
                             attempts_of(run.out).string(),
                             "--keep-in",
                             run.out.string(),
                             "--checkpoint-every",
                             storage::shortest(run.checkpoint_every.count() / 60)};
  options.threads = threads;
  options.log_folder = run.out / "logs";
  options.name = name;
  options.start_deadline = run.start_deadline;
  options.load_deadline = run.load_deadline;
  options.hang_floor = run.hang_floor;
  constexpr double kBeatsInADeadline = 5;  // some may be late without the worker being lost
  options.heartbeat = std::min(options.heartbeat, workers::Seconds(run.budgets.heartbeat_deadline / kBeatsInADeadline));
  return options;
}

/// What broke the run may keep this from disk too, and is what the user has to hear of.
void record_quietly(SweepRun& run, Exit status, const std::string& why) {
  try {
    run.record(status, why);
  } catch (const storage::Error&) {
  }
}

/// Runs the sweep with `work` and reports it. Should an error end it, the run's own log says so too: who looks at it in
/// the morning may have nothing else.
template <typename Work>
Exit run_and_report(SweepRun& run, const Work& work) {
  try {
    if (!run.nothing_to_do()) work();
    const Exit status = run.report();
    run.record(status);
    return status;
  } catch (const std::exception& error) {
    const bool usage = dynamic_cast<const storage::UsageError*>(&error) != nullptr;
    run.log_end(fmt::format("{} (exit status {})", error.what(), usage ? 2 : 1));
    record_quietly(run, usage ? Exit::usage : Exit::broke, error.what());
    throw;
  }
}

int planned_workers(const RunOptions& options, const Cpus& cpus, const workers::VisibleGpus& gpus) {
  return choose_workers(local_workers(options.workers, options.workers_per_gpu, gpus), cpus);
}

Exit run_locally(const RunOptions& options) {
  workers::parse_faults(workers::requested_faults());  // refused here, not by each trainer
  SweepRun run(options);
  return run_and_report(run, [&] {
    const auto cpus = usable_cpus();
    const auto gpus = workers::visible_gpus();
    const int count = planned_workers(options, cpus, gpus);
    const int threads = choose_threads(options.threads, count, cpus, run.committed_threads());
    std::vector<workers::SupervisorOptions> workers;
    for (int k = 1; k <= count; ++k)
      workers.push_back(supervisor_options(options, fmt::format("worker-{}", k), threads, gpus));
    const auto link = make_local_link(std::move(workers), workers::steady_seconds);
    run.run(*link);
  });
}

/// The first of these variables that holds a number.
std::optional<int> launcher_number(const std::vector<const char*>& names) {
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value >= '0' && *value <= '9') return std::atoi(value);
  }
  return std::nullopt;
}

/// --dry-run. Under a launcher the first rank alone speaks, and MPI is not started.
Exit rehearse(const RunOptions& options) {
  workers::parse_faults(workers::requested_faults());
  if (launched_by_mpi() && launcher_rank().value_or(0) != 0) return Exit::complete;
  SweepRun run(options);
  if (launched_by_mpi()) {
    run.print_rehearsal(launcher_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}).value_or(1) - 1);
    return Exit::complete;
  }
  const auto cpus = usable_cpus();
  const int count = planned_workers(options, cpus, workers::visible_gpus());
  if (!run.nothing_to_do()) choose_threads(options.threads, count, cpus, run.committed_threads());
  run.print_rehearsal(count);
  return Exit::complete;
}

/// Ranks of this host, as the launcher counts them; 1 where it does not say.
int ranks_on_this_host() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"}) {
    if (const char* value = std::getenv(name)) {
      const int n = std::atoi(value);
      if (n > 0) return n;
    }
  }
  return 1;
}

/// Workers that share this host's CPUs. The coordinator is counted out on its own host only, and needs next to nothing.
int workers_on_this_host(const MpiWorld& world) {
  const int ranks = ranks_on_this_host();
  return ranks >= world.size() ? std::max(1, ranks - 1) : ranks;
}

/// What rank 0 tells the others before the first task: a thread count (0: choose your own), or that there is nothing to
/// do.
constexpr int kNoWork = -1;

Exit coordinate(const RunOptions& options, MpiWorld& world) {
  std::unique_ptr<SweepRun> run;
  try {
    workers::parse_faults(workers::requested_faults());
    auto with_hint = options;
    with_hint.how_to_drain = "; to let running jobs end, send SIGUSR1 to mpirun instead of Ctrl-C";
    run = std::make_unique<SweepRun>(with_hint);
    const auto committed = run->committed_threads();
    if (options.threads) choose_threads(options.threads, workers_on_this_host(world), usable_cpus(), committed);
    world.tell_all(run->nothing_to_do() ? kNoWork : options.threads.value_or(committed.value_or(0)));
  } catch (...) {
    world.tell_all(kNoWork);
    throw;
  }
  const Exit status = run_and_report(*run, [&] {
    const auto link = world.coordinator_link();
    run->run(*link);
  });
  run.reset();  // the lock is given back before the ranks part: with one of them lost, finish() does not return
  world.finish(static_cast<int>(status));
  return status;
}

/// How long a worker waits for a word from rank 0: longer than rank 0 waits for one from it, so that a worker that was
/// given up can come back. 120 s with the default of 30 s.
workers::Seconds coordinator_deadline(double heartbeat_deadline) {
  constexpr double kHeartbeatDeadlines = 4;
  constexpr double kLeastSeconds = 6;  // three of rank 0's words
  return workers::Seconds(std::max(kLeastSeconds, kHeartbeatDeadlines * heartbeat_deadline));
}

Exit serve(const RunOptions& options, MpiWorld& world) {
  for (const int number : {SIGINT, SIGUSR1}) signal(number, SIG_IGN);  // draining is rank 0's business
  const int told = world.hear_from_first();
  if (told == kNoWork) return Exit::complete;
  int threads = 1;
  try {  // what only this rank or its host has
    workers::parse_faults(workers::requested_faults());
    threads = choose_threads(told > 0 ? std::optional<int>(told) : std::nullopt, workers_on_this_host(world),
                             usable_cpus(), std::nullopt);
  } catch (const storage::UsageError&) {
    world.leave_without_farewell();
    throw;
  }
  world.serve(supervisor_options(options, fmt::format("worker-{}", world.rank()), threads, workers::visible_gpus()),
              workers::steady_seconds, coordinator_deadline(options.budgets.heartbeat_deadline));
  return Exit::complete;
}

}  // namespace

Exit run_sweep(const RunOptions& options) {
  check_computing_program(options.start_deadline);  // refused here, not by each job
  if (options.dry_run) return rehearse(options);
  handle_signals(launched_by_mpi(), options.end_within.has_value());
  if (!launched_by_mpi()) {
    check_world(1);
    return run_locally(options);
  }
  end_with_launcher(options.end_within ? end_soon : nullptr);
  MpiWorld world(options.start_deadline);
  check_world(world.size());
  if (world.size() == 1) return run_locally(options);
  if (options.workers) {
    throw storage::UsageError(
        "--workers: under mpirun and srun every rank but the first is a worker; leave it out, or start without mpirun");
  }
  return world.rank() == 0 ? coordinate(options, world) : serve(options, world);
}

}  // namespace runner
