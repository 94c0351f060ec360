// The only file pair that includes <mpi.h>. Point-to-point messages, MPI_Iprobe and short sleeps; no collectives after start-up.
#pragma once

#include <memory>
#include <string>

#include "runner/link.hpp"

namespace runner {

/// True when this process was started by mpirun or srun --mpi=pmix (OMPI_*, PMIX_* or PMI_* say so) and MPI was built in.
bool launched_by_mpi();

/// MPI_Init_thread .. MPI_Finalize. Built without MPI, constructing it throws storage::UsageError.
class MpiWorld {
 public:
  MpiWorld();
  ~MpiWorld();
  int rank() const;
  int size() const;
  std::string host() const;
  /// Rank 0's link to ranks 1 .. size-1.
  std::unique_ptr<Link> coordinator_link();
  /// A worker rank: serves until told to shut down, or until rank 0 is gone.
  void serve(const workers::SupervisorOptions& options, const workers::Clock& clock);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runner
