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
    fmt::print("| | s | processor s | peak MB |\n|---|---|---|---|\n");
    std::fflush(stdout);
  }

  /// Throws storage::Error with what it said where it does not end with status 0.
  void run(const std::string& what, const std::vector<std::string>& command) {
    const Ended ended = run_child(command, errors_);
    check(command, ended.status == 0, ended);
    if (what.empty()) return;
    print(what, ended.seconds, ended);
  }

  /// Until `seen`; then it is killed.
  void run_until(const std::string& what, const std::vector<std::string>& command, const std::function<bool()>& seen) {
    const Ended ended = run_child(command, errors_, seen, Then::killed);
    check(command, ended.seconds_until_seen > 0, ended);
    print(what, ended.seconds_until_seen, ended);
  }

 private:
  void check(const std::vector<std::string>& command, bool good, const Ended& ended) const {
    if (good) return;
    throw storage::Error(
        fmt::format("{} ended with status {}: {}", command.at(1), ended.status, storage::read_file(errors_)));
  }
  static void print(const std::string& what, double seconds, const Ended& ended) {
    fmt::print("| {} | {:.2f} | {:.2f} | {:.0f} |\n", what, seconds, ended.processor_seconds, ended.peak_megabytes);
    std::fflush(stdout);
  }

  fs::path errors_;
};

std::size_t count_of(const fs::path& file, const std::string& words) {
  std::ifstream in(file);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);) count += line.find(words) != std::string::npos ? 1 : 0;
  return count;
}

/// Whether the run on `out` has sent a training to its worker since this was made.
std::function<bool()> goes_out(const fs::path& out) {
  const auto log = out / "logs" / "run.log";
  const std::string words = fmt::format("worker 1 starts {}/", kDataset);
  return [=, before = count_of(log, words)] { return count_of(log, words) > before; };
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
  auto anew = run;
  anew[4] = (folder / "anew").string();
  steps.run("", one_job);
  steps.run_until("planned anew, until the first job goes out: `run`", anew, goes_out(anew[4]));
  steps.run("the journal written (by this benchmark)", {self, kFill, folder.string(), std::to_string(epochs)});
  const auto bytes = fs::file_size(fs::path(out) / "journal.jsonl");
  steps.run("expanded and compared: `plan --out`", {program, "plan", sweep, "--data", data, "--out", out});
  steps.run_until("resumed, one job left, until it goes out: `run`", run, goes_out(out));
  steps.run("resumed and finished, with its report: `run`", run);
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
  return benchmarks::exit_status_of("benchmark_plans", [&] { return benchmarks::answer(argc, argv); });
}
