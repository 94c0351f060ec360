// Ranks that do not exist: a Mail whose workers are played by one thread of this process. They speak the real protocol,
// encoded and decoded, on a schedule that does not wait for the coordinator, and note how late it is.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/system_calls.hpp"
#include "runner/mail.hpp"
#include "workers/messages.hpp"
#include "workers/task_runner.hpp"

namespace benchmarks {

struct Behaviour {
  int workers = 1;
  double epochs_per_second = 0;  ///< of each worker; 0: a training ends in the moment in which it is assigned
  int epochs = 1;                ///< of each training
  double seconds = 0;  ///< after so long from the first training on the run is asked to stop; 0: it ends by itself
};

/// What the coordinator's thread did from the first training on.
struct Watched {
  double seconds = 0, processor_seconds = 0;
  CallTotals syncs, writes;
  std::int64_t messages = 0, results = 0;
  /// Seconds from the moment in which a worker said something until the loop had handled it and all that came with it.
  std::vector<float> ages;
  /// Seconds from the moment in which a worker said that a training is done until its next task had gone out.
  std::vector<float> gaps;
  double said_late = 0;  ///< seconds by which the simulation itself was late at most; part of the ages
  std::int64_t unread = 0;
};

class SimulatedRanks : public runner::Mail {
 public:
  explicit SimulatedRanks(const Behaviour& behaviour);
  ~SimulatedRanks() override;
  SimulatedRanks(const SimulatedRanks&) = delete;
  SimulatedRanks& operator=(const SimulatedRanks&) = delete;

  int size() const { return behaviour_.workers + 1; }
  /// Once, after the loop has ended and in its thread.
  Watched finish();

  void post(int rank, std::string bytes) override;
  std::vector<runner::Letter> collect() override;
  bool has_unsent(int) const override { return false; }
  std::map<int, std::string> take_failures() override { return {}; }

 private:
  enum class Says { heartbeat, epoch, done };
  struct Due {
    double at = 0;
    int rank = 0;
    Says what = Says::heartbeat;
    bool operator>(const Due& other) const { return at > other.at; }
  };
  struct Training {
    workers::TaskId task;
    workers::Attempt attempt;
    results::FeatureUse train, test;
    int next_epoch = 0;
    double seconds_an_epoch = 0;
  };
  struct Said {
    runner::Letter letter;
    double due = 0;
    bool is_result = false;
  };
  struct Reading {  ///< of the coordinator's thread
    double clock = 0, processor = 0;
    CallTotals syncs, writes;
  };

  // the workers' thread
  void live();
  void wait_for_something();
  void hear(int rank, const workers::ToWorker& message);
  void greet(int rank);
  void take(int rank, const workers::Assign& assign);
  void train(int rank, const workers::Assign& assign, const workers::TrainTask& what);
  void speak(const Due& due);
  void say(int rank, const workers::ToCoordinator& message, double due, bool is_result = false);

  static Reading read();
  void note_handled(double now);

  Behaviour behaviour_;
  workers::TaskRunner task_runner_{1};  ///< the real one, for all that comes before the trainings
  std::priority_queue<Due, std::vector<Due>, std::greater<>> schedule_;
  std::map<int, Training> trainings_;
  std::vector<bool> has_trained_;  ///< by rank
  std::map<std::string, std::string> checksums_;
  double stop_at_ = -1;

  std::mutex mutex_;
  std::condition_variable posted_something_;
  std::vector<runner::Letter> posted_;
  std::vector<Said> said_;
  bool over_ = false;
  std::atomic<bool> training_{false};

  // the coordinator's thread
  std::vector<Said> in_hand_;
  std::vector<double> result_said_;  ///< by rank; -1: none
  std::optional<Reading> start_;
  Reading end_;
  Watched watched_;
  double said_late_ = 0;  ///< of the workers' thread

  std::thread thread_;
};

}  // namespace benchmarks
