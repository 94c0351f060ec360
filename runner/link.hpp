// How the coordinator's loop talks to its workers: local supervisors, or ranks over MPI. One code path, two links.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workers/messages.hpp"
#include "workers/supervisor.hpp"

namespace runner {

class Link {
 public:
  struct Incoming {
    workers::WorkerId worker;
    workers::ToCoordinator message;
  };
  struct Loss {
    workers::WorkerId worker;
    std::string why;
  };
  virtual ~Link() = default;
  virtual std::vector<workers::WorkerId> workers() const = 0;
  virtual void send(workers::WorkerId worker, const workers::ToWorker& message) = 0;
  /// Whatever has arrived; waits at most `wait` for it, without spinning.
  virtual std::vector<Incoming> receive(workers::Seconds wait) = 0;
  /// Workers found dead since the last call.
  virtual std::vector<Loss> losses() = 0;
  /// A worker is given up: it is sent nothing but StartAnew and Shutdown until it greets again, and not waited for.
  virtual void drop(workers::WorkerId worker) = 0;
};

/// Supervisors inside this process, each with a trainer process.
std::unique_ptr<Link> make_local_link(std::vector<workers::SupervisorOptions> workers, workers::Clock clock);

}  // namespace runner
