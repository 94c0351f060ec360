// Decides from the last run's status, what its script said, and the scripts that are there.
#include "runner/going_on.hpp"

#include <algorithm>

#include "runner/shell_text.hpp"

namespace runner {
namespace {

constexpr int kDrained = 4;

/// That the chain's memory is of the run that wrote the status, or of none where no run wrote one.
bool memory_is_of_the_last_run(const RunPicture& picture) {
  const auto& status = *picture.status;
  return picture.chain && picture.chain->counter == (status ? status->counter : 0);
}

bool is_under_way(const RunPicture& picture) {
  const auto life = picture.life.life;
  return life == Life::working || life == Life::silent;
}

/// Whether the last run's script would have asked for another allocation.
bool would_be_asked(const RunPicture& picture) {
  const auto& status = **picture.status;
  const bool work_is_left = picture.life.life != Life::ended || status.exit_status == kDrained;
  return work_is_left && picture.scripts->asks_chain && !status.slurm_job.empty();
}

/// The newest output is of a script that was started after the last run, and whose run has not begun.
bool is_of_a_newer_script(const RunPicture& picture) {
  if (!picture.output || !picture.output->after_status) return false;
  const auto& output = *picture.output;
  const auto& status = *picture.status;
  const bool has_run = status && status->slurm_job == output.job &&
                       (output.tail.restart < 0 || status->slurm_restart == output.tail.restart);
  const auto* word = last_word(picture);
  const bool is_its_word =
      word != nullptr && word->job == output.job && (output.tail.restart < 0 || word->restart == output.tail.restart);
  const bool has_spoken = is_its_word || (word != nullptr && word->job.empty());
  return !has_run && !has_spoken;
}

Following by_files(const RunPicture& picture) {
  if (is_of_a_newer_script(picture)) {
    if (picture.output->tail.ended) return Following::before_run;
    return picture.output->quiet_seconds <= kWordSeconds ? Following::starting : Following::script_lost;
  }
  if (const auto* word = last_word(picture)) return word->again ? Following::next_allocation : Following::chain_end;
  if (picture.life.life == Life::not_started) return Following::first_run;
  const bool unknown = !*picture.status || memory_is_of_the_last_run(picture);
  if (unknown || !would_be_asked(picture)) return Following::nothing;
  const bool has_ended = picture.output && picture.output->tail.ended;
  return picture.quiet_seconds <= kWordSeconds && !has_ended ? Following::a_word : Following::nobody;
}

/// `following` by the files, now that Slurm has said which jobs of the script there are.
Following by_queue(Following following, const RunPicture& picture) {
  const auto& jobs = *picture.queue;
  // A script that has spoken, or whose run has ended well, is about to end.
  const auto& status = *picture.status;
  const auto* word = last_word(picture);
  const auto is_over = [&](const QueuedJob& job) {
    return (word != nullptr && word->job == job.job) || (status && status->slurm_job == job.job) ||
           (picture.output && picture.output->job == job.job && picture.output->tail.ended);
  };
  const bool runs = std::any_of(jobs.begin(), jobs.end(), [](const auto& job) { return job.running; });
  const bool starts =
      std::any_of(jobs.begin(), jobs.end(), [&](const auto& job) { return job.running && !is_over(job); });
  const bool waits = std::any_of(jobs.begin(), jobs.end(), [](const auto& job) { return !job.running; });
  switch (following) {
    case Following::next_allocation:
      return starts ? Following::starting : waits || runs ? following : Following::nobody;
    case Following::a_word:
      return runs ? following : waits ? Following::queued : Following::nobody;
    case Following::starting:
    case Following::script_lost:
      return starts ? Following::starting : waits ? Following::queued : Following::script_lost;
    default:
      return starts ? Following::starting : waits ? Following::queued : following;
  }
}

}  // namespace

const char* name_of(Following following) {
  constexpr const char* kNames[] = {"",       "first run", "a word",   "next allocation", "chain end",
                                    "nobody", "queued",    "starting", "before run",      "script lost"};
  return kNames[static_cast<std::size_t>(following)];
}

const ChainWord* last_word(const RunPicture& picture) {
  return memory_is_of_the_last_run(picture) && picture.chain->word ? &*picture.chain->word : nullptr;
}

Following following_of(const RunPicture& picture) {
  if (!picture.scripts || !picture.scripts->runs_instead.empty() || is_under_way(picture)) return Following::nothing;
  const auto following = by_files(picture);
  return picture.queue ? by_queue(following, picture) : following;
}

bool goes_on_by_itself(Following following) {
  switch (following) {
    case Following::first_run:
    case Following::a_word:
    case Following::next_allocation:
    case Following::queued:
    case Following::starting:
      return true;
    default:
      return false;
  }
}

std::string cluster_of(const RunPicture& picture) {
  if (picture.output && picture.output->after_status && !picture.output->tail.cluster.empty())
    return picture.output->tail.cluster;
  if (const auto* word = last_word(picture); word != nullptr && !word->cluster.empty()) return word->cluster;
  const auto& status = *picture.status;
  return status ? status->slurm_cluster : "";
}

bool is_run_by_script(const RunPicture& picture) {
  if (!picture.scripts) return false;
  const auto& status = *picture.status;
  return status ? !status->slurm_job.empty() : picture.life.life == Life::not_started;
}

std::string command_again(const RunPicture& picture, const std::string& more) {
  const auto& status = *picture.status;
  // run.json is written once all images are scanned: a run that did not come so far is in the status alone.
  auto command = status && !status->command.empty() ? status->command : picture.facts->command;
  const bool is_new = std::find(command.begin(), command.end(), more) == command.end();
  if (!command.empty() && !more.empty() && is_new) command.push_back(more);
  return shell_words(command);
}

std::string line_to_go_on(const RunPicture& picture, const std::string& more) {
  if (picture.scripts && !picture.scripts->runs_instead.empty()) return picture.scripts->to_write_again;
  if (!is_run_by_script(picture)) return command_again(picture, more);
  return picture.scripts->submit + (more.empty() ? "" : " " + more);
}

}  // namespace runner
