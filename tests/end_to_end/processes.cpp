// Reads /proc.
#include "tests/end_to_end/processes.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <thread>

namespace tests {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(pid_t pid) {
  return fs::path("/proc") / std::to_string(pid);
}

/// The parts of a file of /proc that are separated by zero bytes; none where it cannot be read.
std::vector<std::string> strings_in(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::string> strings;
  for (std::string one; std::getline(in, one, '\0');) strings.push_back(one);
  return strings;
}

std::string variable(const std::vector<std::string>& environment, const std::string& name) {
  for (const auto& entry : environment) {
    if (entry.rfind(name + "=", 0) == 0) return entry.substr(name.size() + 1);
  }
  return "";
}

/// Fields 3 (state), 4 (parent), 14 and 15 (user and system ticks), 22 (start), counted after the command's name, which
/// may hold anything.
bool read_stat(Process& process) {
  std::ifstream file(folder_of(process.pid) / "stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  std::istringstream rest(line.substr(line.rfind(')') + 2));
  const std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  if (fields.size() < 20) return false;
  process.state = fields[0][0];
  process.parent = std::stoi(fields[1]);
  process.cpu_ticks = std::stol(fields[11]) + std::stol(fields[12]);
  process.started = std::stoll(fields[19]);
  return process.state != 'Z' && process.state != 'X';
}

/// Of a UTS namespace, as somebody in it calls itself: mpirun says it in each rank's environment.
std::string host_of(const std::vector<std::string>& environment) {
  return variable(environment, "TWO_HOSTS_HOST");
}

Process look_at(pid_t pid) {
  Process process;
  process.pid = pid;
  if (!read_stat(process)) return {};
  process.arguments = strings_in(folder_of(pid) / "cmdline");
  const auto environment = strings_in(folder_of(pid) / "environ");
  const auto rank = variable(environment, "OMPI_COMM_WORLD_RANK");
  if (!rank.empty()) process.rank = std::stoi(rank);
  process.host = host_of(environment);
  return process;
}

}  // namespace

bool Process::runs_a_sweep() const {
  return arguments.size() > 1 && arguments[1] == "run" && fs::path(arguments[0]).filename() == "plume-bench";
}

std::vector<Process> processes_in(const fs::path& folder) {
  std::vector<Process> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto name = entry.path().filename().string();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr != name.data() + name.size()) continue;
    std::error_code error;
    if (fs::read_symlink(entry.path() / "cwd", error) != folder || error) continue;
    auto process = look_at(pid);
    if (process.pid != 0) found.push_back(std::move(process));
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.pid < b.pid; });
  return found;
}

std::vector<Process> trainers_in(const fs::path& folder) {
  auto found = processes_in(folder);
  std::erase_if(found, [](const auto& process) { return !process.is_trainer(); });
  return found;
}

std::vector<Process> runs_in(const fs::path& folder) {
  auto found = processes_in(folder);
  std::erase_if(found, [](const auto& process) { return !process.runs_a_sweep(); });
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return found;
}

Process look_again(const Process& process) {
  auto now = look_at(process.pid);
  return now.started == process.started ? now : Process{};
}

bool is_alive(const Process& process) {
  return look_again(process).pid != 0;
}

std::string text_of(const std::vector<Process>& processes) {
  std::string text;
  for (const auto& process : processes) {
    text += (text.empty() ? "" : ", ") + std::to_string(process.pid) + " (" + process.state + ")";
    for (std::size_t i = 0; i < std::min<std::size_t>(3, process.arguments.size()); ++i) {
      text += " " + process.arguments[i];
    }
  }
  return text;
}

bool eventually(const std::function<bool()>& seen, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!seen()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace tests
