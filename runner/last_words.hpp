// Why a run ended as it did: the last line that it prints.
#pragma once

#include <string>

namespace runner {

/// "plume-bench: " and `line`, shown as printable_line does, to standard error. In a batch script of `slurm` to
/// standard output: there both end in one file, and launchers mix two streams in the middle of a line.
void say_last(const std::string& line);

}  // namespace runner
