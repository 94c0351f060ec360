// The program's version, as files that it writes have it.
#pragma once

namespace storage {
inline constexpr const char* kProgramVersion = "0.1.0";
}  // namespace storage
