// The program that computes lies beside the one that runs: loading LibTorch costs half a second and 200 MB, which
// coordinators, ranks, `status` and `report` are spared.
#pragma once

#include <filesystem>

namespace runner {

/// The file of the program that this process runs. Throws storage::Error.
std::filesystem::path own_program();

/// `plume-compute` in the folder of own_program(). Throws storage::Error naming it where it cannot be run.
std::filesystem::path computing_program();

/// Makes this process computing_program(), with the same arguments, descriptors and signals. Throws storage::Error.
[[noreturn]] void become_computing_program(char** argv);

}  // namespace runner
