// Asks the system.
#include "storage/machine.hpp"

#include <unistd.h>

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

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
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
