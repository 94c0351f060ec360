// From a greeting to the coordinator: a worker is a worker once it has a place, on a GPU or on a CPU. What is on the
// way there is said, logged and kept in run.json.
#include <fmt/format.h>

#include <algorithm>

#include "runner/sweep_run_state.hpp"
#include "storage/error.hpp"

namespace runner {

void SweepRun::State::hear(Link::Incoming& in) {
  const FromWorker from{in.worker, std::move(in.message)};
  greet(from);
  if (sent_away.contains(from.worker)) return;
  if (const auto* hello = std::get_if<workers::Hello>(&from.message)) {
    placement->greet(from.worker, *hello);
    greetings[from.worker] = *hello;
    return;
  }
  const bool leaves = std::holds_alternative<workers::Goodbye>(from.message);
  if (leaves) placement->leave(from.worker);
  if (leaves && greetings.erase(from.worker) > 0) {
    hand(LinkLost{from.worker, "it said goodbye"});
    return;
  }
  hand(from);
}

void SweepRun::State::place_workers() {
  const Decisions decisions = placement->decide(now());
  if (!decisions.refusal.empty()) throw storage::UsageError(decisions.refusal);
  for (const auto& line : decisions.lines) warn(line);
  show_places(decisions.placed);
  note_places(decisions.placed);
  for (const auto& placed : decisions.placed) {
    if (placed.gpu) link->send(placed.worker, workers::UseGpu{placed.gpu->uuid});
    board.placed(placed.worker, placed.gpu);
    const auto greeting = greetings.extract(placed.worker);
    hand(FromWorker{placed.worker, greeting.mapped()});
  }
  send_away(decisions.surplus);
}

/// They start nothing, and their status is 0; mpirun keeps their sleeping processes until the others end.
void SweepRun::State::send_away(const std::vector<Surplus>& surplus) {
  for (const auto& each : surplus) {
    greetings.erase(each.worker);
    sent_away.insert(each.worker);
    link->send(each.worker, workers::Shutdown{});
    hand(LinkLost{each.worker, "there was no place for it"});
  }
}

/// A line for each worker on a GPU; CPUs are all the same, and a line for each host will do.
void SweepRun::State::show_places(const std::vector<Placed>& placed) {
  const auto say = [this](const std::string& line) {
    log->info(line);
    progress.message(line);
  };
  std::map<std::pair<std::string, int>, int> on_cpus;  // host and threads -> workers
  bool on_gpus = false;
  for (const auto& [worker, gpu] : placed) {
    const auto& hello = greetings.at(worker);
    if (gpu) {
      on_gpus = true;
      say(fmt::format("worker {}: {}, {}, {} thread(s)", worker.value, hello.host, text_of(*gpu), hello.threads));
    } else {
      ++on_cpus[{hello.host, hello.threads}];
    }
  }
  for (const auto& [where, count] : on_cpus) {
    say(fmt::format("{}: {} worker(s) on the CPU, {} thread(s) each", where.first, count, where.second));
  }
  if (!on_gpus || !idle_gpus.empty() || options.why_gpus_idle == nullptr) return;
  idle_gpus = options.why_gpus_idle();
  if (!idle_gpus.empty()) warn("the GPUs are not used: " + idle_gpus);
}

void SweepRun::State::note_places(const std::vector<Placed>& placed) {
  if (placed.empty()) return;
  auto& places = run_file.facts.workers;
  for (const auto& [worker, gpu] : placed) {
    const auto& hello = greetings.at(worker);
    const int number = worker.value;
    std::erase_if(places, [&](const WorkerPlace& place) { return place.worker == number; });
    places.push_back({number, hello.host, hello.threads, gpu ? gpu->uuid : "", gpu ? gpu->name : ""});
  }
  std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.worker < b.worker; });
  if (frozen) write_run_file(options.out, run_file);
}

}  // namespace runner
