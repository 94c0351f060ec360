// Sizes of files, for people.
#pragma once

#include <cstdint>
#include <string>

namespace runner {

/// "0.72 GB" from 0.1 GB on, "1.2 MB" from 1 MB on, else "38 kB".
std::string size_text(std::int64_t bytes);

}  // namespace runner
