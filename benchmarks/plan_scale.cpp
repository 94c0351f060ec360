// A sweep of a hundred thousand jobs: expanded, resumed and reported by the real program, each in a process of its own,
// over a journal that this one writes. Prints how long each took and how much memory it held.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "benchmarks/child.hpp"
#include "benchmarks/flags.hpp"
#include "benchmarks/scale_sweep.hpp"
#include "benchmarks/workplace.hpp"
#include "results/journal.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "sweeps/sweep.hpp"

namespace benchmarks {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage =
    "usage: benchmark_plans PROGRAM [--jobs 100000] [--epochs 10] [--folder .]\n"
    "PROGRAM is plume-bench; each result in the journal has `epochs` epochs. The folder needs some 5 kB an epoch of "
    "ten\n"
    "jobs.";
constexpr const char* kFill = "fill";  // how this program calls itself to write the journal

sweeps::Plan expanded(const fs::path& folder) {
  sweeps::ClassNames names;
  for (int k = 0; k < kClasses; ++k) names[kDataset].classes.push_back(fmt::format("class-{}", k));
  return sweeps::expand(sweeps::read_sweep(folder / "sweep.json"), names);
}

/// A result for every job but the last, resting on the feature sets of the one that is there already.
int fill(const fs::path& folder, int epochs) {
  const auto plan = expanded(folder);
  const auto file = folder / "out" / "journal.jsonl";
  const auto replay = results::replay_journal(file);
  if (replay.ledger.done.empty()) throw storage::Error(file.string() + ": expected one result");
  const auto& first = replay.ledger.done.begin()->second.result;
  results::Journal journal(file, replay);
  for (std::size_t i = 0; i + 1 < plan.jobs.size(); ++i) {
    if (replay.ledger.done.contains(plan.keys[i])) continue;
    const results::JobTiming timing{10, "simulated", "2026-01-01T00:00:00Z"};
    journal.append(results::Done{plan.jobs[i], 1, plausible_result(epochs, i, first.train, first.test), timing});
  }
  journal.sync();
  return 0;
}

class Steps {
 public:
  Steps(fs::path folder) : errors_(folder / "errors.txt") {
    fmt::print("| | s | peak MB |\n|---|---|---|\n");
    std::fflush(stdout);
  }

  /// Throws storage::Error with what it said where it does not end with status 0.
  void run(const std::string& what, const std::vector<std::string>& command, const std::function<bool()>& seen = {},
           const std::string& seen_what = "") {
    const Ended ended = run_child(command, errors_, seen);
    if (ended.status != 0) {
      throw storage::Error(
          fmt::format("{} ended with status {}: {}", command.at(1), ended.status, storage::read_file(errors_)));
    }
    if (ended.seconds_until_seen > 0) fmt::print("| {} | {:.2f} | |\n", seen_what, ended.seconds_until_seen);
    if (!what.empty()) fmt::print("| {} | {:.2f} | {:.0f} |\n", what, ended.seconds, ended.peak_megabytes);
    std::fflush(stdout);
  }

 private:
  fs::path errors_;
};

std::size_t count_of(const fs::path& file, const std::string& words) {
  std::ifstream in(file);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);) count += line.find(words) != std::string::npos ? 1 : 0;
  return count;
}

int measure(const std::string& self, const std::string& program, const Flags& flags) {
  const int epochs = flags.whole("epochs");
  const Workplace place(flags.text("folder"));
  const fs::path& folder = place.path();
  const auto jobs = write_scale_sweep(folder, flags.whole("jobs"), epochs);
  const auto out = (folder / "out").string(), sweep = (folder / "sweep.json").string();
  const std::string data = fmt::format("{}={}", kDataset, (folder / kDataset).string());
  const std::vector<std::string> run = {
      program,  "run", sweep,       "--out", out,         "--cache", (folder / "cache").string(),
      "--data", data,  "--workers", "1",     "--threads", "1"};
  auto one_job = run;
  one_job.insert(one_job.end(), {"--only", "class=class-0,lambda=1,seed=0"});

  fmt::print("{} jobs, {} epochs each\n\n", jobs, epochs);
  Steps steps(folder);
  steps.run("expanded: `plan`", {program, "plan", sweep, "--data", data});
  steps.run("", one_job);
  steps.run("the journal written (by this benchmark)", {self, kFill, folder.string(), std::to_string(epochs)});
  const auto bytes = fs::file_size(fs::path(out) / "journal.jsonl");
  steps.run("expanded and compared: `plan --out`", {program, "plan", sweep, "--data", data, "--out", out});
  const auto log = fs::path(out) / "logs" / "run.log";
  const auto started = count_of(log, "worker 1 starts");
  steps.run(
      "resumed, one job left, to its report: `run`", run, [&] { return count_of(log, "worker 1 starts") > started; },
      "resumed: until that job goes out");
  steps.run("resumed, nothing left, to its report: `run`", run);
  steps.run("reported: `report`", {program, "report", out});
  fmt::print("\nThe journal has {:.0f} MB.\n", static_cast<double>(bytes) / 1e6);
  return 0;
}

int answer(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == kFill) return fill(argv[2], std::stoi(argv[3]));
  if (argc < 2) throw storage::UsageError(kUsage);
  if (!fs::exists(argv[1])) throw storage::UsageError(std::string(argv[1]) + ": no such program\n" + kUsage);
  return measure(fs::read_symlink("/proc/self/exe").string(), fs::absolute(argv[1]).string(),
                 Flags(argc, argv, 2, {{"jobs", "100000"}, {"epochs", "10"}, {"folder", "."}}));
}

}  // namespace
}  // namespace benchmarks

int main(int argc, char** argv) {
  try {
    return benchmarks::answer(argc, argv);
  } catch (const storage::UsageError& error) {
    std::fprintf(stderr, "benchmark_plans: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "benchmark_plans: %s\n", error.what());
    return 1;
  }
}
