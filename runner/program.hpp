// What plume-bench and plume-compute have in common: everything but what computes.
#pragma once

#include "runner/commands.hpp"

namespace runner {

/// The whole of main(): run_command_line (there: `computing`), errors turned into an exit status.
int run_program(int argc, char** argv, const Computing* computing);

}  // namespace runner
