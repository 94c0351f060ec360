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

}  // namespace

const char* name_of(Following following) {
  constexpr const char* kNames[] = {"", "first run", "a word", "next allocation", "chain end", "nobody"};
  return kNames[static_cast<std::size_t>(following)];
}

const ChainWord* last_word(const RunPicture& picture) {
  return memory_is_of_the_last_run(picture) && picture.chain->word ? &*picture.chain->word : nullptr;
}

Following following_of(const RunPicture& picture) {
  if (!picture.scripts || is_under_way(picture)) return Following::nothing;
  if (const auto* word = last_word(picture)) return word->again ? Following::next_allocation : Following::chain_end;
  if (picture.life.life == Life::not_started) return Following::first_run;
  const bool unknown = !*picture.status || memory_is_of_the_last_run(picture);
  if (unknown || !would_be_asked(picture)) return Following::nothing;
  return picture.quiet_seconds <= kWordSeconds ? Following::a_word : Following::nobody;
}

bool goes_on_by_itself(Following following) {
  return following == Following::first_run || following == Following::a_word || following == Following::next_allocation;
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
  if (!is_run_by_script(picture)) return command_again(picture, more);
  return picture.scripts->submit + (more.empty() ? "" : " " + more);
}

}  // namespace runner
