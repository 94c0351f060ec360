// Whether something lies at a path.
#pragma once

#include <filesystem>
#include <system_error>

namespace storage {

/// False also for a path that cannot be looked at; never throws.
inline bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace storage
