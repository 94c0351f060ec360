// Which machine and what time it is, as written into files and messages.
#pragma once

#include <string>

namespace storage {

/// gethostname, or "host" where it has none.
std::string host_name();

/// UTC to the second, e.g. "2026-11-27T20:15:03Z".
std::string utc_now();

}  // namespace storage
