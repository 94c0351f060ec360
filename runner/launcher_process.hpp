// The process that started this rank (mpirun, or its daemon on another host): no rank outlives it, and at the end of a
// run that lost a host it is made to end. Knows no MPI.
#pragma once

#include "workers/supervisor.hpp"

namespace runner {

/// From now on this process ends when its parent does, at once and whatever it is doing. What a coordinator has
/// committed is durable, and trainers die with their supervisors. Takes SIGUSR2: where anybody else sends it, its
/// handler calls `otherwise`.
void end_with_launcher(void (*otherwise)() = nullptr);

/// How long mpirun may take to end by itself after rank 0 asked it to.
inline constexpr workers::Seconds kLauncherPatience{10};

/// The last thing that rank 0 does when a rank is lost: Open MPI 4.1's mpirun waits for the daemon of a host that is
/// cut off, and would hold the other hosts for a quarter of an hour. A process left behind for that sends it SIGTERM,
/// and at last SIGKILL, if it has not ended by itself. Without effect when the parent is no mpirun.
void end_launcher_at_last(workers::Seconds patience = kLauncherPatience);

}  // namespace runner
