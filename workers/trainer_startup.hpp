// The first thing that a trainer process does, before LibTorch is touched.
#pragma once

namespace workers {

/// Set in a trainer's environment: its supervisor's process id.
inline constexpr const char* kSupervisorPidVariable = "PLUME_SUPERVISOR_PID";

/// The process dies with its supervisor (and ends at once when that is gone already); SIGINT and SIGUSR1 are left to
/// the coordinator, which drains; the kernel's out of memory killer takes this process before its supervisor.
void attach_to_supervisor();

}  // namespace workers
