// Looks for files by their names.
#include "runner/script_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "runner/shell_text.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// Without "." and slashes at its end, so that its last part is its name.
fs::path with_its_name(const fs::path& directory) {
  const auto plain = [](const fs::path& path) { return path.has_filename() ? path : path.parent_path(); };
  const auto path = plain(directory.lexically_normal());
  const auto name = path.filename();
  std::error_code ignored;
  return name == "." || name == ".." ? plain(fs::absolute(path, ignored).lexically_normal()) : path;
}

/// The script of the form array whose runs lie in a directory of that name; "" for any other name.
const char* script_for(const std::string& name) {
  if (name == "features") return "extract.sbatch";
  const bool is_share = name.rfind("share-", 0) == 0 && name.find("-of-") != std::string::npos;
  return is_share ? "share.sbatch" : "";
}

/// The 3 of "share-3-of-8".
std::optional<int> task_in(const std::string& name) {
  int task = 0;
  const auto from = name.data() + std::min(name.size(), name.find('-') + 1);
  const auto [end, error] = std::from_chars(from, name.data() + name.size(), task);
  return error == std::errc() && task > 0 ? std::optional(task) : std::nullopt;
}

bool asks_chain(const fs::path& script) {
  std::ifstream lines(script);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find_first_not_of(" \t");
    if (first != std::string::npos && line[first] != '#' && line.find(" chain \"$out\"") != std::string::npos)
      return true;
  }
  return false;
}

}  // namespace

std::optional<ScriptPlace> scripts_of(const fs::path& directory) {
  const auto run = directory / "slurm" / "run.sbatch";
  if (is_file(run)) return ScriptPlace{run, "sbatch " + shell_word(run.string()), asks_chain(run)};
  const auto line = [](const fs::path& submit) { return "bash " + shell_word(submit.string()); };
  const auto own = directory / "slurm" / "submit";
  if (is_file(own)) return ScriptPlace{own, line(own), false};
  const auto here = with_its_name(directory);
  const std::string name = script_for(here.filename().string());
  const auto folder = here.parent_path() / "slurm";
  if (name.empty() || !is_file(folder / name) || !is_file(folder / "submit")) return std::nullopt;
  const auto task = name == "share.sbatch" ? task_in(here.filename().string()) : std::nullopt;
  return ScriptPlace{folder / name, line(folder / "submit"), asks_chain(folder / name), task};
}

}  // namespace runner
