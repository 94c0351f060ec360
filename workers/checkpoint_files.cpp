// Names, finds and removes checkpoints.
#include "workers/checkpoint_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace workers {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeyDigits = 32;
constexpr const char* kName = "checkpoint";
constexpr std::string_view kTemporary = "checkpoint.tmp.";

struct AttemptName {
  sweeps::JobKey key;
  int attempt = 0;
};

/// "<32 hexadecimal digits>-<attempt>"
std::optional<AttemptName> attempt_of(std::string_view name) {
  constexpr std::string_view kHexadecimal = "0123456789abcdef";
  if (name.size() < kKeyDigits + 2 || name[kKeyDigits] != '-' || name.find_first_not_of(kHexadecimal) != kKeyDigits) {
    return std::nullopt;
  }
  AttemptName found{{std::string(name.substr(0, kKeyDigits))}, 0};
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kKeyDigits + 1, end, found.attempt);
  if (error != std::errc() || stop != end || found.attempt < 1) return std::nullopt;
  return found;
}

/// Calls `visit(name, folder)` for each attempt's folder.
template <typename Visit>
void visit_attempts(const fs::path& attempts, const Visit& visit) {
  std::error_code error;
  fs::directory_iterator entry(attempts, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (const auto name = attempt_of(entry->path().filename().native())) visit(*name, entry->path());
  }
}

void clear(const fs::path& folder, bool keep_whole) {
  std::vector<fs::path> gone;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if ((name == kName && !keep_whole) || name.starts_with(kTemporary)) gone.push_back(entry->path());
  }
  std::error_code ignored;
  for (const auto& file : gone) fs::remove_all(file, ignored);
  if (!gone.empty()) fs::remove(folder, ignored);  // fails while anything else is in it
}

}  // namespace

fs::path attempt_folder(const fs::path& attempts, const sweeps::JobKey& key, int attempt) {
  return attempts / fmt::format("{}-{}", key.hex, attempt);
}

fs::path checkpoint_file(const fs::path& attempts, const sweeps::JobKey& key, int attempt) {
  return attempt_folder(attempts, key, attempt) / kName;
}

std::vector<FoundCheckpoint> find_checkpoints(const fs::path& attempts) {
  std::vector<FoundCheckpoint> found;
  visit_attempts(attempts, [&](const AttemptName& name, const fs::path& folder) {
    std::error_code error;
    const fs::path file = folder / kName;
    if (fs::exists(fs::symlink_status(file, error))) found.push_back({name.key, name.attempt, file});
  });
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return std::tie(a.key, a.attempt) < std::tie(b.key, b.attempt); });
  return found;
}

void remove_checkpoint(const fs::path& attempts, const sweeps::JobKey& key, int attempt) {
  clear(attempt_folder(attempts, key, attempt), false);
}

void remove_checkpoints(const fs::path& attempts, const sweeps::JobKey& key, int below, bool keep_whole) {
  std::vector<fs::path> folders;
  visit_attempts(attempts, [&](const AttemptName& name, const fs::path& folder) {
    if (name.key == key && name.attempt < below) folders.push_back(folder);
  });
  for (const auto& folder : folders) clear(folder, keep_whole);
}

}  // namespace workers
