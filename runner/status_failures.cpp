// The journal has every try of every job; the status has the times of the last ones, and what befell features.
#include "runner/status_failures.hpp"

#include <algorithm>
#include <map>

namespace runner {
namespace {

constexpr const char* kDone = "done meanwhile";

/// A try that made way, and a result that was taken back, are no failures.
bool is_failure(const results::Attempt& attempt) {
  using End = results::Attempt::End;
  return attempt.end == End::failed || (attempt.end == End::ended && attempt.cause != results::kRedo &&
                                        attempt.cause != workers::name_of(workers::Cause::drained));
}

/// Ended from outside: with its worker, or with its run.
bool is_interruption(const std::string& cause) {
  return cause == workers::name_of(workers::Cause::worker_lost);
}

/// Since such a try the job has gone on: it is no news any more.
bool has_gone_on(const results::JobHistory& history, int attempt) {
  return history.done || (!history.attempts.empty() && history.attempts.back().number > attempt);
}

/// Nothing for a job none of whose tries failed, and for one that is done.
std::optional<FailureView> of_journal(const results::JobHistory& history) {
  if (history.done) return std::nullopt;
  FailureView failure;
  failure.tries = 0;
  for (const auto& attempt : history.attempts) {
    if (!is_failure(attempt)) continue;
    if (is_interruption(attempt.cause) && has_gone_on(history, attempt.number)) continue;
    ++failure.tries;
    failure.attempt = attempt.number;
    failure.cause = attempt.cause;
    failure.message = attempt.message;
    failure.worker = attempt.worker;
  }
  failure.final = history.failed.has_value();
  if (history.failed) {
    failure.attempt = history.failed->attempt;
    failure.cause = history.failed->cause;
    failure.message = history.failed->message;
    failure.tries = std::max<std::size_t>(failure.tries, 1);
  }
  return failure.tries == 0 ? std::nullopt : std::optional(failure);
}

class Failures {
 public:
  Failures(const RunPicture& picture, const JobStates& states) : picture_(picture), states_(states) {}

  std::vector<FailureView> all() {
    take_journal();
    if (*picture_.status) take_status(**picture_.status);
    std::vector<FailureView> list;
    for (auto& [what, failure] : found_) {
      if (rank_of(failure) == 2 && !is_at_work(picture_)) continue;
      list.push_back(std::move(failure));
    }
    return list;
  }

 private:
  void take_journal() {
    for (std::size_t p = 0; p < picture_.plans->size(); ++p) {
      const auto& keys = (*picture_.plans)[p].keys;
      for (std::size_t job = 0; job < keys.size(); ++job) {
        const auto* history = picture_.history->find(keys[job]);
        auto failure = history == nullptr ? std::nullopt : of_journal(*history);
        if (!failure) continue;
        failure->name = (*picture_.names)[p][job];
        failure->key = keys[job].hex;
        if (states_.of(p, job) == JobState::running) failure->now = "runs again";
        found_.insert_or_assign(failure->key, std::move(*failure));
      }
    }
  }

  void take_status(const RunStatus& status) {
    const bool features_are_made =
        std::all_of(status.features.begin(), status.features.end(), [](const auto& made) { return made.ready; });
    std::map<std::string, std::size_t> in_status;
    for (const auto& tried : status.failures) {
      if (is_old_news(tried, features_are_made)) continue;
      const auto what = tried.key.empty() ? tried.name : tried.key;
      const auto [known, is_new] = found_.try_emplace(what);
      auto& failure = known->second;
      const bool is_latest = ++in_status[what] == 1;
      if (is_latest) failure.time = tried.time;
      if (!is_new) {
        const bool in_journal = !failure.key.empty() && !is_done(failure.key);
        if (!in_journal) ++failure.tries;
        continue;
      }
      failure = FailureView{tried.time,  tried.name,    tried.key,    tried.attempt,
                            tried.cause, tried.message, tried.worker, tried.final};
      const bool is_mended = tried.key.empty() ? !tried.final && features_are_made : is_done(tried.key);
      if (is_mended) failure.now = kDone;
    }
  }

  bool is_old_news(const FailureStatus& tried, bool features_are_made) const {
    if (tried.final || !is_interruption(tried.cause)) return false;
    if (tried.key.empty()) return features_are_made;
    const auto* history = picture_.history->find({tried.key});
    return history != nullptr && has_gone_on(*history, tried.attempt);
  }

  bool is_done(const std::string& key) const {
    const auto* history = picture_.history->find({key});
    return history != nullptr && history->done;
  }

  const RunPicture& picture_;
  const JobStates& states_;
  std::map<std::string, FailureView> found_;  ///< by key, or name where there is none
};

}  // namespace

int rank_of(const FailureView& failure) {
  if (failure.now == kDone) return 2;
  return failure.final && failure.now.empty() ? 0 : 1;
}

std::string fate_of(const FailureView& failure) {
  if (!failure.now.empty()) return failure.now;
  return failure.final ? "given up" : "tried again";
}

void sort_failures(std::vector<FailureView>& failures) {
  std::stable_sort(failures.begin(), failures.end(), [](const auto& a, const auto& b) {
    const int first = rank_of(a), second = rank_of(b);
    return first != second ? first < second : a.time.value_or(0) > b.time.value_or(0);
  });
}

FailureList failures_of(const RunPicture& picture, const JobStates& states, std::size_t most) {
  FailureList list;
  list.first = Failures(picture, states).all();
  sort_failures(list.first);
  if (list.first.size() > most) {
    list.rest = list.first.size() - most;
    list.first.resize(most);
  }
  return list;
}

}  // namespace runner
