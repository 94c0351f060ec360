// A death signal, and a forked process that outlives this one. What runs in a signal handler and after fork() is
// async-signal-safe.
#include "runner/launcher_process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

#include "storage/descriptor.hpp"

namespace runner {
namespace {

constexpr int kMillisecondsAfterSigterm = 3000;

pid_t launcher = 0;
void (*on_other_signal)() = nullptr;

/// For a launcher that started us from a thread which may end before it does. mpirun and srun pass on what others send.
extern "C" void on_end_of_launcher(int) {
  if (getppid() != launcher) _exit(1);
  if (on_other_signal != nullptr) on_other_signal();
}

/// The kernel tells of the end of the *thread* that started this process: from the first thread of a process its end
/// follows. Open MPI 4.1 takes other threads for 32 ranks on a host and more, and ends them when all are started.
bool was_started_by_first_thread() {
  std::ifstream children("/proc/" + std::to_string(launcher) + "/task/" + std::to_string(launcher) + "/children");
  for (pid_t child = 0; children >> child;) {
    if (child == getpid()) return true;
  }
  return false;
}

bool is_mpirun(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  return name == "mpirun" || name == "mpiexec" || name == "orterun" || name == "prterun";
}

bool ends_within(int process, int milliseconds) {
  pollfd waiting{process, POLLIN, 0};
  return ::poll(&waiting, 1, milliseconds) == 1;
}

void send(int process, int signal_number) {
  syscall(SYS_pidfd_send_signal, process, signal_number, nullptr, 0);
}

/// Holds nothing of what it was forked from: mpirun waits for the ends of its ranks' output, and ends process groups.
[[noreturn]] void watch(int process, int milliseconds) {
  setsid();
  if (process != 0) dup2(process, 0);
  for (int descriptor = 1; descriptor < 1024; ++descriptor) close(descriptor);
  if (!ends_within(0, milliseconds)) {
    send(0, SIGTERM);
    if (!ends_within(0, kMillisecondsAfterSigterm)) send(0, SIGKILL);
  }
  _exit(0);
}

}  // namespace

void end_with_launcher(void (*otherwise)()) {
  on_other_signal = otherwise;
  launcher = getppid();
  struct sigaction action {};
  action.sa_handler = on_end_of_launcher;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR2, &action, nullptr);
  // A process that was stopped hears of SIGKILL alone.
  prctl(PR_SET_PDEATHSIG, was_started_by_first_thread() ? SIGKILL : SIGUSR2);
}

void end_launcher_at_last(workers::Seconds patience) {
  const pid_t parent = getppid();
  if (!is_mpirun(parent)) return;
  const storage::Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, parent, 0)));
  if (process.get() < 0) return;  // a kernel older than 5.3
  if (fork() == 0) watch(process.get(), static_cast<int>(patience.count() * 1000));
}

}  // namespace runner
