// Workers inside this process: supervisors, each with a trainer process of its own. Knows nothing of tasks.
#include <poll.h>

#include <algorithm>
#include <map>

#include "runner/link.hpp"

namespace runner {
namespace {

using workers::Seconds;
using workers::Supervisor;
using workers::WorkerId;

// The end of a trainer is seen by waitpid only, so no nap is longer.
constexpr Seconds kLongestNap{0.02};

class LocalLink : public Link {
 public:
  LocalLink(std::vector<workers::SupervisorOptions> options, const workers::Clock& clock) {
    int id = 0;
    for (workers::SupervisorOptions& each : options) {
      supervisors_.emplace(WorkerId{++id}, std::make_unique<Supervisor>(std::move(each), clock));
    }
  }

  std::vector<WorkerId> workers() const override {
    std::vector<WorkerId> ids;
    for (const auto& [id, supervisor] : supervisors_) {
      ids.push_back(id);
    }
    return ids;
  }

  void send(WorkerId worker, const workers::ToWorker& message) override {
    if (const auto found = supervisors_.find(worker); found != supervisors_.end()) {
      found->second->handle(message);
    }
  }

  std::vector<Incoming> receive(Seconds wait) override {
    const Seconds end = workers::steady_seconds() + wait;
    while (true) {
      std::vector<Incoming> arrived = poll_supervisors();
      const Seconds left = end - workers::steady_seconds();
      if (!arrived.empty() || left <= Seconds(0) || !nap(std::min(left, kLongestNap))) {
        return arrived;
      }
    }
  }

  std::vector<Loss> losses() override { return {}; }  // a supervisor inside this process does not get lost

  void drop(WorkerId worker) override { supervisors_.erase(worker); }

 private:
  std::vector<Incoming> poll_supervisors() {
    std::vector<Incoming> arrived;
    for (const auto& [id, supervisor] : supervisors_) {
      supervisor->poll();
      for (workers::ToCoordinator& message : supervisor->take_outgoing()) {
        arrived.push_back({id, std::move(message)});
      }
    }
    return arrived;
  }

  // Until a trainer says something. False when a signal came: whoever asked wants to look at it.
  bool nap(Seconds longest) const {
    std::vector<pollfd> descriptors;
    for (const auto& [id, supervisor] : supervisors_) {
      if (supervisor->descriptor() >= 0) {
        descriptors.push_back({supervisor->descriptor(), POLLIN, 0});
      }
    }
    const int milliseconds = std::max(1, static_cast<int>(longest.count() * 1000));
    return ::poll(descriptors.data(), descriptors.size(), milliseconds) >= 0;
  }

  std::map<WorkerId, std::unique_ptr<Supervisor>> supervisors_;
};

}  // namespace

std::unique_ptr<Link> make_local_link(std::vector<workers::SupervisorOptions> workers, workers::Clock clock) {
  return std::make_unique<LocalLink>(std::move(workers), clock);
}

}  // namespace runner
