// The program's version, as printed and as kept in run.json.
#pragma once

#include "storage/program_version.hpp"

namespace runner {
inline constexpr const char* kVersion = storage::kProgramVersion;
}  // namespace runner
