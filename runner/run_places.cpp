// Asks the system, which knows of read-only file systems too.
#include "runner/run_places.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "storage/error.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// Why no file can be made in a folder that is there; nothing where one can.
std::optional<std::string> why_not_writable(const fs::path& folder) {
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return std::nullopt;
  return std::system_category().message(errno);
}

[[noreturn]] void refuse_directory(const fs::path& directory, const std::string& what) {
  throw storage::UsageError(fmt::format("--out {}: {}; give one that you may write to", directory.string(), what));
}

[[noreturn]] void refuse_cache(const fs::path& cache, const std::string& why) {
  throw storage::UsageError(
      fmt::format("{}: the feature cache cannot be made here: {}; give another folder with --cache, or as \"cache\" of "
                  "the site file",
                  cache.string(), why));
}

/// One that another user has closed is there, and a run could not even look into it.
void refuse_closed(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error) || ::access(directory.c_str(), X_OK) == 0) return;
  refuse_directory(directory,
                   fmt::format("it is there, and this user cannot use it: {}", std::system_category().message(errno)));
}

void check_writable(const fs::path& directory) {
  for (const auto& folder : {directory, directory / "logs"}) {
    std::error_code ignored;
    if (!fs::exists(folder, ignored)) continue;
    if (const auto why = why_not_writable(folder)) {
      refuse_directory(directory, fmt::format("{} cannot be written to: {}", folder.string(), *why));
    }
  }
}

/// Why a folder that is not there could not be made; nothing where it could, or is there.
std::optional<std::string> why_not_makeable(fs::path folder) {
  std::error_code error;
  folder = fs::absolute(folder, error);
  if (fs::is_directory(folder, error)) return std::nullopt;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  if (!fs::is_directory(folder, error)) return std::system_category().message(ENOTDIR);
  return why_not_writable(folder);
}

}  // namespace

void make_directory(const fs::path& directory) {
  refuse_closed(directory);
  std::error_code error;
  fs::create_directories(directory / "logs", error);
  if (error) refuse_directory(directory, "the directory cannot be made: " + error.message());
  check_writable(directory);
}

void check_directory(const fs::path& directory) {
  refuse_closed(directory);
  if (const auto why = why_not_makeable(directory / "logs")) {
    refuse_directory(directory, "the directory cannot be made: " + *why);
  }
  check_writable(directory);
}

void make_cache(const fs::path& cache) {
  std::error_code error;
  fs::create_directories(cache, error);
  if (!error && fs::is_directory(cache)) return;
  refuse_cache(cache, error ? error.message() : "it is no folder");
}

void check_cache(const fs::path& cache) {
  if (const auto why = why_not_makeable(cache)) refuse_cache(cache, *why);
}

void check_cache_for(const std::string& what, const fs::path& cache) {
  std::error_code ignored;
  if (!fs::exists(cache, ignored)) return check_cache(cache);
  if (const auto why = why_not_writable(cache)) {
    throw storage::UsageError(fmt::format(
        "{}: {} must be made, and the feature cache cannot be written to: {}; give another folder with --cache, or as "
        "\"cache\" of the site file",
        cache.string(), what, *why));
  }
}

}  // namespace runner
