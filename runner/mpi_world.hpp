// The only file pair that includes <mpi.h>. Point-to-point messages, MPI_Iprobe and short sleeps;
// no collectives after start-up.
#pragma once

#include <memory>
#include <string>

#include "runner/link.hpp"

namespace runner {

/// True when mpirun or srun --mpi=pmix started this process (OMPI_*, PMIX_* or PMI_* say so) and MPI was built in.
bool launched_by_mpi();

/// This process's number among those of a launcher, by its variables and without MPI; nothing where there is none.
std::optional<int> launcher_rank();

/// Throws UsageError when the launcher started more processes than this one knows of: srun without --mpi=pmix (every
/// task would believe itself alone), or mpirun with a program built without MPI. `world_size`: MpiWorld::size(), or 1
/// without MPI.
void check_world(int world_size);

/// How long a worker waits for a word from rank 0, which says one every 2 s.
inline constexpr workers::Seconds kCoordinatorDeadline{120};
/// How long MPI itself may take to start.
inline constexpr workers::Seconds kMpiStartDeadline{300};
/// How long rank 0 waits for the farewell of a worker that was told to shut down.
inline constexpr workers::Seconds kPatience{15};
/// How long the others wait for rank 0 to have read its sweep, journal and data sets.
inline constexpr workers::Seconds kStartDeadline{3600};

/// MPI_Init_thread .. MPI_Finalize. Built without MPI, constructing it throws storage::UsageError. Call every member
/// from one thread.
class MpiWorld {
 public:
  /// Ends the process when MPI has not started by then.
  explicit MpiWorld(workers::Seconds start_deadline = kMpiStartDeadline);
  /// Rank 0: `finish`, had it not been called, but returning in any case. Other ranks: say goodbye to rank 0 if they
  /// have not. Then MPI_Finalize, left out where a rank is known to be lost: it would wait for the dead.
  ~MpiWorld();
  int rank() const;
  int size() const;
  /// Before the first task: rank 0 tells every other rank a number, which each hears once. Hearing throws
  /// storage::Error after `kStartDeadline` without a word.
  void tell_all(int number);
  int hear_from_first();
  /// Rank 0's link to ranks 1 .. size-1; worker ids are ranks. It may not outlive this.
  std::unique_ptr<Link> coordinator_link();
  /// A worker rank: serves until told to shut down, or until rank 0 was silent for `coordinator_deadline`.
  void serve(const workers::SupervisorOptions& options, const workers::Clock& clock,
             workers::Seconds coordinator_deadline = kCoordinatorDeadline);
  /// A worker rank that refuses to work ends at once: no goodbye, no MPI_Finalize, at which it would wait for the end
  /// of the sweep. mpirun then ends the other ranks, with its status (with --enable-recovery, they go on without it).
  void leave_without_farewell();
  /// The last thing that rank 0 does, everything else being closed. Tells workers that were not told yet to shut down
  /// and waits for the farewells, at most `patience`. When all ranks are there, it returns and the destructor
  /// finalises. When one is lost, MPI_Finalize would hang, so it ends all ranks by MPI_Abort with this exit status and
  /// does not return. (Open MPI 4.1: with --enable-recovery, mpirun itself returns 0 whatever its ranks return, so a
  /// script has to read the status from DIR/exit_status.) Without effect on other ranks.
  void finish(int exit_status, workers::Seconds patience = kPatience);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runner
