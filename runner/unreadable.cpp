// Asks the system for this user's permission.
#include "runner/unreadable.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "runner/script_place.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string why_unreadable(const fs::path& path) {
  std::error_code ignored;
  const int mode = fs::is_directory(path, ignored) ? R_OK | X_OK : R_OK;
  if (::access(path.c_str(), mode) == 0 || errno != EACCES) return "";
  return fmt::format("{}: cannot be read by this user: {}", path.string(), std::system_category().message(EACCES));
}

std::string why_unreadable_run(const fs::path& directory) {
  for (const auto& path : {directory, directory / "run.json", directory / "journal.jsonl", directory / "status.json"}) {
    if (auto why = why_unreadable(path); !why.empty()) return why;
  }
  return "";
}

std::string why_unreadable_scripts(const fs::path& directory) {
  if (auto why = why_unreadable(directory / "slurm"); !why.empty()) return why;
  const auto parent = folder_of_array(directory);
  return parent.empty() ? "" : why_unreadable(parent / "slurm");
}

}  // namespace runner
