// Started by mpi_world_test.cpp under mpirun with 3 ranks: rank 0 drives two workers whose trainer is fake_trainer.
// Arguments: what to do, the trainer, a folder for logs. Prints "rank R: ..." lines; any surprise is printed and ends
// with status 1.
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <map>
#include <stdexcept>

#include "runner/mpi_world.hpp"
#include "tests/workers/orders.hpp"

namespace {

using runner::Link;
using runner::MpiWorld;
using workers::Seconds;
using workers::WorkerId;

constexpr Seconds kPatience{30};

void expect(bool right, const std::string& what) {
  if (!right) {
    throw std::runtime_error("not so: " + what);
  }
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Receives until `count` messages of type T came; gives them back by worker.
template <typename T>
std::map<WorkerId, std::vector<T>> wait_for(Link& link, std::size_t count) {
  std::map<WorkerId, std::vector<T>> found;
  const Seconds end = workers::steady_seconds() + kPatience;
  while (count > 0) {
    expect(workers::steady_seconds() < end, "messages come in time");
    for (auto& [worker, message] : link.receive(Seconds(1))) {
      if (T* wanted = std::get_if<T>(&message)) {
        found[worker].push_back(std::move(*wanted));
        --count;
      }
    }
  }
  return found;
}

std::string payload_for(int worker) {
  return std::string(5'000'000, static_cast<char>('a' + worker));
}

void exchange_large(Link& link) {
  for (const WorkerId worker : link.workers()) {
    link.send(worker, tests::assign(worker.value, "echo", payload_for(worker.value)));
  }
  const auto done = wait_for<workers::TaskDone>(link, 2);
  for (const WorkerId worker : link.workers()) {
    const auto& output = std::get<workers::Assembled>(done.at(worker).at(0).output);
    expect(output.checksum == payload_for(worker.value), "5 MB come back unchanged");
  }
}

void exchange_many(Link& link) {
  constexpr int kEpochs = 2000;
  for (const WorkerId worker : link.workers()) {
    link.send(worker, tests::assign(10 + worker.value, fmt::format("epochs {}", kEpochs)));
  }
  const auto epochs = wait_for<workers::EpochDone>(link, 2 * kEpochs);
  for (const WorkerId worker : link.workers()) {
    for (int i = 0; i < kEpochs; ++i) {
      expect(epochs.at(worker).at(static_cast<std::size_t>(i)).epoch.epoch == i, "small messages keep their order");
    }
  }
}

/// Were the small message to overtake the large one, the worker would leave without a word about its task.
void large_before_small(Link& link) {
  for (const WorkerId worker : link.workers()) {
    link.send(worker, tests::assign(20, "echo", payload_for(worker.value)));
    link.send(worker, workers::Shutdown{});
  }
  for (const auto& [worker, failures] : wait_for<workers::TaskFailed>(link, 2)) {
    expect(failures.at(0).cause == workers::Cause::drained, "a task that came before Shutdown is given back");
  }
}

void idle(const std::function<void()>& what, int rank) {
  const double cpu_before = cpu_seconds();
  const Seconds begin = workers::steady_seconds();
  what();
  const double wall = (workers::steady_seconds() - begin).count();
  const double share = (cpu_seconds() - cpu_before) / wall;
  fmt::print("rank {}: idle for {:.1f} s with {:.2f} % of a core\n", rank, wall, 100 * share);
  expect(wall >= 3 && share < 0.05, "an idle rank sleeps");
}

void receive_for(Link& link, Seconds time) {
  const Seconds end = workers::steady_seconds() + time;
  while (workers::steady_seconds() < end) {
    link.receive(end - workers::steady_seconds());
  }
}

void lose_rank_two(Link& link) {
  receive_for(link, Seconds(2));  // rank 2 has died by now; nobody says so
  link.drop(WorkerId{2});
  link.send(WorkerId{1}, tests::assign(1, "finish"));
  wait_for<workers::TaskDone>(link, 1);
  fmt::print("rank 0: rank 1 finished its task without rank 2\n");
  std::fflush(stdout);
}

int coordinate(MpiWorld& world, const std::string& mode) {
  const auto link = world.coordinator_link();
  expect(link->workers().size() == 2, "two workers");
  world.tell_all(42);
  const auto hellos = wait_for<workers::Hello>(*link, 2);
  expect(hellos.size() == 2, "each greets");
  if (mode == "exchange") {
    exchange_large(*link);
    exchange_many(*link);
    large_before_small(*link);
  } else if (mode == "idle") {
    idle([&] { receive_for(*link, Seconds(3.2)); }, 0);
  } else if (mode == "killed") {
    raise(SIGKILL);
  } else if (mode == "lost") {
    lose_rank_two(*link);
  }
  const int status = mode == "status" ? 4 : 0;
  world.finish(status, mode == "lost" ? Seconds(1) : runner::kPatience);
  fmt::print("rank 0: all said goodbye\n");
  return status;
}

int work(MpiWorld& world, const std::string& mode, const workers::SupervisorOptions& options) {
  expect(world.hear_from_first() == 42, "the number that rank 0 told");
  if (mode == "lost" && world.rank() == 2) {
    const itimerval half_a_second{{0, 0}, {0, 500'000}};
    setitimer(ITIMER_REAL, &half_a_second, nullptr);  // SIGALRM ends it
  }
  const auto serve = [&] {
    world.serve(options, workers::steady_seconds, mode == "killed" ? Seconds(3) : runner::kCoordinatorDeadline);
  };
  if (mode == "idle") {
    idle(serve, world.rank());
  } else {
    serve();
  }
  fmt::print("rank {}: served\n", world.rank());
  std::fflush(stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    expect(argc == 4, "three arguments");
    MpiWorld world;
    expect(world.size() == 3, fmt::format("3 ranks, not {}", world.size()));
    runner::check_world(world.size());
    workers::SupervisorOptions options;
    options.trainer_command = {argv[2]};
    options.log_folder = argv[3];
    options.name = fmt::format("worker-{}", world.rank());
    return world.rank() == 0 ? coordinate(world, argv[1]) : work(world, argv[1], options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    _Exit(1);
  }
}
