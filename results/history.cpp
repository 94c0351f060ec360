// Applies lines in their order.
#include "results/history.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace results {
namespace {

Committed summary_of(Done& done) {
  const auto& result = done.result;
  Committed summary;
  summary.attempt = done.attempt;
  summary.diverged = result.outcome == Outcome::diverged;
  summary.diverged_epoch = result.diverged_epoch.value_or(0);
  summary.epochs = result.epochs.size();
  if (!result.epochs.empty()) summary.last_auc = result.epochs.back().auc();
  if (const auto best = best_epoch(result.epochs)) {
    summary.best_auc = result.epochs[*best].auc();
    summary.best_epoch = result.epochs[*best].epoch;
  }
  summary.timing = std::move(done.timing);
  summary.device = result.device;
  summary.threads = result.threads;
  return summary;
}

/// Of a note "<time> worker 3 (node17) is set aside: worker 3 (node17) failed 3 tasks in a row ...": the worker and 3.
std::optional<std::pair<std::string, std::size_t>> set_aside_in(const std::string& note) {
  const auto end = note.find(" is set aside: ");
  const auto begin = note.find("worker ");
  if (end == std::string::npos || begin == std::string::npos || begin > end) return std::nullopt;
  const auto count = note.find(" failed ", end);
  if (count == std::string::npos) return std::nullopt;
  const auto tasks = std::strtoul(note.c_str() + count + 8, nullptr, 10);
  return std::pair(note.substr(begin, end - begin), static_cast<std::size_t>(tasks));
}

}  // namespace

const Attempt* JobHistory::under_way() const {
  if (attempts.empty() || attempts.back().end != Attempt::End::none) return nullptr;
  return &attempts.back();
}

const JobHistory* History::find(const sweeps::JobKey& key) const {
  const auto found = jobs_.find(key);
  return found == jobs_.end() ? nullptr : &found->second;
}

/// By the key that it has in our engine version.
JobHistory& History::of(const sweeps::JobKey& key) {
  const auto older = older_keys_.find(key);
  return jobs_[older == older_keys_.end() ? key : older->second];
}

Attempt& History::attempt_of(const sweeps::JobKey& key, int number) {
  auto& attempts = of(key).attempts;
  const auto same = std::find_if(attempts.rbegin(), attempts.rend(), [&](const auto& a) { return a.number == number; });
  if (same != attempts.rend()) return *same;
  attempts.emplace_back();
  attempts.back().number = number;
  return attempts.back();
}

/// Tries that an older engine began are known by the key that the job had there.
sweeps::JobKey History::key_now(const sweeps::Job& job, int engine_version) {
  const auto key = sweeps::key_of(job);
  if (engine_version == sweeps::kEngineVersion) return key;
  const auto older = sweeps::key_of(job, engine_version);
  older_keys_[older] = key;
  auto begun = jobs_.extract(older);
  if (!begun.empty()) jobs_.emplace(key, std::move(begun.mapped()));
  return key;
}

void History::apply_done(Done done) {
  const auto key = key_now(done.job, done.engine_version);
  auto& attempt = attempt_of(key, done.attempt);
  attempt.end = Attempt::End::done;
  in_a_row_.erase(attempt.worker);
  auto& job = of(key);
  job.failed.reset();
  if (!job.done) job.done = summary_of(done);
  job.job = std::move(done.job);
}

void History::apply_failed(Failed failed) {
  const auto key = key_now(failed.job, failed.engine_version);
  auto& attempt = attempt_of(key, failed.attempt);
  attempt.end = Attempt::End::failed;
  attempt.cause = failed.cause;
  attempt.message = failed.message;
  count_against(attempt.worker, key, failed.attempt);
  auto& job = of(key);
  job.job = std::move(failed.job);
  failures_.push_back(key);
  if (!job.done) job.failed = GaveUp{failed.attempt, std::move(failed.cause), std::move(failed.message)};
}

void History::count_against(const std::string& worker, const sweeps::JobKey& key, int number) {
  if (!worker.empty()) in_a_row_[worker].push_back({key, number});
}

/// As the coordinator takes it: what a worker failed in a row before it was set aside is charged to no job.
void History::apply_note(const std::string& text) {
  notes_.push_back(text);
  const auto set_aside = set_aside_in(text);
  if (!set_aside) return;
  const auto row = in_a_row_.extract(set_aside->first);
  if (row.empty()) return;
  const auto& failed = row.mapped();
  for (std::size_t i = failed.size() - std::min(failed.size(), set_aside->second); i < failed.size(); ++i) {
    auto& attempt = attempt_of(failed[i].key, failed[i].number);
    attempt.uncharged = attempt.end == Attempt::End::ended;
  }
}

void History::apply(Entry entry) {
  if (auto* done = std::get_if<Done>(&entry)) return apply_done(std::move(*done));
  if (auto* failed = std::get_if<Failed>(&entry)) return apply_failed(std::move(*failed));
  if (const auto* note = std::get_if<Note>(&entry)) return apply_note(note->text);
  if (const auto* started = std::get_if<AttemptStarted>(&entry)) {
    auto& attempt = attempt_of(started->key, started->attempt);
    attempt.worker = started->worker;
    attempt.at = started->at;
    return;
  }
  auto& ended = std::get<AttemptEnded>(entry);
  auto& job = of(ended.key);
  if (ended.cause == kRedo) {
    job.done.reset();
    job.taken_back = ended.attempt;
    job.why_taken_back = std::move(ended.message);
    return;
  }
  auto& attempt = attempt_of(ended.key, ended.attempt);
  attempt.end = Attempt::End::ended;
  attempt.cause = std::move(ended.cause);
  attempt.message = std::move(ended.message);
  count_against(attempt.worker, ended.key, ended.attempt);
}

}  // namespace results
