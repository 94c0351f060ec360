// Which machine and what time it is, as written into files and messages.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace storage {

/// gethostname, or "host" where it has none.
std::string host_name();

/// Which kind of processor computes, for results whose rounding may depend on it: its name as Linux says it and the widest
/// vectors that it has, e.g. "AMD EPYC, AVX-512"; printable, at most 120 characters.
std::string processor_kind();
/// The same of a file like /proc/cpuinfo.
std::string processor_kind(std::istream& cpuinfo);

/// Of the kernel, another after each boot; "" where it has none.
std::string boot_id();

/// UTC to the second, e.g. "2026-11-27T20:15:03Z".
std::string utc_now();
/// Seconds since 1970, and the same as text.
std::int64_t unix_now();
std::string utc_text(std::int64_t unix_seconds);
/// The inverse; nothing for any other text.
std::optional<std::int64_t> utc_seconds(std::string_view text);

/// When a process of this host started, in clock ticks after boot: tells a reused process id apart. Absent when it is
/// gone, or dead and only not waited for: in a container that may stay so for ever.
std::optional<std::int64_t> start_of_process(std::int64_t pid);

}  // namespace storage
