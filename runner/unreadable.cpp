// Asks the system for this user's permission.
#include "runner/unreadable.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "runner/script_place.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

std::string why_unreadable_folder_of_scripts(const fs::path& folder) {
  for (const auto& path :
       {folder, folder / "run.sbatch", folder / "share.sbatch", folder / "extract.sbatch", folder / "submit"}) {
    if (auto why = why_unreadable(path); !why.empty()) return why;
  }
  return "";
}

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
  if (auto why = why_unreadable_folder_of_scripts(directory / "slurm"); !why.empty()) return why;
  const auto parent = folder_of_array(directory);
  return parent.empty() ? "" : why_unreadable_folder_of_scripts(parent / "slurm");
}

int exit_status_with(const std::vector<std::string>& problems, const std::string& unread_scripts) {
  const auto matters = [&](const std::string& problem) { return problem != unread_scripts; };
  return std::any_of(problems.begin(), problems.end(), matters) ? 1 : 0;
}

}  // namespace runner
