// The order in which ready tasks go out. Knows nothing of workers but what they have worked on before.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "runner/coordinator.hpp"

namespace runner {

inline bool is_training(const PlannedTask& task) {
  return std::holds_alternative<workers::TrainTask>(task.what);
}

/// Feature tasks go before trainings, since trainings wait for them. Within a kind the longest goes first, ties by
/// TaskId; but a worker that has worked on a task's affinity takes the longest such task, unless that is less than half
/// as long as the longest of all: a long task that starts late would end after all others. Every operation is
/// logarithmic in the number of ready tasks.
class ReadyTasks {
 public:
  void insert(const PlannedTask& task);
  void erase(const PlannedTask& task);
  bool empty() const { return queues_[0].all.empty() && queues_[1].all.empty(); }

  /// Whether what is next is a training, no feature task, and some need other features than these. Trainings without
  /// an affinity do not count.
  bool has_trainings_beyond(const std::deque<std::string>& affinities) const;
  /// The task to give to a worker that has worked on `affinities`; only tasks that `may` allows.
  std::optional<TaskId> choose(const std::deque<std::string>& affinities, const std::function<bool(TaskId)>& may) const;

 private:
  struct Key {
    double cost;
    TaskId id;
    bool operator<(const Key& other) const { return cost != other.cost ? cost > other.cost : id < other.id; }
  };
  using Keys = std::set<Key>;
  struct Queue {
    Keys all;
    std::unordered_map<std::string, Keys> by_affinity;  ///< no empty sets; tasks without affinity are not in it
  };
  static std::optional<Key> first(const Keys& keys, const std::function<bool(TaskId)>& may);
  static std::optional<Key> first(const Queue& queue, const std::deque<std::string>& affinities,
                                  const std::function<bool(TaskId)>& may);

  std::array<Queue, 2> queues_;  ///< feature tasks, trainings
};

}  // namespace runner
