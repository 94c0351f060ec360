// A directory's sweep, journal and status made by hand, and the picture that a look at it would give.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/history.hpp"
#include "runner/job_names.hpp"
#include "runner/status_directory.hpp"
#include "storage/machine.hpp"
#include "tests/results/samples.hpp"

namespace runner {

/// One table, "small": row "Linear", columns cat and dog, seeds 0 and 1: jobs cat 0, dog 0, cat 1, dog 1.
class MadeUpRun {
 public:
  MadeUpRun() {
    const auto sweep =
        sweeps::parse_sweep(R"({"version": 1, "name": "s", "datasets": {"pets": {"kind": "image-folder"}},
      "blocks": [{"dataset": "pets", "backbone": "efficientnet-lite0", "perturbation": "linear-map", "guidance": "full",
                  "lambda": 5, "lr": 0.001, "epochs": 40, "seeds": 2}],
      "tables": [{"id": "small", "rows": [{"name": "Linear", "where": {}}]}]})",
                            "sweep.json");
    plans.push_back(sweeps::expand(sweep, {{"pets", {{"cat", "dog"}, {}}}}));
    names.push_back(job_names(plans[0].jobs));
    facts.command = {"plume-bench", "run", "my sweep.json", "--out", "runs/a"};
  }

  const sweeps::Job& job(std::size_t i) const { return plans[0].jobs.at(i); }
  const sweeps::JobKey& key(std::size_t i) const { return plans[0].keys.at(i); }

  void start(std::size_t i, int attempt, const std::string& worker = "worker 1 (a)") {
    history.apply(results::AttemptStarted{key(i), attempt, worker, "2026-11-27T20:15:03Z"});
  }
  void end(std::size_t i, int attempt, const std::string& cause, const std::string& message) {
    history.apply(results::AttemptEnded{key(i), attempt, cause, message});
  }
  void finish(std::size_t i, int attempt = 1) {
    auto done = samples::done(job(i), samples::finished({0.9, 0.8}));
    done.attempt = attempt;
    history.apply(done);
  }
  void diverge(std::size_t i) { history.apply(samples::done(job(i), samples::diverged(7))); }
  void fail(std::size_t i, const std::string& cause, const std::string& message) {
    history.apply(results::Failed{job(i), 2, cause, message});
  }
  /// A status of a run that works with one idle worker.
  RunStatus& at_work(RunPhase phase = RunPhase::training) {
    life.life = Life::working;
    status.emplace();
    status->phase = phase;
    status->sweep = "s";
    status->host = "a";
    status->pid = 7;
    status->started = 1'700'000'000;
    status->written = 1'700'000'720;
    status->jobs_chosen = 4;
    status->workers.push_back({1, "a", 1, "", "", WorkerState::idle, "", status->written, {}});
    return *status;
  }
  void put_to_work(std::size_t i, int attempt = 1) {
    auto& worker = status->workers.front();
    worker.state = WorkerState::working;
    worker.task = WorkerTask{"train", names[0][i], key(i).hex, attempt, status->written - 60, 40, 10, 0.5, 0.8125, 2.0};
  }
  void ended(int exit_status, const std::string& why = "") {
    if (!status) at_work();
    life.life = Life::ended;
    status->phase = RunPhase::ended;
    status->exit_status = exit_status;
    status->why = why;
  }

  /// The last run was one of the directory's batch script, which asks `chain`.
  void run_by_slurm() {
    scripts = ScriptPlace{"runs/a/slurm/run.sbatch", "sbatch runs/a/slurm/run.sbatch", true};
    if (status) status->slurm_job = "12";
  }
  /// What the script heard from `chain` after the run that wrote the status.
  void chain_said(bool again, int exit_status, const std::string& why = "a reason") {
    chain = ChainMemory{0, 0, status ? status->counter : 0, ChainWord{again, exit_status, why, storage::unix_now()}};
  }

  /// What the newest script, Slurm job `job`, printed last.
  void script_printed(const std::string& job, const OutputTail& tail) {
    output = ScriptOutput{"runs/a/slurm/plume-s-" + job + ".out", job, tail, true, 5, false};
  }

  RunPicture picture() const {
    return {"runs/a", &plans,   &names,  &sweep_names, &history,      &status, life,
            &facts,   problems, scripts, chain,        quiet_seconds, output,  queue};
  }

  std::vector<sweeps::Plan> plans;
  std::vector<std::vector<std::string>> names;
  std::vector<std::string> sweep_names{"s"};
  results::History history;
  std::optional<RunStatus> status;
  LifeVerdict life{Life::unknown};
  RunFacts facts;
  std::vector<std::string> problems;
  std::optional<ScriptPlace> scripts;
  std::optional<ChainMemory> chain;
  double quiet_seconds = 0;
  std::optional<ScriptOutput> output;
  std::optional<std::vector<QueuedJob>> queue;
};

}  // namespace runner
