// Ties a trainer process to its supervisor. Knows no LibTorch and no protocol, so that tests' trainers use it as well.
#include "workers/trainer_startup.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace workers {

void attach_to_supervisor() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The supervisor may have died before prctl took effect; then somebody else is the parent by now.
  const char* supervisor = std::getenv(kSupervisorPidVariable);
  if (supervisor != nullptr && std::to_string(getppid()) != supervisor) {
    _exit(1);
  }
  signal(SIGINT, SIG_IGN);
  signal(SIGUSR1, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  std::ofstream("/proc/self/oom_score_adj") << 500;
}

}  // namespace workers
