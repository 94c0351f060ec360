// Processes of this host that are workers: their end is seen at once, where a heartbeat would take half a minute to
// be missed. Knows nothing of ranks; a process that cannot be watched is only not watched.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "storage/descriptor.hpp"
#include "workers/messages.hpp"

namespace runner {

class ProcessWatch {
 public:
  /// Watches the worker that greeted, if it is a process of this host that runs this program: in a container of its own
  /// the same number may be somebody else's.
  void add(workers::WorkerId worker, const workers::Hello& hello);
  void forget(workers::WorkerId worker) { watched_.erase(worker); }
  struct Ended {
    workers::WorkerId worker;
    std::string why;  ///< one line
  };
  /// Those whose process has ended since the last call; each once.
  std::vector<Ended> take_ended();

 private:
  struct Watched {
    int pid = 0;
    storage::Descriptor process;  ///< a pidfd: no other process can take its place
  };
  std::map<workers::WorkerId, Watched> watched_;
};

}  // namespace runner
