// The order in which ready tasks go out: two priority sets, each with a second index by affinity.
#include "runner/ready_tasks.hpp"

#include <algorithm>

namespace runner {

void ReadyTasks::insert(const PlannedTask& task) {
  Queue& queue = queues_[is_training(task)];
  const Key key{task.cost, task.id};
  queue.all.insert(key);
  if (!task.affinity.empty()) queue.by_affinity[task.affinity].insert(key);
}

void ReadyTasks::erase(const PlannedTask& task) {
  Queue& queue = queues_[is_training(task)];
  const Key key{task.cost, task.id};
  queue.all.erase(key);
  const auto same = queue.by_affinity.find(task.affinity);
  if (same == queue.by_affinity.end()) return;
  same->second.erase(key);
  if (same->second.empty()) queue.by_affinity.erase(same);
}

std::optional<ReadyTasks::Key> ReadyTasks::first(const Keys& keys, const std::function<bool(TaskId)>& may) {
  for (const Key& key : keys) {
    if (may(key.id)) return key;
  }
  return std::nullopt;
}

std::optional<ReadyTasks::Key> ReadyTasks::first(const Queue& queue, const std::deque<std::string>& affinities,
                                                 const std::function<bool(TaskId)>& may) {
  std::optional<Key> best;
  for (const std::string& affinity : affinities) {
    const auto same = queue.by_affinity.find(affinity);
    if (same == queue.by_affinity.end()) continue;
    const auto candidate = first(same->second, may);
    if (candidate && (!best || *candidate < *best)) best = candidate;
  }
  return best;
}

bool ReadyTasks::has_trainings_beyond(const std::deque<std::string>& affinities) const {
  const auto& [features, trainings] = queues_;
  if (!features.all.empty()) return false;
  const auto& known = trainings.by_affinity;
  const auto is_ready = [&](const std::string& affinity) { return known.count(affinity) > 0; };
  return known.size() > static_cast<std::size_t>(std::count_if(affinities.begin(), affinities.end(), is_ready));
}

std::optional<TaskId> ReadyTasks::choose(const std::deque<std::string>& affinities,
                                         const std::function<bool(TaskId)>& may) const {
  for (const Queue& queue : queues_) {
    const auto longest = first(queue.all, may);
    if (!longest) continue;
    const auto familiar = first(queue, affinities, may);
    return familiar && familiar->cost * 2 >= longest->cost ? familiar->id : longest->id;
  }
  return std::nullopt;
}

}  // namespace runner
