// A sentence for each way in which a run may stand.
#include "runner/status_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runner/progress.hpp"
#include "runner/sweep_run.hpp"
#include "storage/machine.hpp"

namespace runner {
namespace {

constexpr int kNotExecutable = 126, kNotFound = 127;  // a shell's exit status where it cannot start a program
constexpr const char* kRetryFailed = "--retry-failed";

std::string in_words(RunPhase phase) {
  switch (phase) {
    case RunPhase::starting:
      return "starting";
    case RunPhase::scanning:
      return "scanning images";
    case RunPhase::extracting:
      return "making features";
    case RunPhase::training:
      return "training";
    case RunPhase::draining:
      return "draining (running jobs may end, no new one starts)";
    case RunPhase::reporting:
      return "writing its report";
    case RunPhase::ended:
      break;
  }
  return "ended";
}

std::string of_status(const RunStatus& status) {
  const auto slurm = status.slurm_job.empty() ? "" : fmt::format(", Slurm job {}", status.slurm_job);
  return fmt::format("{} (process {}{})", status.host, status.pid, slurm);
}

/// By exit status; see runner/README.md.
/// `is_read`: the jobs are counted in the journal, and not by the run itself alone.
std::string end_in_words(const RunStatus& status, const JobCounts& jobs, bool is_read) {
  const auto when = ago(static_cast<double>(storage::unix_now() - status.written));
  switch (static_cast<Exit>(status.exit_status.value_or(static_cast<int>(Exit::broke)))) {
    case Exit::complete:
      // Its results may be gone, or be unreadable: then it is the run's word alone.
      if ((jobs.committed() != jobs.chosen() || !is_read) && !makes_features_only(status))
        return fmt::format("ended {}, complete by its own word", when);
      return (jobs.not_chosen == 0 ? "complete; ended " : "did all that was asked; ended ") + when;
    case Exit::failed_cells:
      return fmt::format("ended {}; {} job(s) failed", when, jobs.failed);
    case Exit::drained:
      return fmt::format("drained {}; {} job(s) left", when, jobs.left);
    case Exit::usage:
      return "refused " + when;
    case Exit::broke:
      break;
  }
  return "broke " + when;
}

/// Of the last allocation, as its script told `chain`: the run itself may have written nothing of it.
std::string end_in_words(const ChainWord& word, const RunPicture& picture, const JobCounts& jobs) {
  const auto& status = *picture.status;
  const bool it_said_so = status && picture.life.life == Life::ended && status->exit_status == word.status;
  if (it_said_so && !word.again) return end_in_words(*status, jobs, picture.unread.empty());
  const auto when = ago(static_cast<double>(storage::unix_now() - word.at));
  if (word.status == static_cast<int>(Exit::usage)) return "refused " + when;
  if (!word.began) return "could not be started " + when;
  switch (word.status) {
    case static_cast<int>(Exit::broke):
      return "broke " + when;
    case static_cast<int>(Exit::drained):
      return "drained " + when;
    case kNotExecutable:
    case kNotFound:
      return "could not be started " + when;
    default:
      return "killed " + when;
  }
}

std::string name_of_script(const RunPicture& picture) {
  const auto& job = picture.output->job;
  return job.empty() ? "its batch script" : fmt::format("its batch script (Slurm job {})", job);
}

std::string end_of_script(const RunPicture& picture) {
  const auto& tail = picture.output->tail;
  if (!tail.exit_status) return "";
  return *tail.exit_status == kTerminated ? ": it was told to end (scancel, its time limit, or preemption)"
                                          : fmt::format(", with exit status {}", *tail.exit_status);
}

/// Of a script whose run did not begin.
std::string headline_of_script(Following following, const RunPicture& picture) {
  const auto when = ago(picture.output->quiet_seconds);
  switch (following) {
    case Following::before_run:
      return fmt::format("{} ended {} before its run began{}", name_of_script(picture), when, end_of_script(picture));
    case Following::script_lost:
      return picture.queue
                 ? fmt::format("{} ended {} before its run began, without a word: it was killed, or its disk was full",
                               name_of_script(picture), when)
                 : fmt::format("{} started {} and has said nothing since", name_of_script(picture), when);
    default:
      return fmt::format("{} has started, and its run has not begun", name_of_script(picture));
  }
}

void say_what_the_script_printed(const RunPicture& picture, std::vector<std::string>& next) {
  const auto& output = *picture.output;
  if (was_told_to_end(output.tail)) next.push_back("it was told to end (scancel, preemption)");
  if (!output.tail.telling.empty()) next.push_back("its last words: " + output.tail.telling);
  if (output.disk_is_full) next.push_back(fmt::format("the disk of {} is full", picture.directory.string()));
  const bool lost = output.tail.telling.empty() && !output.disk_is_full;
  next.push_back(lost ? fmt::format("it printed nothing into {}", output.file.string())
                      : fmt::format("what it printed: {}", output.file.string()));
}

std::string end_of_last_run(const RunPicture& picture, const JobCounts& jobs) {
  const auto& status = *picture.status;
  if (const auto* word = last_word(picture)) return end_in_words(*word, picture, jobs);
  if (status && picture.life.life == Life::ended) return end_in_words(*status, jobs, picture.unread.empty());
  return picture.life.life == Life::died ? "killed " + ago(picture.quiet_seconds) : "a run whose end is not on record";
}

/// " (Priority)", in Slurm's own word; "" where it says nothing.
std::string reason_in_brackets(const RunPicture& picture) {
  const auto* waiting = picture.queue ? waiting_of(*picture.queue) : nullptr;
  return waiting == nullptr || waiting->reason.empty() ? "" : fmt::format(" ({})", waiting->reason);
}

/// "" where no batch script has a say.
std::string headline_of_following(const RunPicture& picture, const JobCounts& jobs) {
  const auto following = following_of(picture);
  const auto* word = last_word(picture);
  const bool drained = picture.life.life == Life::ended;
  const auto when = ago(picture.quiet_seconds);
  switch (following) {
    case Following::queued:
      return fmt::format("its batch script waits in Slurm's queue{}{}", reason_in_brackets(picture),
                         picture.life.life == Life::not_started ? ", and nothing has run yet"
                                                                : "; before: " + end_of_last_run(picture, jobs));
    case Following::starting:
      if (!picture.output) return "its batch script has started, and its run has not begun";
      return headline_of_script(following, picture);
    case Following::before_run:
    case Following::script_lost:
      return headline_of_script(following, picture);
    case Following::first_run:
      return "its batch scripts are written, and nothing has run yet";
    case Following::a_word:
      return fmt::format("{} {}; its batch script has yet to say whether another allocation follows",
                         drained ? "drained" : "died, it seems,", when);
    case Following::next_allocation:
      if (const auto reason = reason_in_brackets(picture); !reason.empty())
        return end_in_words(*word, picture, jobs) + "; the next allocation waits in Slurm's queue" + reason;
      return end_in_words(*word, picture, jobs) + "; the next allocation goes on once Slurm starts it (`squeue --me`)";
    case Following::chain_end:
      return end_in_words(*word, picture, jobs);
    case Following::nobody:
      if (word != nullptr) return end_in_words(*word, picture, jobs) + "; the next allocation is not in Slurm's queue";
      return fmt::format("{} {} and given up: its batch script ended with it (scancel, or a failed node)",
                         drained ? "drained" : "killed", when);
    case Following::nothing:
      break;
  }
  return "";
}

/// "the same command goes on: plume-bench run ...", "its batch script, submitted again, goes on: sbatch ...".
std::string go_on(const RunPicture& picture, const std::string& what, const std::string& more = "") {
  const auto who = is_run_by_script(picture) ? "its batch script, submitted again, " : "the same command ";
  const auto line = line_to_go_on(picture, more);
  return line.empty() ? who + what : fmt::format("{}{}: {}", who, what, line);
}

void say_next_of_failures(const RunPicture& picture, const StatusView& view, std::vector<std::string>& next) {
  if (view.jobs.failed == 0 || is_at_work(picture)) return;
  const auto says_so = [](const std::string& line) { return line.find(kRetryFailed) != std::string::npos; };
  if (std::any_of(next.begin(), next.end(), says_so)) return;
  const bool later = goes_on_by_itself(view.following);
  const auto line = line_to_go_on(picture, kRetryFailed);
  next.push_back(fmt::format("failed jobs run again with {}{}{}", kRetryFailed,
                             later ? ", once the chain has ended" : "", line.empty() ? "" : ": " + line));
}

/// What the script's own word adds to what the run said of its end.
void say_why_the_chain_ended(const RunPicture& picture, std::vector<std::string>& next) {
  const auto* word = last_word(picture);
  const auto& status = *picture.status;
  const auto following = following_of(picture);
  const bool is_past =
      following == Following::queued || following == Following::starting;  // another has been submitted
  if (word == nullptr || word->again || is_past) return;
  const bool all_is_said =
      status && status->exit_status == word->status && word->status != static_cast<int>(Exit::drained);
  if (!all_is_said) next.push_back("because: " + word->why);
}

/// "" where nothing that is there goes on.
std::string next_of_following(const RunPicture& picture) {
  switch (following_of(picture)) {
    case Following::queued:
      return "nothing is to be typed: `squeue --me` shows it waiting";
    case Following::starting:
      return "nothing is to be typed: it loads its modules, or waits for the first sign of its run";
    case Following::before_run:
      return go_on(picture, was_told_to_end(picture.output->tail) ? "goes on" : "goes on, once that is mended");
    case Following::script_lost:
      return picture.queue ? go_on(picture, "goes on")
                           : go_on(picture, "goes on, where `squeue --me` shows no job of it");
    case Following::first_run:
      if (picture.queue) return fmt::format("`{}` starts it: Slurm's queue has no job of it", picture.scripts->submit);
      return fmt::format("`{}` starts it, unless `squeue --me` shows that it waits in the queue already",
                         picture.scripts->submit);
    case Following::a_word:
      return fmt::format("look again in some seconds; after scancel it has nothing to say, and this goes on: {}",
                         picture.scripts->submit);
    case Following::next_allocation:
      return fmt::format("nothing is to be typed; only where `squeue --me` shows no job of it (scancel): {}",
                         picture.scripts->submit);
    case Following::nobody:
      if (picture.queue) return go_on(picture, "goes on");
      return go_on(picture, "goes on, unless `squeue --me` shows that Slurm starts it again itself");
    default:
      return "";
  }
}

bool ended_before_its_run(Following following) {
  return following == Following::before_run || following == Following::script_lost;
}

/// Of what a newer script came to, in place of what the last run did.
std::vector<std::string> next_of_a_script(const RunPicture& picture) {
  std::vector<std::string> next;
  say_what_the_script_printed(picture, next);
  next.push_back(next_of_following(picture));
  return next;
}

std::vector<std::string> next_of_an_end(const RunPicture& picture, const StatusView& view) {
  const auto& status = *picture.status;
  std::vector<std::string> next;
  if (!status->why.empty()) next.push_back("because: " + cause_of_end(*status));
  say_why_the_chain_ended(picture, next);
  const auto following = next_of_following(picture);
  if (!following.empty()) next.push_back(following);
  const bool is_open = view.jobs.left > 0 && status->exit_status != static_cast<int>(Exit::complete);
  if (is_open && following.empty()) {
    const bool broke = status->exit_status == static_cast<int>(Exit::broke);
    const auto more = broke && view.jobs.failed > 0 ? kRetryFailed : "";  // one remedy, not one for each
    next.push_back((broke ? "once that is mended, " : "") + go_on(picture, "goes on with what is left", more));
  }
  if (view.jobs.committed() > 0) next.push_back(fmt::format("tables: {}/report/index.md", picture.directory.string()));
  return next;
}

std::vector<std::string> next_of_a_death(const RunPicture& picture) {
  std::vector<std::string> next;
  say_why_the_chain_ended(picture, next);
  const auto following = next_of_following(picture);
  next.push_back(following.empty() ? "nothing that was committed is lost; " + go_on(picture, "goes on") : following);
  return next;
}

bool how_it_goes_on_is_unknown(const RunPicture& picture) {
  const bool are_of_another = picture.scripts && !picture.scripts->runs_instead.empty();
  return are_of_another || !picture.unread.empty() || !picture.unread_scripts.empty();
}

/// Scripts and the last run's command are of another directory, or closed to this user.
std::vector<std::string> next_by_nobody(const RunPicture& picture, const StatusView& view) {
  std::vector<std::string> next;
  const auto& status = *picture.status;
  if (status && !status->why.empty()) next.push_back("because: " + cause_of_end(*status));
  const bool is_complete = view.jobs.chosen() > 0 && view.jobs.committed() == view.jobs.chosen();
  const auto why = picture.scripts && picture.unread.empty() ? why_not_submitted(*picture.scripts) : "";
  if (!is_complete && !why.empty()) next.push_back(why);
  if (view.jobs.committed() > 0 && picture.unread.empty())
    next.push_back(fmt::format("tables: {}/report/index.md", picture.directory.string()));
  return next;
}

}  // namespace

std::string ago(double seconds) {
  constexpr double kNow = 5;
  return seconds < kNow ? "just now" : duration_text(seconds) + " ago";
}

std::string headline_of(const RunPicture& picture, const JobCounts& jobs) {
  const auto& status = *picture.status;
  const auto& life = picture.life;
  if (const auto headline = headline_of_following(picture, jobs); !headline.empty()) return headline;
  switch (life.life) {
    case Life::not_started:
      return picture.problems.empty() ? "nothing has run here yet" : "cannot be seen";
    case Life::unknown:
      return jobs.chosen() > 0 && jobs.committed() == jobs.chosen()
                 ? "complete"
                 : "not at work; how the last run ended is not on record";
    case Life::died:
      return status ? fmt::format("died: no sign of life for {}", duration_text(life.silent_seconds)) : "died";
    case Life::silent:
      return fmt::format("{}, it seems: but no sign of life for {}", in_words(status->phase),
                         duration_text(life.silent_seconds));
    case Life::ended:
      return end_in_words(*status, jobs, picture.unread.empty());
    case Life::working:
      break;
  }
  if (!status) return "at work, but it says nothing of itself (no status.json)";
  return in_words(status->phase);
}

std::string caution_of(const RunPicture& picture) {
  const auto& life = picture.life;
  if (life.ahead_seconds > 0) {
    const bool may_live = life.by_another_clock && life.life == Life::working;
    return fmt::format("the clock of {} was {} ahead of this machine's: what is said of times is wrong by as much{}",
                       (*picture.status)->host, duration_text(life.ahead_seconds),
                       may_live ? fmt::format(", and whether the run lives cannot be seen from here: `plume-bench "
                                              "status --watch` tells within {:.0f} s",
                                              kSilentSeconds)
                                : "");
  }
  if (!life.by_another_clock || life.life == Life::working || !*picture.status) return "";
  return fmt::format(
      "that is by the clocks of two machines; whether {} lives cannot be seen from here: `plume-bench status --watch` "
      "tells within {:.0f} s",
      of_status(**picture.status), kSilentSeconds);
}

std::vector<std::string> next_of(const RunPicture& picture, const StatusView& view) {
  const auto& status = *picture.status;
  std::vector<std::string> next;
  if (picture.life.life != Life::working && how_it_goes_on_is_unknown(picture)) return next_by_nobody(picture, view);
  if (ended_before_its_run(view.following)) return next_of_a_script(picture);
  switch (picture.life.life) {
    case Life::not_started:
      say_why_the_chain_ended(picture, next);
      if (picture.scripts && view.following == Following::chain_end) {
        if (picture.output) next.push_back("what it printed: " + picture.output->file.string());
        next.push_back("once that is mended, " + go_on(picture, "begins anew"));
      }
      if (const auto line = next_of_following(picture); !line.empty()) next.push_back(line);
      if (next.empty() && picture.problems.empty())
        next.push_back(fmt::format("`plume-bench run SWEEP --out {}` begins", picture.directory.string()));
      return next;
    case Life::silent:
      if (!picture.life.by_another_clock) {
        next.push_back(fmt::format("it may have been stopped, or its disk may hang: look at process {} on {}",
                                   status->pid, status->host));
      } else if (is_run_by_script(picture)) {
        next.push_back(go_on(picture, "goes on, where `squeue --me` shows no job of it (scancel)"));
      }
      break;
    case Life::died:
      next = next_of_a_death(picture);
      break;
    case Life::unknown:
      if (view.jobs.left > 0) next.push_back(go_on(picture, "goes on"));
      break;
    case Life::ended:
      next = next_of_an_end(picture, view);
      break;
    case Life::working:
      break;
  }
  say_next_of_failures(picture, view, next);
  return next;
}

}  // namespace runner
