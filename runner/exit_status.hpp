// DIR/exit_status: the exit status of the last run, for scripts. Open MPI's `mpirun --enable-recovery` returns 0
// whatever its ranks return.
#pragma once

#include <filesystem>

namespace runner {

/// Where a run begins: as long as there is no file, the run is at work or was killed.
void forget_exit_status(const std::filesystem::path& directory);
/// Last of all: `status` and a newline, whole or not at all.
void record_exit_status(const std::filesystem::path& directory, int status);

}  // namespace runner
