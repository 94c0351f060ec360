// The workers' schedule, in a thread, and the two ends of the mail.
#include "benchmarks/simulated_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "benchmarks/scale_sweep.hpp"
#include "runner/sweep_run.hpp"

namespace benchmarks {
namespace {

constexpr double kHeartbeatEvery = 2;  // as workers/supervisor.hpp has it
constexpr const char* kStarted = "2026-01-01T00:00:00Z";

double now() {
  return workers::steady_seconds().count();
}

}  // namespace

SimulatedRanks::SimulatedRanks(const Behaviour& behaviour)
    : behaviour_(behaviour),
      has_trained_(static_cast<std::size_t>(behaviour.workers) + 1, false),
      result_said_(static_cast<std::size_t>(behaviour.workers) + 1, -1) {
  thread_ = std::thread([this] { live(); });
}

SimulatedRanks::~SimulatedRanks() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  posted_something_.notify_all();
  thread_.join();
}

// ---- the coordinator's thread
// -----------------------------------------------------------------------------------------

SimulatedRanks::Reading SimulatedRanks::read() {
  timespec processor{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &processor);
  return {now(), static_cast<double>(processor.tv_sec) + 1e-9 * static_cast<double>(processor.tv_nsec),
          syncs_of_this_thread(), writes_of_this_thread()};
}

/// The loop asks for more only when it has done with what it had.
void SimulatedRanks::note_handled(double at) {
  for (const Said& said : in_hand_) {
    watched_.ages.push_back(static_cast<float>(at - said.due));
    ++watched_.messages;
    watched_.results += said.is_result ? 1 : 0;
  }
  if (!in_hand_.empty()) end_ = read();
  in_hand_.clear();
}

std::vector<runner::Letter> SimulatedRanks::collect() {
  if (!start_ && training_) end_ = *(start_ = read());
  start_ ? note_handled(now()) : in_hand_.clear();
  {
    const std::lock_guard lock(mutex_);
    in_hand_.swap(said_);
  }
  std::vector<runner::Letter> letters;
  for (Said& said : in_hand_) {
    if (said.is_result) result_said_[static_cast<std::size_t>(said.letter.source)] = said.due;
    letters.push_back(std::move(said.letter));
  }
  return letters;
}

void SimulatedRanks::post(int rank, std::string bytes) {
  if (bytes.empty()) return;  // a sign of life
  double& said = result_said_.at(static_cast<std::size_t>(rank));
  if (said >= 0) watched_.gaps.push_back(static_cast<float>(now() - said));
  said = -1;
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back({rank, std::move(bytes)});
  }
  posted_something_.notify_one();
}

Watched SimulatedRanks::finish() {
  const double at = now();
  note_handled(at);
  const std::lock_guard lock(mutex_);
  for (const Said& said : said_) watched_.ages.push_back(static_cast<float>(at - said.due));
  watched_.unread = static_cast<std::int64_t>(said_.size());
  watched_.said_late = said_late_;
  if (!start_) return watched_;
  const auto between = [](const CallTotals& from, const CallTotals& to) {
    return CallTotals{to.calls - from.calls, to.seconds - from.seconds};
  };
  watched_.seconds = end_.clock - start_->clock;
  watched_.processor_seconds = end_.processor - start_->processor;
  watched_.syncs = between(start_->syncs, end_.syncs);
  watched_.writes = between(start_->writes, end_.writes);
  return watched_;
}

// ---- the workers' thread
// ----------------------------------------------------------------------------------------------

void SimulatedRanks::live() {
  for (int rank = 1; rank <= behaviour_.workers; ++rank) {
    greet(rank);
    schedule_.push({now() + kHeartbeatEvery * rank / behaviour_.workers, rank, Says::heartbeat});
  }
  std::vector<runner::Letter> heard;
  while (true) {
    wait_for_something();
    {
      const std::lock_guard lock(mutex_);
      if (over_) return;
      heard.swap(posted_);
    }
    for (const auto& letter : heard) hear(letter.source, workers::decode_to_worker(letter.bytes));
    heard.clear();
    for (const double at = now(); schedule_.top().at <= at;) {  // a heartbeat of each is always in it
      const Due due = schedule_.top();
      schedule_.pop();
      speak(due);
    }
    if (stop_at_ >= 0 && now() >= stop_at_) runner::stopping_asked() = runner::Stopping::now;
  }
}

void SimulatedRanks::wait_for_something() {
  std::unique_lock lock(mutex_);
  const auto seconds = std::clamp(schedule_.top().at - now(), 0.0, kHeartbeatEvery);
  posted_something_.wait_for(lock, std::chrono::duration<double>(seconds),
                             [this] { return over_ || !posted_.empty(); });
}

void SimulatedRanks::hear(int rank, const workers::ToWorker& message) {
  if (const auto* assign = std::get_if<workers::Assign>(&message)) return take(rank, *assign);
  if (std::holds_alternative<workers::Shutdown>(message)) return say(rank, workers::Goodbye{}, now());
  if (std::holds_alternative<workers::StartAnew>(message)) greet(rank);  // it was given up, and begins anew
}

void SimulatedRanks::greet(int rank) {
  workers::Hello hello;
  hello.host = "simulated";
  hello.pid = rank;
  say(rank, hello, now());
}

void SimulatedRanks::take(int rank, const workers::Assign& assign) {
  if (const auto* what = std::get_if<workers::TrainTask>(&assign.what)) return train(rank, assign, *what);
  const auto output = task_runner_.run(
      assign.what, [] {}, [](const auto&) {});
  if (const auto* made = std::get_if<workers::Assembled>(&output)) {
    checksums_[std::get<workers::AssembleTask>(assign.what).recipe.id] = made->checksum;
  }
  say(rank, workers::TaskDone{assign.task, assign.attempt, output, 0, kStarted}, now());
}

void SimulatedRanks::train(int rank, const workers::Assign& assign, const workers::TrainTask& what) {
  const double at = now();
  if (!training_.exchange(true) && behaviour_.seconds > 0) stop_at_ = at + behaviour_.seconds;
  Training& training = trainings_[rank];
  training = {assign.task,
              assign.attempt,
              {what.train_id, checksums_.at(what.train_id)},
              {what.test_id, checksums_.at(what.test_id)}};
  if (behaviour_.epochs_per_second <= 0) {
    training.next_epoch = behaviour_.epochs;
    return speak({at, rank, Says::done});
  }
  training.seconds_an_epoch = 1 / behaviour_.epochs_per_second;
  // At the start the workers are somewhere in their trainings, not all at their beginning.
  if (!has_trained_[static_cast<std::size_t>(rank)]) {
    has_trained_[static_cast<std::size_t>(rank)] = true;
    training.next_epoch = static_cast<int>(std::int64_t{rank} * behaviour_.epochs / (behaviour_.workers + 1));
    const double share = static_cast<double>(rank * 7 % 10) / 10;
    return schedule_.push({at + share * training.seconds_an_epoch, rank, Says::epoch});
  }
  schedule_.push({at + training.seconds_an_epoch, rank, Says::epoch});
}

void SimulatedRanks::speak(const Due& due) {
  if (due.what == Says::heartbeat) {
    say(due.rank, workers::Heartbeat{}, due.at);
    return schedule_.push({due.at + kHeartbeatEvery, due.rank, Says::heartbeat});
  }
  Training& training = trainings_.at(due.rank);
  const auto draw = static_cast<std::uint64_t>(training.task.value);
  if (due.what == Says::done) {
    const auto result = plausible_result(behaviour_.epochs, draw, training.train, training.test);
    const double wall = behaviour_.epochs * training.seconds_an_epoch;
    return say(due.rank, workers::TaskDone{training.task, training.attempt, workers::Trained{result}, wall, kStarted},
               due.at, true);
  }
  say(due.rank, workers::EpochDone{training.task, training.attempt, plausible_epoch(training.next_epoch, draw)},
      due.at);
  const bool last = ++training.next_epoch == behaviour_.epochs;
  if (last) return speak({due.at, due.rank, Says::done});
  schedule_.push({due.at + training.seconds_an_epoch, due.rank, Says::epoch});
}

void SimulatedRanks::say(int rank, const workers::ToCoordinator& message, double due, bool is_result) {
  Said said{{rank, workers::encode(message)}, due, is_result};
  const std::lock_guard lock(mutex_);
  said_.push_back(std::move(said));
  if (training_) said_late_ = std::max(said_late_, now() - due);
}

}  // namespace benchmarks
