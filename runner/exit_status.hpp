// DIR/exit_status: the exit status of the last run, for scripts. Open MPI's `mpirun --enable-recovery` returns 0
// whatever its ranks return.
#pragma once

#include <filesystem>

namespace runner {

/// Where a run begins: as long as there is no file, the run is at work or was killed.
void forget_exit_status(const std::filesystem::path& directory);
/// Last of all: `status` and a newline, whole or not at all.
void record_exit_status(const std::filesystem::path& directory, int status);

/// The same for the script that started this program, into the file that $PLUME_EXIT_STATUS_FILE names, if any: also
/// of a run that was refused and has no directory, or whose directory is another's or has no room. Of `run` and
/// `extract` alone, and of rank 0. Never throws: a script that finds nothing takes the run for killed.
void tell_script(int argc, char** argv, int status) noexcept;

}  // namespace runner
