// Asks the system.
#include "storage/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

namespace storage {

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "host";
  return name;
}

std::string processor_kind() {
  std::ifstream file("/proc/cpuinfo");
  return processor_kind(file);
}

std::string processor_kind(std::istream& cpuinfo) {
  constexpr std::size_t kLongest = 100;
  std::string name = "unknown processor", vectors = "no AVX2";
  bool is_named = false, has_flags = false;
  for (std::string line; !(is_named && has_flags) && std::getline(cpuinfo, line);) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("model name\t")) {
      name = value.substr(0, kLongest);
      is_named = true;
    } else if (line.starts_with("flags\t")) {
      const auto has = [flags = " " + value + " "](const char* flag) {
        return flags.find(" " + std::string(flag) + " ") != std::string::npos;
      };
      if (has("avx2")) vectors = has("avx512f") ? "AVX-512" : "AVX2";
      has_flags = true;
    }
  }
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return has_flags ? name + ", " + vectors : name;
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

std::int64_t unix_now() {
  return static_cast<std::int64_t>(std::time(nullptr));
}

std::string utc_now() {
  return utc_text(unix_now());
}

std::string utc_text(std::int64_t unix_seconds) {
  const auto time = static_cast<std::time_t>(unix_seconds);
  std::tm utc{};
  gmtime_r(&time, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::optional<std::int64_t> utc_seconds(std::string_view text) {
  const std::string copy(text);
  std::tm utc{};
  const char* end = strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  if (end == nullptr || *end != '\0') return std::nullopt;
  const auto seconds = static_cast<std::int64_t>(timegm(&utc));
  return utc_text(seconds) == text ? std::optional(seconds) : std::nullopt;  // not 31 February
}

/// Fields 3 (state) and 22 of /proc/PID/stat, counted after the last ')' because a command's name may hold anything.
std::optional<std::int64_t> start_of_process(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const auto close = line.rfind(')');
  if (close == std::string::npos) return std::nullopt;
  std::istringstream rest(line.substr(close + 1));
  const std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  constexpr std::size_t kFieldsBefore = 3;  // process id, name, and counting from one
  if (fields.size() <= 22 - kFieldsBefore || fields[0] == "Z" || fields[0] == "X") return std::nullopt;
  return std::stoll(fields[22 - kFieldsBefore]);
}

}  // namespace storage
