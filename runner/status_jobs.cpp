// Puts the journal and the status together; where they differ, whatever is durable counts.
#include "runner/status_jobs.hpp"

#include "storage/error.hpp"
#include "sweeps/backbones.hpp"

namespace runner {

bool is_at_work(const RunPicture& picture) {
  return picture.life.life == Life::working || picture.life.life == Life::silent;
}

void JobCounts::add(JobState state) {
  switch (state) {
    case JobState::done:
      ++done;
      break;
    case JobState::diverged:
      ++diverged;
      break;
    case JobState::running:
      ++running;
      break;
    case JobState::failed:
    case JobState::blocked:
      ++failed;
      break;
    case JobState::waiting:
      ++left;
      break;
    case JobState::not_chosen:
      ++not_chosen;
      break;
  }
}

JobStates::JobStates(const RunPicture& picture) : picture_(picture) {
  const auto& status = *picture_.status;
  if (!status) return;
  for (std::size_t i = 0; i < picture_.sweeps->size(); ++i) {
    if ((*picture_.sweeps)[i] == status->sweep) plan_of_run_ = static_cast<int>(i);
  }
  if (plan_of_run_ >= 0 && status->chosen) {
    chosen_ = chosen_of(*status->chosen, (*picture_.plans)[static_cast<std::size_t>(plan_of_run_)].jobs.size());
  }
  if (!is_at_work(picture_)) return;
  for (const auto& worker : status->workers) {
    if (worker.task && !worker.task->key.empty()) at_[worker.task->key] = &worker;
  }
}

const WorkerStatus* JobStates::worker_at(const sweeps::JobKey& key) const {
  const auto found = at_.find(key.hex);
  return found == at_.end() ? nullptr : found->second;
}

const FeatureStatus* JobStates::features_missing(const sweeps::Job& job) const {
  if (!*picture_.status) return nullptr;
  const auto backbone = sweeps::backbone_of(job);
  for (const auto& features : (*picture_.status)->features) {
    if (features.dataset != job.dataset || features.ready) continue;
    if (features.backbone.empty() || features.backbone == backbone) return &features;
  }
  return nullptr;
}

bool JobStates::is_left_out_by(const std::string& only, std::size_t plan, std::size_t job) const {
  if (only.empty()) return false;
  const auto [known, is_new] = left_out_.try_emplace({only, plan});
  auto& left_out = known->second;
  if (is_new) {
    const auto& jobs = (*picture_.plans)[plan];
    try {
      const auto chosen = sweeps::select_jobs(jobs, only);
      left_out.assign(jobs.jobs.size(), true);
      for (const auto each : chosen) left_out[each] = false;
    } catch (const storage::UsageError&) {
      left_out.assign(jobs.jobs.size(), false);
    }
  }
  return left_out[job];
}

JobState JobStates::of(std::size_t plan, std::size_t job) const {
  const auto& key = (*picture_.plans)[plan].keys[job];
  const auto* history = picture_.history->find(key);
  const auto* worker = worker_at(key);
  // A result that a worker is computing anew still stands; one that has just come in is no longer computed.
  const bool is_newer =
      worker != nullptr && (history == nullptr || !history->done || history->done->attempt < worker->task->attempt);
  if (is_newer) return JobState::running;
  if (history != nullptr && history->done) return history->done->diverged ? JobState::diverged : JobState::done;
  if (history != nullptr && history->failed) return JobState::failed;
  if (chosen_ && static_cast<int>(plan) == plan_of_run_ && !(*chosen_)[job]) return JobState::not_chosen;
  const auto* features = features_missing((*picture_.plans)[plan].jobs[job]);
  return features != nullptr && !features->failure.empty() ? JobState::blocked : JobState::waiting;
}

}  // namespace runner
