// Reads who made a temporary from its name, and asks the system about the process.
#include "storage/abandoned_files.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "storage/atomic_file.hpp"
#include "storage/machine.hpp"

namespace storage {
namespace {

namespace fs = std::filesystem;
constexpr int kDeepest = 2;  // as far as our folders reach: report/tables/*, scan/*.parts/*

/// Takes ".<digits>" off the end of `name`.
std::optional<long> take_number(std::string_view& name) {
  const auto dot = name.rfind('.');
  long number = 0;
  if (dot == std::string_view::npos) return std::nullopt;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + dot + 1, end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  name.remove_suffix(name.size() - dot);
  return number;
}

/// The process that made it, if `name` is that of a temporary made on this host.
std::optional<long> maker_of(std::string_view name) {
  if (!take_number(name)) return std::nullopt;
  const auto pid = take_number(name);
  if (!pid || *pid == 0 || !name.ends_with(temporary_mark())) return std::nullopt;
  return pid;
}

bool is_old(const fs::directory_entry& entry, std::chrono::seconds age) {
  std::error_code error;
  const auto written = entry.last_write_time(error);
  return !error && written + age <= fs::file_time_type::clock::now();
}

}  // namespace

std::size_t remove_abandoned_temporaries(const fs::path& folder, std::chrono::seconds older_than) {
  std::size_t removed = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry.depth() == kDeepest) entry.disable_recursion_pending();
    const auto maker = maker_of(entry->path().filename().native());
    if (!maker || start_of_process(*maker) || !is_old(*entry, older_than)) continue;
    std::error_code ignored;
    entry.disable_recursion_pending();  // a folder goes with all that is in it
    const auto count = fs::remove_all(entry->path(), ignored);
    if (!ignored && count > 0) ++removed;
  }
  return removed;
}

}  // namespace storage
