// The program's version, as printed and as kept in run.json.
#pragma once

namespace runner {
inline constexpr const char* kVersion = "0.1.0";
}  // namespace runner
