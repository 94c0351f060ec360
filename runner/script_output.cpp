// Finds the newest file and reads its end.
#include "runner/script_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <iterator>
#include <vector>

#include "runner/status_file.hpp"
#include "storage/printable.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 64 * 1024;
constexpr std::size_t kLongestLine = 300;
constexpr std::uintmax_t kFull = 4096;  // not a block more

/// The digits before ".out" in "plume-s-12.out".
std::string job_of(const fs::path& file) {
  const auto stem = file.stem().string();
  const auto digits = stem.substr(stem.rfind('-') + 1);
  const bool is_number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? digits : "";
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<int> number_after(std::string_view line, std::string_view words) {
  const auto at = line.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  int value = 0;
  const auto rest = line.substr(at + words.size());
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

bool is_start(std::string_view line) {
  return line.find("Z allocation ") == 19 && line.find(", start ") != std::string_view::npos;
}
bool is_end(std::string_view line) {
  return line.find("Z script of allocation ") == 19 && line.find(" ends") != std::string_view::npos;
}

/// The program's own last word, else the last line that sounds like a failure, else the last one.
std::string_view telling_line(const std::vector<std::string_view>& lines) {
  constexpr std::array<std::string_view, 8> kFailure{"rror",   "ailed", "annot",    "not found",
                                                     "o such", "enied", "No space", "not enough"};
  const auto last = [&](const auto& is_it) {
    const auto found = std::find_if(lines.rbegin(), lines.rend(), is_it);
    return found == lines.rend() ? std::string_view() : *found;
  };
  const auto own = last([](auto line) { return line.starts_with("plume-bench: "); });
  if (!own.empty()) return own;
  const auto failure = last([&](auto line) {
    return std::any_of(kFailure.begin(), kFailure.end(),
                       [&](auto word) { return line.find(word) != std::string_view::npos; });
  });
  return !failure.empty() || lines.empty() ? failure : lines.back();
}

std::string end_of(const fs::path& file) {
  // A pipe in its place is not waited for.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return "";
  const auto bytes = ::lseek(descriptor, 0, SEEK_END);
  std::string text(std::min(kMostBytes, static_cast<std::size_t>(std::max<off_t>(bytes, 0))), '\0');
  const auto got = ::pread(descriptor, text.data(), text.size(), bytes - static_cast<off_t>(text.size()));
  ::close(descriptor);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

}  // namespace

bool was_told_to_end(const OutputTail& tail) {
  return tail.exit_status == kTerminated && tail.telling.find("DUE TO TIME LIMIT") == std::string::npos;
}

OutputTail read_tail(std::string_view text) {
  auto lines = lines_of(text);
  OutputTail tail;
  const auto start = std::find_if(lines.rbegin(), lines.rend(), is_start);
  if (start != lines.rend()) {
    tail.restart = number_after(*start, ", start ").value_or(-1);
    constexpr std::string_view kCluster = ", cluster ";
    const auto cluster = start->rfind(kCluster);
    if (cluster != std::string_view::npos) tail.cluster = start->substr(cluster + kCluster.size());
    lines.erase(lines.begin(), start.base());
  }
  const auto end = std::find_if(lines.rbegin(), lines.rend(), is_end);
  if (end != lines.rend()) {
    tail.ended = true;
    tail.before_its_run = end->find(" ends before its run") != std::string_view::npos;
    tail.exit_status = number_after(*end, "exit status ");
    lines.erase(std::next(end).base());
  }
  tail.telling = storage::printable_line(telling_line(lines), kLongestLine);
  // Of a script that an earlier version wrote.
  if (!tail.ended && tail.telling.ends_with("; nothing was run")) tail.ended = tail.before_its_run = true;
  return tail;
}

OutputTail tail_of(const fs::path& output) {
  return read_tail(end_of(output));
}

fs::path output_of(const fs::path& folder, const std::string& id) {
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
    std::error_code ignored;
    const auto name = file->path().filename().string();
    if (name.ends_with("-" + id + ".out") && file->is_regular_file(ignored)) return file->path();
  }
  return {};
}

std::optional<ScriptOutput> newest_output(const fs::path& directory) {
  std::error_code error;
  ScriptOutput newest;
  fs::file_time_type written;
  for (fs::directory_iterator file(directory / "slurm", error), end; !error && file != end; file.increment(error)) {
    std::error_code ignored;
    if (file->path().extension() != ".out" || !file->is_regular_file(ignored)) continue;
    const auto time = file->last_write_time(ignored);
    if (ignored || (!newest.file.empty() && time <= written)) continue;
    newest.file = file->path();
    written = time;
  }
  if (newest.file.empty()) return std::nullopt;
  newest.job = job_of(newest.file);
  newest.tail = tail_of(newest.file);
  const auto status = fs::last_write_time(status_file(directory), error);
  newest.after_status = error || written > status;
  const std::chrono::duration<double> quiet = fs::file_time_type::clock::now() - written;
  newest.quiet_seconds = std::max(0.0, quiet.count());
  const auto space = fs::space(directory, error);
  newest.disk_is_full = !error && space.available < kFull;
  return newest;
}

}  // namespace runner
