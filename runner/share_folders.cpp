// Reads names, and the number of shares in a script.
#include "runner/share_folders.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "runner/script_place.hpp"
#include "runner/shell_text.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/is_there.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

using storage::is_there;

bool holds_a_run(const fs::path& directory) {
  return is_there(directory / "run.json") || is_there(directory / "status.json") ||
         is_there(directory / "journal.jsonl");
}

/// A whole number from 1 on, written as we do.
std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_one = error == std::errc() && end == text.data() + text.size() && number >= 1 &&
                      number <= sweeps::kMostShares && text.front() != '0';
  return is_one ? std::optional(number) : std::nullopt;
}

/// As `plume-bench slurm` wrote it: `out=DIR/share-"$SLURM_ARRAY_TASK_ID"-of-8`.
std::optional<int> shares_of_scripts(const fs::path& directory) {
  constexpr std::uintmax_t kMostBytes = 1 << 20;
  constexpr std::string_view kBefore = "/share-\"$SLURM_ARRAY_TASK_ID\"-of-";
  const auto script = directory / "slurm" / "share.sbatch";
  if (!is_there(script)) return std::nullopt;
  try {
    const auto text = storage::read_regular_file(script, kMostBytes);
    const auto at = text.find(kBefore);
    if (at == std::string::npos) return std::nullopt;
    const auto from = at + kBefore.size();
    return number_of(std::string_view(text).substr(from, text.find_first_not_of("0123456789", from) - from));
  } catch (const storage::Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<sweeps::Share> share_called(std::string_view folder) {
  constexpr std::string_view kBegin = "share-", kMiddle = "-of-";
  if (!folder.starts_with(kBegin)) return std::nullopt;
  folder.remove_prefix(kBegin.size());
  const auto middle = folder.find(kMiddle);
  if (middle == std::string_view::npos || middle == 0) return std::nullopt;
  const auto number = number_of(folder.substr(0, middle));
  const auto of = number_of(folder.substr(std::min(middle + kMiddle.size(), folder.size())));
  if (!number || !of || *number > *of) return std::nullopt;
  return sweeps::Share{*number, *of};
}

std::optional<int> shares_in(const fs::path& directory) {
  if (holds_a_run(directory)) return std::nullopt;
  if (const auto shares = shares_of_scripts(directory)) return shares;
  std::map<int, int> folders;  // of each number of shares
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const auto share = share_called(entry.path().filename().string());
    std::error_code ignored;
    if (share && entry.is_directory(ignored)) ++folders[share->of];
  }
  if (folders.empty()) return std::nullopt;
  return std::max_element(folders.begin(), folders.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
}

void refuse_a_folder_of_something_else(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error) || ::access(directory.c_str(), R_OK | X_OK) != 0) return;
  const bool has_traces = is_there(directory / "lock") || is_there(directory / "slurm") ||
                          is_there(directory / "logs") || is_there(directory / "chain.json");
  if (has_traces || holds_a_run(directory) || shares_in(directory) || fs::is_empty(directory, error)) return;
  throw storage::UsageError(
      fmt::format("{}: nothing of a run is in it (no run.json, no journal.jsonl, no slurm/); give the --out of a "
                  "`plume-bench run` or `plume-bench slurm`",
                  directory.string()));
}

bool is_awaited(const fs::path& directory) {
  std::error_code ignored;
  if (fs::exists(directory, ignored)) return false;
  const auto scripts = scripts_of(directory);
  const auto parent = folder_of_array(directory);
  if (!scripts || parent.empty()) return false;
  const auto share =
      share_called((fs::absolute(directory, ignored) / ".").lexically_normal().parent_path().filename().string());
  return !scripts->task || (share && share->of == shares_in(parent));
}

std::string share_folder(int number, int of) {
  return number == 0 ? "features" : fmt::format("share-{}-of-{}", number, of);
}

std::string command_of_shares(const std::string& command, const fs::path& directory, int of) {
  return fmt::format("plume-bench {} {}/share-*-of-{} --out {}", command, shell_word(directory.string()), of,
                     shell_word((directory / "report").string()));
}

}  // namespace runner
