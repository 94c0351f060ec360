// Pidfds, which become readable when their process ends.
#include "runner/process_watch.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>

#include "storage/machine.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

/// Same program, seen from the same process id namespace.
bool is_one_of_ours(int pid) {
  for (const char* what : {"exe", "ns/pid"}) {
    std::error_code error;
    const auto theirs = fs::read_symlink(fmt::format("/proc/{}/{}", pid, what), error);
    if (error || theirs != fs::read_symlink(fmt::format("/proc/self/{}", what), error)) return false;
  }
  return true;
}

}  // namespace

void ProcessWatch::add(workers::WorkerId worker, const workers::Hello& hello) {
  watched_.erase(worker);
  if (hello.pid <= 0 || hello.pid == getpid() || hello.host != storage::host_name()) return;
  storage::Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, hello.pid, 0)));
  if (process.get() < 0 || !is_one_of_ours(hello.pid)) return;
  watched_.insert_or_assign(worker, Watched{hello.pid, std::move(process)});
}

std::vector<ProcessWatch::Ended> ProcessWatch::take_ended() {
  std::vector<pollfd> descriptors;
  for (const auto& [worker, watched] : watched_) descriptors.push_back({watched.process.get(), POLLIN, 0});
  std::vector<Ended> ended;
  if (descriptors.empty() || ::poll(descriptors.data(), descriptors.size(), 0) <= 0) return ended;
  std::size_t at = 0;
  for (const auto& [worker, watched] : watched_) {
    if (descriptors[at++].revents != 0) {
      ended.push_back({worker, fmt::format("its process {} on this host has ended", watched.pid)});
    }
  }
  for (const Ended& each : ended) watched_.erase(each.worker);
  return ended;
}

}  // namespace runner
