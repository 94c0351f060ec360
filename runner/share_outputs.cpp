// Reads the ends of output files.
#include "runner/share_outputs.hpp"

#include <charconv>
#include <string_view>

#include "sweeps/share.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// "plume-small-features-7.out" -> 0, "plume-small-share-8_3.out" -> 3; nothing for other names.
std::optional<int> part_of(std::string_view name) {
  constexpr std::string_view kBegin = "plume-", kFeatures = "-features-", kShare = "-share-", kEnd = ".out";
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return std::nullopt;
  name.remove_suffix(kEnd.size());
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const auto features = name.rfind(kFeatures);
  if (features != std::string_view::npos && is_number(name.substr(features + kFeatures.size()))) return 0;
  const auto share = name.rfind(kShare), task = name.rfind('_');
  if (share == std::string_view::npos || task == std::string_view::npos || task < share) return std::nullopt;
  int number = 0;
  const auto [end, error] = std::from_chars(name.data() + task + 1, name.data() + name.size(), number);
  const bool is_one =
      error == std::errc() && end == name.data() + name.size() && number >= 1 && number <= sweeps::kMostShares;
  return is_one ? std::optional(number) : std::nullopt;
}

}  // namespace

ShareOutputs::ShareOutputs(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const auto part = part_of(entry.path().filename().string());
    std::error_code ignored;
    const auto written = part ? entry.last_write_time(ignored) : fs::file_time_type::min();
    if (!part || ignored) continue;
    const auto known = latest_.find(*part);
    if (known == latest_.end() || known->second.written < written) {
      latest_.insert_or_assign(*part, Output{entry.path(), written});
    }
  }
}

std::optional<fs::path> ShareOutputs::latest_of(int number) const {
  const auto found = latest_.find(number);
  return found == latest_.end() ? std::nullopt : std::optional(found->second.file);
}

}  // namespace runner
