// Which machine and what time it is, as written into files and messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace storage {

/// gethostname, or "host" where it has none.
std::string host_name();

/// UTC to the second, e.g. "2026-11-27T20:15:03Z".
std::string utc_now();

/// When a process of this host started, in clock ticks after boot: tells a reused process id apart. Absent when it is
/// gone, or dead and only not waited for: in a container that may stay so for ever.
std::optional<std::int64_t> start_of_process(std::int64_t pid);

}  // namespace storage
