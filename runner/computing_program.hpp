// The program that computes lies beside the one that runs: loading LibTorch costs some 0.3 s and 200 MB, which
// coordinators, ranks, `status` and `report` are spared.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace runner {

/// What plume-compute of this build answers to --version.
std::string computing_version();

/// The file of the program that this process runs. Throws storage::Error.
std::filesystem::path own_program();

/// `plume-compute` in the folder of own_program(). Throws storage::Error naming it where there is no such program.
std::filesystem::path computing_program();

/// Starts it and has it say its version. Throws storage::Error, naming it and why, where it cannot be started (LibTorch
/// is not found), says nothing within the deadline, or is of another build.
void check_computing_program(std::chrono::duration<double> deadline);

/// Makes this process computing_program(), with the same arguments, descriptors and signals. Throws storage::Error.
[[noreturn]] void become_computing_program(char** argv);
/// The first thing in a process that may have been another's until then. `computes`: it is plume-compute. Throws
/// storage::Error where it is not what that one wanted to become: it would become it again and again.
void check_what_became(bool computes);

}  // namespace runner
