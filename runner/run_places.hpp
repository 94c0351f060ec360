// The folders of a run: made, or only looked at, whether a run could write there.
#pragma once

#include <filesystem>
#include <string>

namespace runner {

/// DIR and DIR/logs; throws UsageError where they cannot be made or written to.
void make_directory(const std::filesystem::path& directory);
/// Throws as make_directory would, and makes nothing.
void check_directory(const std::filesystem::path& directory);

/// Before anything is scanned into it. One that may only be read may hold all that is needed.
void make_cache(const std::filesystem::path& cache);
void check_cache(const std::filesystem::path& cache);
/// Only where something must be made; else hours of work would end at the first write. Throws UsageError.
void check_cache_for(const std::string& what, const std::filesystem::path& cache);

}  // namespace runner
