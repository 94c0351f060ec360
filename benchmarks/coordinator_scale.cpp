// How many workers one coordinator keeps up with, and what a job costs it. Drives the loop of `plume-bench run` over a
// journal on disk; only the workers and MPI are simulated (simulated_ranks).
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "benchmarks/dispatch_parts.hpp"
#include "benchmarks/flags.hpp"
#include "benchmarks/scale_sweep.hpp"
#include "benchmarks/simulated_ranks.hpp"
#include "benchmarks/workplace.hpp"
#include "results/journal.hpp"
#include "runner/ranks.hpp"
#include "runner/sweep_run.hpp"
#include "storage/error.hpp"
#include "workers/trainer_settings.hpp"

namespace benchmarks {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage =
    "usage: benchmark_coordinator keep-up [--workers 1000] [--rate 10] [--seconds 60] [--epochs 100] [--limit 1]\n"
    "       benchmark_coordinator dispatch [--tasks 100000] [--workers 1000] [--jobs 10000] [--epochs 1]\n"
    "keep-up: workers that report `rate` epochs a second each, in trainings of `epochs` epochs; status 1 where a "
    "message\n"
    "waited for more than `limit` seconds. dispatch: microseconds a job. Both: [--folder .], which needs a real disk.";

struct Run {
  Watched watched;
  std::uintmax_t journal_bytes = 0;
  std::size_t journal_lines = 0;
};

/// A run of `jobs` jobs in `folder`, with simulated workers.
Run run_sweep(const fs::path& folder, const Behaviour& behaviour, std::int64_t jobs) {
  write_scale_sweep(folder, jobs, behaviour.epochs);
  runner::RunOptions options;
  options.sweep = folder / "sweep.json";
  options.out = folder / "out";
  options.site.cache = folder / "cache";
  options.site.data[kDataset] = (folder / kDataset).string();
  runner::stopping_asked() = runner::Stopping::no;
  Run run;
  {
    runner::SweepRun sweep(options);
    SimulatedRanks mail(behaviour);
    runner::Ranks ranks(mail, mail.size());
    const auto link = ranks.link();
    sweep.run(*link);
    run.watched = mail.finish();
  }
  const auto journal = options.out / "journal.jsonl";
  run.journal_bytes = fs::file_size(journal);
  run.journal_lines = results::replay_journal(journal).lines;
  return run;
}

/// The value that a share of the sorted ones do not exceed.
double quantile(std::vector<float>& values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

std::string times_in_milliseconds(std::vector<float>& values) {
  return fmt::format("median {:.1f} ms, 99 % below {:.1f} ms, longest {:.1f} ms", 1e3 * quantile(values, 0.5),
                     1e3 * quantile(values, 0.99), 1e3 * quantile(values, 1));
}

double peak_megabytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) / 1024;
}

void row(const char* what, const std::string& value) {
  fmt::print("  {:<28} {}\n", what, value);
}

int keep_up(const Flags& flags) {
  Behaviour behaviour;
  behaviour.workers = flags.whole("workers");
  behaviour.epochs_per_second = flags.number("rate");
  behaviour.seconds = flags.number("seconds");
  behaviour.epochs = flags.whole("epochs");
  const double limit = flags.number("limit");
  const Workplace place(flags.text("folder"));
  const double each = behaviour.seconds * behaviour.epochs_per_second / behaviour.epochs + 2;
  auto [seen, bytes, lines] = run_sweep(place.path(), behaviour, static_cast<std::int64_t>(each * behaviour.workers));

  fmt::print("{} simulated workers, {:g} epochs/s each, trainings of {} epochs, for {:.1f} s\n", behaviour.workers,
             behaviour.epochs_per_second, behaviour.epochs, seen.seconds);
  row("messages handled",
      fmt::format("{} ({:.0f}/s)", seen.messages, static_cast<double>(seen.messages) / seen.seconds));
  row("results made durable",
      fmt::format("{} ({:.1f}/s)", seen.results, static_cast<double>(seen.results) / seen.seconds));
  row("journal", fmt::format("{} lines, {:.1f} MB", lines, static_cast<double>(bytes) / 1e6));
  row("fsync", fmt::format("{} calls of {:.2f} ms: {:.1f} % of the time", seen.syncs.calls,
                           1e3 * seen.syncs.seconds / static_cast<double>(std::max<std::int64_t>(1, seen.syncs.calls)),
                           100 * seen.syncs.seconds / seen.seconds));
  row("coordinator's processor time", fmt::format("{:.1f} % of a core", 100 * seen.processor_seconds / seen.seconds));
  row("age of a message", times_in_milliseconds(seen.ages));
  row("done until next task is out", times_in_milliseconds(seen.gaps));
  row("simulation late by", fmt::format("{:.1f} ms at most (part of the ages)", 1e3 * seen.said_late));
  row("peak memory", fmt::format("{:.0f} MB, the simulated workers' too", peak_megabytes()));
  if (static_cast<std::int64_t>(lines) < seen.results) {
    throw storage::Error(fmt::format("{} results were handled, but the journal has {} lines", seen.results, lines));
  }
  const double oldest = quantile(seen.ages, 1);
  const bool kept_up = oldest <= limit;
  fmt::print("{}: oldest message {:.2f} s{}\n", kept_up ? "kept up" : "fell behind", oldest,
             seen.unread > 0 ? fmt::format(", {} not read at the end", seen.unread) : "");
  return kept_up ? 0 : 1;
}

void print_loop(const char* what, const Watched& seen) {
  const auto jobs = static_cast<double>(std::max<std::int64_t>(1, seen.results));
  const double wall = 1e6 * seen.seconds / jobs, sync = 1e6 * seen.syncs.seconds / jobs;
  fmt::print("| {} | {:.0f} | {:.0f} | {:.0f} | {:.0f} | {:.2f} |\n", what, wall, 1e6 * seen.processor_seconds / jobs,
             1e6 * seen.writes.seconds / jobs, sync, static_cast<double>(seen.syncs.calls) / jobs);
}

int dispatch(const Flags& flags) {
  const int workers = flags.whole("workers"), jobs = flags.whole("jobs"), epochs = flags.whole("epochs");
  const Workplace place(flags.text("folder"));
  const int tasks = flags.whole("tasks");
  fmt::print("The state machine alone, {} tasks on {} workers: {:.1f} us a task\n\n", tasks, workers,
             machine_microseconds(tasks, workers));

  const int some = std::min(jobs, 2000);
  const auto parts = part_microseconds(place.path(), some, epochs);
  fmt::print("Parts of a job whose result has {} epoch(s), each alone, in us\n\n", epochs);
  fmt::print("| decode TaskDone | journal line | fsync | encode Assign |\n|---|---|---|---|\n");
  fmt::print("| {:.0f} | {:.0f} | {:.0f} | {:.0f} |\n\n", parts.decode_done, parts.journal_line, parts.sync,
             parts.encode_assign);

  fmt::print("The whole loop, journal on disk, trainings that take no time, in us a job\n\n");
  fmt::print("| | by the clock | processor | write | fsync | fsyncs |\n|---|---|---|---|---|---|\n");
  auto many = run_sweep(place.path() / "many", {workers, 0, epochs, 0}, jobs).watched;
  print_loop(fmt::format("{} workers", workers).c_str(), many);
  auto one = run_sweep(place.path() / "one", {1, 0, epochs, 0}, some).watched;
  print_loop("1 worker", one);
  fmt::print("\nDone until the next task is out, 1 worker (the wait between two looks at the mail included): {}\n",
             times_in_milliseconds(one.gaps));
  return 0;
}

int answer(int argc, char** argv) {
  workers::set_up_computation(1);
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "keep-up") {
    return keep_up(Flags(
        argc, argv, 2,
        {{"workers", "1000"}, {"rate", "10"}, {"seconds", "60"}, {"epochs", "100"}, {"limit", "1"}, {"folder", "."}}));
  }
  if (what == "dispatch") {
    return dispatch(
        Flags(argc, argv, 2,
              {{"tasks", "100000"}, {"workers", "1000"}, {"jobs", "10000"}, {"epochs", "1"}, {"folder", "."}}));
  }
  throw storage::UsageError(kUsage);
}

}  // namespace
}  // namespace benchmarks

int main(int argc, char** argv) {
  return benchmarks::exit_status_of("benchmark_coordinator", [&] { return benchmarks::answer(argc, argv); });
}
