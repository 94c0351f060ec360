// A process that ends with whoever started it, from a first thread or from another.
#include "runner/launcher_process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <thread>

#include "storage/machine.hpp"

namespace runner {
namespace {

using std::chrono::milliseconds;

bool eventually(const std::function<bool()>& seen) {
  for (int i = 0; i < 5000 && !seen(); ++i) std::this_thread::sleep_for(milliseconds(1));
  return seen();
}

bool is_alive(pid_t pid) {
  return storage::start_of_process(pid).has_value();
}

/// A rank that waits to be killed; its id goes into `pipe` once it is tied to its launcher.
void fork_rank(int pipe) {
  if (fork() != 0) return;
  end_with_launcher();
  const pid_t self = getpid();
  if (write(pipe, &self, sizeof self) != sizeof self) _exit(2);
  while (true) pause();
}

/// A launcher that starts one rank, from its first thread or from one that has ended since.
struct Launched {
  explicit Launched(bool from_first_thread) {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) std::abort();
    launcher = fork();
    if (launcher == 0) {
      if (from_first_thread) {
        fork_rank(pipe[1]);
      } else {
        std::thread(fork_rank, pipe[1]).join();
        const pid_t ended = 0;
        if (write(pipe[1], &ended, sizeof ended) != sizeof ended) _exit(2);
      }
      while (true) pause();
    }
    for (int i = 0; i < (from_first_thread ? 1 : 2); ++i) {
      pid_t said = 0;
      if (read(pipe[0], &said, sizeof said) == sizeof said && said != 0) rank = said;
    }
    close(pipe[0]);
    close(pipe[1]);
  }
  ~Launched() {
    kill(launcher, SIGKILL);
    waitpid(launcher, nullptr, 0);
  }
  void end_launcher() const { kill(launcher, SIGKILL); }
  pid_t launcher = 0;
  pid_t rank = 0;
};

TEST(EndWithLauncher, HoldsForARankThatIsStopped) {
  const Launched launched(true);
  ASSERT_TRUE(is_alive(launched.rank));
  kill(launched.rank, SIGSTOP);
  launched.end_launcher();
  EXPECT_TRUE(eventually([&] { return !is_alive(launched.rank); }));
}

TEST(EndWithLauncher, IsNotMistakenInTheEndOfTheThreadThatStartedIt) {
  const Launched launched(false);
  ASSERT_TRUE(is_alive(launched.rank));
  kill(launched.rank, SIGUSR2);                   // as mpirun passes it on
  std::this_thread::sleep_for(milliseconds(50));  // for what must not happen
  EXPECT_TRUE(is_alive(launched.rank));
  launched.end_launcher();
  EXPECT_TRUE(eventually([&] { return !is_alive(launched.rank); }));
}

}  // namespace
}  // namespace runner
