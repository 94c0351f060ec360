// Matches workers with GPUs: as many workers as can have a place, spread evenly, by augmenting paths.
#include "runner/gpu_placement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "storage/error.hpp"

namespace runner {
namespace {

std::string places(std::size_t gpus, int workers_per_gpu) {
  return fmt::format("{} GPU(s), {} worker(s) each", gpus, workers_per_gpu);
}

std::string listed(const std::vector<WorkerId>& workers) {
  constexpr std::size_t kMostListed = 8;
  std::vector<int> ids;
  for (std::size_t i = 0; i < std::min(workers.size(), kMostListed); ++i) ids.push_back(workers[i].value);
  return fmt::format("worker{} {}{} leave{}", workers.size() == 1 ? "" : "s", fmt::join(ids, ", "),
                     workers.size() > kMostListed ? fmt::format(" and {} more", workers.size() - kMostListed) : "",
                     workers.size() == 1 ? "s" : "");
}

}  // namespace

void GpuPlacement::expect(const std::vector<WorkerId>& workers, double now) {
  expected_.insert(workers.begin(), workers.end());
  if (!since_) since_ = now;
}

void GpuPlacement::greet(WorkerId worker, const workers::Hello& hello) {
  leave(worker);
  waiting_[worker] = {hello.host, hello.visible};
}

void GpuPlacement::leave(WorkerId worker) {
  expected_.erase(worker);
  waiting_.erase(worker);
  taken_.erase(worker);
}

bool GpuPlacement::may_decide(double now) const {
  if (waiting_.empty()) return false;
  return decided_ || expected_.empty() || (since_ && now - *since_ >= patience_);
}

Decisions GpuPlacement::decide(double now) {
  Decisions decisions;
  if (!may_decide(now)) return decisions;
  for (const auto& [worker, each] : waiting_) {
    if (each.visible.refusal.empty()) continue;
    decisions.refusal = fmt::format("worker {} ({}): {}", worker.value, each.host, each.visible.refusal);
    return decisions;
  }
  if (!decided_) {
    on_gpus_ =
        std::any_of(waiting_.begin(), waiting_.end(), [](const auto& w) { return !w.second.visible.gpus.empty(); });
  }
  decided_ = true;
  repeat_notes(decisions);
  if (on_gpus_) {
    place_on_gpus(decisions);
  } else {
    place_on_cpus(decisions);
  }
  waiting_.clear();
  return decisions;
}

std::optional<workers::Gpu> GpuPlacement::gpu_of(WorkerId worker) const {
  const auto found = last_placed_.find(worker);
  return found == last_placed_.end() ? std::nullopt : std::optional(found->second);
}

void GpuPlacement::place_on_gpus(Decisions& decisions) {
  const Matching matching = match();
  std::vector<WorkerId> without_place;
  for (const auto& [worker, each] : waiting_) {
    const auto match = matching.gpu_of.find(worker);
    if (match == matching.gpu_of.end()) {
      without_place.push_back(worker);
      decisions.surplus.push_back({worker});
      continue;
    }
    const auto& gpus = each.visible.gpus;
    const auto gpu = std::find_if(gpus.begin(), gpus.end(), [&](const auto& g) { return g.uuid == match->second; });
    taken_[worker] = gpu->uuid;
    last_placed_[worker] = *gpu;
    decisions.placed.push_back({worker, *gpu});
  }
  explain(without_place, decisions);
}

void GpuPlacement::place_on_cpus(Decisions& decisions) {
  std::set<std::string> hosts;
  for (const auto& [worker, each] : waiting_) {
    last_placed_.erase(worker);
    decisions.placed.push_back({worker, std::nullopt});
    if (!each.visible.gpus.empty()) hosts.insert(each.host);
  }
  for (const auto& host : hosts) {
    decisions.lines.push_back(
        fmt::format("{}: its GPUs are not used: the run began on CPUs, and results of both do not mix", host));
  }
}

// ---- matching
// ------------------------------------------------------------------------------------------------------------

void GpuPlacement::Matching::put(WorkerId worker, const std::string& uuid) {
  const auto before = gpu_of.find(worker);
  if (before != gpu_of.end()) undecided_on[before->second].erase(worker);
  gpu_of[worker] = uuid;
  undecided_on[uuid].insert(worker);
}

bool GpuPlacement::Matching::has_room(const std::string& uuid, int capacity) const {
  const auto fixed = fixed_on.find(uuid);
  const auto undecided = undecided_on.find(uuid);
  const std::size_t taken = (fixed == fixed_on.end() ? 0 : static_cast<std::size_t>(fixed->second)) +
                            (undecided == undecided_on.end() ? 0 : undecided->second.size());
  return taken < static_cast<std::size_t>(capacity);
}

/// One more worker a GPU in each round, so that no GPU gets a second one while another has none.
GpuPlacement::Matching GpuPlacement::match() const {
  Matching matching;
  for (const auto& [worker, uuid] : taken_) ++matching.fixed_on[uuid];
  for (int capacity = 1; capacity <= workers_per_gpu_; ++capacity) {
    for (const auto& [worker, each] : waiting_) {
      std::set<std::string> tried;
      if (matching.gpu_of.count(worker) == 0) find_place(worker, capacity, matching, tried);
    }
  }
  return matching;
}

/// Gives `worker` a place, moving others that are not decided yet where that helps. False where nothing does.
bool GpuPlacement::find_place(WorkerId worker, int capacity, Matching& matching, std::set<std::string>& tried) const {
  const auto& gpus = waiting_.at(worker).visible.gpus;
  for (const auto& gpu : gpus) {
    if (!matching.has_room(gpu.uuid, capacity)) continue;
    matching.put(worker, gpu.uuid);
    return true;
  }
  for (const auto& gpu : gpus) {
    if (!tried.insert(gpu.uuid).second) continue;
    const auto others = matching.undecided_on[gpu.uuid];
    for (const WorkerId other : others) {
      if (!find_place(other, capacity, matching, tried)) continue;
      matching.put(worker, gpu.uuid);
      return true;
    }
  }
  return false;
}

// ---- what people read
// ------------------------------------------------------------------------------------------------------

/// The workers of a host see the same and say the same: once is enough.
void GpuPlacement::repeat_notes(Decisions& decisions) {
  for (const auto& [worker, each] : waiting_) {
    for (const auto& note : each.visible.notes) {
      const auto line = fmt::format("{}: {}", each.host, note);
      if (repeated_.insert(line).second) decisions.lines.push_back(line);
    }
  }
}

void GpuPlacement::explain(const std::vector<WorkerId>& without_place, Decisions& decisions) const {
  struct Left {
    std::vector<WorkerId> see_none, see_some;
    std::set<std::string> gpus;
  };
  std::map<std::string, Left> by_host;
  for (const WorkerId worker : without_place) {
    const Waiting& each = waiting_.at(worker);
    Left& left = by_host[each.host];
    (each.visible.gpus.empty() ? left.see_none : left.see_some).push_back(worker);
    for (const auto& gpu : each.visible.gpus) left.gpus.insert(gpu.uuid);
  }
  for (const auto& [host, left] : by_host) {
    if (!left.see_some.empty()) {
      decisions.lines.push_back(fmt::format("{}: {}: {}, and all places are taken (--workers-per-gpu {} gives more)",
                                            host, listed(left.see_some), places(left.gpus.size(), workers_per_gpu_),
                                            workers_per_gpu_ + 1));
    }
    if (!left.see_none.empty()) {
      decisions.lines.push_back(fmt::format(
          "{}: {}: no GPU is to be seen there while others have one, and results of CPUs and GPUs do not mix", host,
          listed(left.see_none)));
    }
  }
}

std::optional<int> local_workers(std::optional<int> asked, int workers_per_gpu, const workers::VisibleGpus& visible) {
  if (!visible.refusal.empty()) throw storage::UsageError(visible.refusal);
  const int gpus = static_cast<int>(visible.gpus.size());
  if (gpus == 0) return asked;
  const int most = gpus * workers_per_gpu;
  if (!asked) return most;
  if (*asked <= most) return asked;
  throw storage::UsageError(
      fmt::format("--workers {}: this process may use {}; give --workers {}, or --workers-per-gpu {}", *asked,
                  places(visible.gpus.size(), workers_per_gpu), most, (*asked + gpus - 1) / gpus));
}

}  // namespace runner
