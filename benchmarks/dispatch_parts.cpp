// Times the parts.
#include "benchmarks/dispatch_parts.hpp"

#include <fmt/format.h>

#include <chrono>
#include <deque>
#include <functional>

#include "benchmarks/scale_sweep.hpp"
#include "results/journal.hpp"
#include "runner/coordinator.hpp"

namespace benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

runner::PlannedTask training(std::int64_t id) {
  runner::PlannedTask task;
  task.id = {id};
  workers::TrainTask what;
  what.job.dataset = kDataset;
  what.job.backbone = "features";
  what.job.seed = static_cast<std::uint64_t>(id);
  what.job.training.dimension = 6;
  what.job.training.learning_rate = 0.001;
  what.job.normal_class = "class-0";
  what.train_file = what.test_file = "/scratch/cache/0123456789abcdef0123456789abcdef.h5";
  what.train_id = what.test_id = "0123456789abcdef0123456789abcdef";
  what.train_identity = what.test_identity = std::string(200, 'x');
  task.what = std::move(what);
  task.affinity = "features";
  task.name = fmt::format("vectors/class-0 lambda 5 seed {}", id);
  return task;
}

workers::TaskDone done_of(const workers::TaskId task, int epochs) {
  const auto result = plausible_result(epochs, static_cast<std::uint64_t>(task.value), {"id", "sum"}, {"id", "sum"});
  return {task, {1}, workers::Trained{result}, 10, "2026-01-01T00:00:00Z"};
}

}  // namespace

double machine_microseconds(std::int64_t tasks, int workers) {
  runner::TasksAdded added;
  for (std::int64_t id = 0; id < tasks; ++id) added.tasks.push_back(training(id));
  const workers::TaskOutput output = workers::Trained{plausible_result(1, 0, {}, {})};
  std::deque<std::pair<runner::WorkerId, workers::Assign>> running;
  runner::Coordinator coordinator{runner::Budgets()};
  double clock = 0;
  const auto hand = [&](const runner::Event& event) {
    for (auto& action : coordinator.on(event, clock += 1e-6)) {
      auto* send = std::get_if<runner::Send>(&action);
      auto* assign = send == nullptr ? nullptr : std::get_if<workers::Assign>(&send->message);
      if (assign != nullptr) running.emplace_back(send->worker, std::move(*assign));
    }
  };
  const auto start = Clock::now();
  hand(added);
  hand(runner::NoMoreTasks{});
  for (int worker = 1; worker <= workers; ++worker) hand(runner::FromWorker{{worker}, workers::Hello{}});
  while (!running.empty()) {
    const auto [worker, assign] = std::move(running.front());
    running.pop_front();
    hand(runner::FromWorker{worker, workers::TaskDone{assign.task, assign.attempt, output, 10, ""}});
  }
  if (!coordinator.finished()) throw std::logic_error("the coordinator did not finish");
  return microseconds_since(start) / static_cast<double>(tasks);
}

JobParts part_microseconds(const std::filesystem::path& folder, int times, int epochs) {
  std::vector<std::string> texts;
  for (int id = 0; id < times; ++id) texts.push_back(workers::encode(workers::ToCoordinator(done_of({id}, epochs))));
  std::vector<runner::PlannedTask> tasks;
  for (int id = 0; id < times; ++id) tasks.push_back(training(id));

  JobParts parts;
  const auto each = [times](const std::function<void(std::size_t)>& work) {
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) work(static_cast<std::size_t>(i));
    return microseconds_since(start) / times;
  };
  std::vector<workers::ToCoordinator> messages(texts.size());
  parts.decode_done = each([&](std::size_t i) { messages[i] = workers::decode_to_coordinator(texts[i]); });

  const auto file = folder / "parts.jsonl";
  results::Journal journal(file, results::replay_journal(file));
  results::Ledger ledger;
  double sync = 0;
  const double both = each([&](std::size_t i) {
    const auto& done = std::get<workers::TaskDone>(messages[i]);
    const results::Entry entry = results::Done{std::get<workers::TrainTask>(tasks[i].what).job,
                                               1,
                                               std::get<workers::Trained>(done.output).result,
                                               {done.wall_seconds, "simulated", done.started}};
    journal.append(entry);
    ledger.apply(entry);
    const auto start = Clock::now();
    journal.sync();
    sync += microseconds_since(start);
  });
  parts.sync = sync / times;
  parts.journal_line = both - parts.sync;
  std::size_t bytes = 0;
  parts.encode_assign = each([&](std::size_t i) {
    bytes += workers::encode(workers::ToWorker(workers::Assign{tasks[i].id, {1}, tasks[i].what})).size();
  });
  if (bytes == 0) throw std::logic_error("nothing was encoded");
  return parts;
}

}  // namespace benchmarks
