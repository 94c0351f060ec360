// A function for each way in which a job may stand.
#include "runner/explain_reason.hpp"

#include <fmt/format.h>

#include "results/text_layout.hpp"
#include "runner/going_on.hpp"
#include "runner/progress.hpp"
#include "runner/status_view.hpp"
#include "storage/machine.hpp"
#include "workers/gpu.hpp"

namespace runner {
namespace {

using results::grouped;
using workers::Cause;

bool is(const std::string& cause, Cause which) {
  return cause == workers::name_of(which);
}

std::string once_the_chain_has_ended(const RunPicture& picture) {
  const bool a_run_is_at_it = is_run_by_script(picture) && is_at_work(picture);
  return a_run_is_at_it || goes_on_by_itself(following_of(picture)) ? "once the chain has ended, " : "";
}

/// Why nobody can say what goes on with a directory; "" as a rule.
std::string why_nothing_to_type(const RunPicture& picture) {
  const auto& closed = picture.unread.empty() ? picture.unread_scripts : picture.unread;
  if (!closed.empty()) return "how it goes on is not known: " + closed;
  return picture.scripts ? why_not_submitted(*picture.scripts) : "";
}

std::string to_type(const RunPicture& picture) {
  if (auto why = why_nothing_to_type(picture); !why.empty()) return why;
  const auto& status = *picture.status;
  if (status && makes_features_only(*status))
    return "that run made features alone: `plume-bench run` of its sweep trains";
  const auto line = line_to_go_on(picture);
  return line.empty() ? "the same command again goes on with it" : "go on with it: " + line;
}

/// What goes on with a job that was not done: the next allocation by itself, or what is to be typed.
std::string going_on(const RunPicture& picture) {
  const bool asks = is_run_by_script(picture) && picture.scripts->asks_chain;
  switch (following_of(picture)) {
    case Following::next_allocation:
      return "the next allocation goes on with it; `squeue --me` shows it waiting";
    case Following::a_word:
      return "the next allocation goes on with it, if its batch script asks for one, which `plume-bench status` tells";
    case Following::queued:
      return "nothing is to be typed: its batch script waits in Slurm's queue, and goes on with it";
    case Following::starting:
      return "nothing is to be typed: its batch script has started, and goes on with it";
    case Following::nothing:
      if (asks && is_at_work(picture)) return "the next allocation goes on with it";
      break;
    default:
      break;
  }
  return to_type(picture);
}

Reason done(const results::Committed& done) {
  std::string result = done.last_auc ? fmt::format("AUROC {:.4f}", *done.last_auc) : "AUROC undefined";
  if (done.epochs > 1) {
    result += fmt::format(" after {} epochs", done.epochs);
    if (done.best_auc) result += fmt::format(", best {:.4f} at epoch {}", *done.best_auc, done.best_epoch);
  }
  const auto gpu = done.timing.gpu.empty() ? "" : ", " + workers::short_uuid(done.timing.gpu);
  return {"done",
          fmt::format("{}; attempt {} on {}{} ({}, {} thread(s)), begun {}, took {}", result, done.attempt,
                      done.timing.host, gpu, done.device, done.threads, done.timing.started,
                      duration_text(done.timing.wall_seconds)),
          ""};
}

Reason diverged(const results::Committed& done) {
  return {
      "diverged",
      fmt::format("at epoch {} a loss or a score stopped being finite (attempt {} on {}, begun {}); it is committed, "
                  "in no mean, and would diverge again",
                  done.diverged_epoch, done.attempt, done.timing.host, done.timing.started),
      "nothing to type: a lower learning rate in the sweep makes it another job"};
}

Reason running(const WorkerStatus& worker, const RunPicture& picture) {
  const auto& task = *worker.task;
  const auto& status = **picture.status;
  const auto place = worker.gpu.empty() ? fmt::format("CPU, {} thread(s)", worker.threads)
                                        : fmt::format("{} {}", workers::short_uuid(worker.gpu), worker.gpu_name);
  auto text = fmt::format("worker {} ({}, {}) is at attempt {} for {}", worker.worker, worker.host, place, task.attempt,
                          duration_text(static_cast<double>(status.written - task.since)));
  if (task.epochs > 0) text += fmt::format(": {} of {} epochs", task.epochs_done, task.epochs);
  if (task.epoch_seconds && task.epochs > 0) {
    text += fmt::format(", {:.3g} s an epoch, {} left", *task.epoch_seconds,
                        duration_text(*task.epoch_seconds * (task.epochs - task.epochs_done)));
  }
  if (task.auc) text += fmt::format("; AUROC {:.4f}", *task.auc);
  const bool doubtful = picture.life.life == Life::silent;
  return {"running", doubtful ? text + "; but " + view_of(picture).headline : text, ""};
}

Reason failed(const results::GaveUp& failed, const RunPicture& picture) {
  const auto what = fmt::format("given up at attempt {}: {}: {}", failed.attempt, failed.cause, failed.message);
  const auto nothing = why_nothing_to_type(picture);
  if (!nothing.empty()) return {"failed", what, "--retry-failed runs it again; but " + nothing};
  const auto line = line_to_go_on(picture, "--retry-failed");
  return {
      "failed", what,
      once_the_chain_has_ended(picture) + (line.empty() ? "--retry-failed runs it again" : "run it again: " + line)};
}

Reason blocked(const FeatureStatus& features, const RunPicture& picture) {
  const auto what = features.backbone.empty() ? "the images of " + features.dataset + " cannot be used"
                                              : fmt::format("the features of {} through {} cannot be made",
                                                            features.dataset, features.backbone);
  return {"blocked", fmt::format("{}: {}", what, features.failure),
          "mend that; then " + once_the_chain_has_ended(picture) + to_type(picture)};
}

/// Nobody works on the directory.
Reason left(const results::JobHistory* history, const RunPicture& picture) {
  if (!picture.unread.empty()) return not_known(picture.unread);
  const auto mend = going_on(picture);
  if (history == nullptr || history->attempts.empty()) {
    return {"not begun", fmt::format("no run has come to it ({})", view_of(picture).headline), mend};
  }
  const auto& last = history->attempts.back();
  if (const auto* under_way = history->under_way()) {
    return {"interrupted",
            fmt::format("attempt {} on {}, begun {}, was under way when the run ended", under_way->number,
                        under_way->worker, under_way->at),
            mend};
  }
  if (history->taken_back) {
    return {"taken back",
            fmt::format("the result of attempt {}, because {}", *history->taken_back, history->why_taken_back), mend};
  }
  if (is(last.cause, Cause::drained)) {
    return {"made way", fmt::format("attempt {} on {}: {}", last.number, last.worker, last.message), mend};
  }
  return {"not done",
          fmt::format("its last attempt, {}, ended without a result: {}: {}", last.number, last.cause, last.message),
          mend};
}

Reason waiting(std::size_t plan, std::size_t job, const JobStates& states, const RunPicture& picture) {
  const auto* history = picture.history->find((*picture.plans)[plan].keys[job]);
  if (!is_at_work(picture)) return left(history, picture);
  const auto& status = *picture.status;
  if (states.plan_of_run() >= 0 && static_cast<int>(plan) != states.plan_of_run()) {
    return {"not begun",
            fmt::format("the run at work is of sweep {}, and the job is of {}", status->sweep, (*picture.sweeps)[plan]),
            "`plume-bench run` of that sweep, once this one has ended"};
  }
  if (!status) return {"waiting", "a run is at work, but says nothing of itself (no status.json)", ""};
  if (const auto* features = states.features_missing((*picture.plans)[plan].jobs[job])) {
    const auto what = features->backbone.empty()
                          ? fmt::format("a scan of {}", features->dataset)
                          : fmt::format("features of {} through {}", features->dataset, features->backbone);
    return {"waiting",
            fmt::format("for {}: {} of {} rows", what, grouped(static_cast<std::uint64_t>(features->rows_done)),
                        grouped(static_cast<std::uint64_t>(features->rows))),
            ""};
  }
  const auto again = history == nullptr || history->attempts.empty()
                         ? std::string()
                         : fmt::format("; attempt {} comes next", history->attempts.back().number + 1);
  if (status->phase == RunPhase::draining) {
    return {"waiting", "for the next run: this one starts no job any more" + again, going_on(picture)};
  }
  return {"waiting",
          fmt::format("for a free worker, like {} jobs in all; the longest goes first{}",
                      grouped(static_cast<std::uint64_t>(status->jobs.waiting)), again),
          ""};
}

/// What leaves out a job that the last run did not choose: its --only, else its --share.
Reason not_chosen(std::size_t plan, std::size_t job, const JobStates& states, const RunPicture& picture) {
  const auto& status = **picture.status;
  const bool by_share = status.selection.find("--share") != std::string::npos &&
                        !states.is_left_out_by(only_in(status.selection), plan, job);
  const auto mend = by_share                    ? "another share runs it (--share), in a directory of its own"
                    : is_run_by_script(picture) ? going_on(picture)
                                                : "the same command without --only runs it";
  return {"left out", fmt::format("the last run was told {}", status.selection), mend};
}

/// Whether it is batch scripts that go on, and they leave the job out: then to submit them again is of no help.
bool scripts_leave_out(std::size_t plan, std::size_t job, const JobStates& states, const RunPicture& picture) {
  return is_run_by_script(picture) && why_nothing_to_type(picture).empty() &&
         states.is_left_out_by(picture.scripts->only, plan, job);
}

Reason reason_as_it_stands(std::size_t plan, std::size_t job, const JobStates& states, const RunPicture& picture) {
  const auto& key = (*picture.plans)[plan].keys[job];
  const auto* history = picture.history->find(key);
  switch (states.of(plan, job)) {
    case JobState::done:
      return done(*history->done);
    case JobState::diverged:
      return diverged(*history->done);
    case JobState::running:
      return running(*states.worker_at(key), picture);
    case JobState::failed:
      return failed(*history->failed, picture);
    case JobState::blocked:
      return blocked(*states.features_missing((*picture.plans)[plan].jobs[job]), picture);
    case JobState::not_chosen:
      return not_chosen(plan, job, states, picture);
    case JobState::waiting:
      break;
  }
  return waiting(plan, job, states, picture);
}

}  // namespace

Reason reason_of(std::size_t plan, std::size_t job, const JobStates& states, const RunPicture& picture) {
  auto reason = reason_as_it_stands(plan, job, states, picture);
  const auto state = states.of(plan, job);
  const bool is_open = state != JobState::done && state != JobState::diverged && !reason.mend.empty();
  if (is_open && scripts_leave_out(plan, job, states, picture)) {
    const auto first = state == JobState::blocked ? "once that is mended, " : "";
    reason.sentence += "; " + left_out_by_scripts(*picture.scripts);
    reason.mend = scripts_for_all(*picture.scripts, first + once_the_chain_has_ended(picture));
    if (state == JobState::failed) reason.mend += " --retry-failed";
  }
  return reason;
}

std::string left_out_by_scripts(const ScriptPlace& scripts) {
  return fmt::format("the batch scripts leave it out (--only {})", scripts.only);
}

std::string scripts_for_all(const ScriptPlace& scripts, const std::string& when) {
  return fmt::format("{}this writes scripts without --only, {}: {}; then {}", when, kAsBefore, scripts.to_write_for_all,
                     scripts.submit);
}

Reason not_known(const std::string& why) {
  return {kNotKnown, why, ""};
}

std::string budget_of(const results::Attempt& attempt) {
  const auto& cause = attempt.cause;
  if (attempt.uncharged) return "not counted: the worker was set aside";
  if (is(cause, Cause::disk_full)) return "not counted: the disk was full";
  const bool ended_with_the_run = attempt.message.rfind("the run ended while", 0) == 0;
  if (ended_with_the_run) return "not counted: it ended with its run";
  if (is(cause, Cause::drained)) return "not counted: it made way";
  if (is(cause, Cause::worker_lost)) return "counted as a lost worker's (--infrastructure-retries)";
  return "counted as a try of the job's own (--job-retries)";
}

}  // namespace runner
