// Which worker computes on which GPU. Pure: greetings and the time in, decisions out. Knows no link and no coordinator;
// the rules are explained in runner/README.md.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "workers/messages.hpp"

namespace runner {

using workers::WorkerId;

/// A worker may begin: on this GPU, or on the CPU.
struct Placed {
  WorkerId worker;
  std::optional<workers::Gpu> gpu;
  bool operator==(const Placed&) const = default;
};
/// There is no place for it: it should leave.
struct Surplus {
  WorkerId worker;
  bool operator==(const Surplus&) const = default;
};

struct Decisions {
  std::vector<Placed> placed;      ///< by WorkerId
  std::vector<Surplus> surplus;    ///< by WorkerId
  std::vector<std::string> lines;  ///< for people: why workers leave, one line a host; GPUs that stay unused
  std::string refusal;             ///< why the run may not go on until a setting is mended, one line; "" as a rule
};

class GpuPlacement {
 public:
  /// The first decision waits for the expected workers, but at most `patience` seconds.
  GpuPlacement(int workers_per_gpu, double patience) : workers_per_gpu_(workers_per_gpu), patience_(patience) {}

  /// Workers that were started and should greet.
  void expect(const std::vector<WorkerId>& workers, double now);
  /// A worker greets, or greets anew: whatever it had is free then.
  void greet(WorkerId worker, const workers::Hello& hello);
  /// It is lost or has left: its place is free.
  void leave(WorkerId worker);
  /// What can be decided now about those that have greeted. They are decided together, so that no worker takes the only
  /// GPU that another one sees while it sees two; later ones get what is free.
  Decisions decide(double now);

  /// The GPU that a worker was placed on, also after it has left; absent: none.
  std::optional<workers::Gpu> gpu_of(WorkerId worker) const;

 private:
  struct Waiting {
    std::string host;
    workers::VisibleGpus visible;
  };
  /// Who would be where.
  struct Matching {
    std::map<WorkerId, std::string> gpu_of;
    std::map<std::string, std::set<WorkerId>> undecided_on;  // by UUID; these may still be moved
    std::map<std::string, int> fixed_on;                     // by UUID; how many are placed for good
    void put(WorkerId worker, const std::string& uuid);
    bool has_room(const std::string& uuid, int capacity) const;
  };

  bool may_decide(double now) const;
  Matching match() const;
  bool find_place(WorkerId worker, int capacity, Matching& matching, std::set<std::string>& tried) const;
  void place_on_gpus(Decisions& decisions);
  void place_on_cpus(Decisions& decisions);
  void repeat_notes(Decisions& decisions);
  void explain(const std::vector<WorkerId>& without_place, Decisions& decisions) const;

  int workers_per_gpu_;
  double patience_;
  std::set<WorkerId> expected_;
  std::optional<double> since_;  // when workers began to be expected
  bool decided_ = false;         // once
  bool on_gpus_ = false;         // the run computes on GPUs
  std::map<WorkerId, Waiting> waiting_;
  std::set<std::string> repeated_;                // notes of workers, with their hosts
  std::map<WorkerId, std::string> taken_;         // by workers that are there
  std::map<WorkerId, workers::Gpu> last_placed_;  // and by those that were
};

/// Local workers: `asked` (--workers), else one for each place on a GPU; absent: there are no GPUs and nothing was
/// asked. Throws UsageError with the flag that mends it where more are asked for than there are places.
std::optional<int> local_workers(std::optional<int> asked, int workers_per_gpu, const workers::VisibleGpus& visible);

}  // namespace runner
