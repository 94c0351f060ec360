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

struct Pipe {
  Pipe() {
    if (pipe(ends.data()) != 0) std::abort();
  }
  void say(pid_t number) const {
    if (write(ends[1], &number, sizeof number) != sizeof number) std::abort();
  }
  pid_t hear() const {
    pid_t number = 0;
    if (read(ends[0], &number, sizeof number) != sizeof number) std::abort();
    return number;
  }
  std::array<int, 2> ends{};
};

[[noreturn]] void wait_to_be_killed() {
  while (true) pause();
}

/// Its process id, once it is tied to this process.
pid_t start_rank() {
  const Pipe from_rank;
  if (fork() == 0) {
    end_with_launcher();
    from_rank.say(getpid());
    wait_to_be_killed();
  }
  return from_rank.hear();
}

/// A launcher that started one rank, from its first thread or from one that has ended since.
class Launched {
 public:
  explicit Launched(bool from_first_thread) {
    const Pipe from_launcher;
    launcher_ = fork();
    if (launcher_ == 0) {
      pid_t rank = 0;
      if (from_first_thread) {
        rank = start_rank();
      } else {
        std::thread([&rank] { rank = start_rank(); }).join();
      }
      from_launcher.say(rank);
      wait_to_be_killed();
    }
    rank_ = from_launcher.hear();
  }
  ~Launched() {
    kill(launcher_, SIGKILL);
    waitpid(launcher_, nullptr, 0);
    if (is_alive(rank_)) kill(rank_, SIGKILL);
  }
  Launched(const Launched&) = delete;
  Launched& operator=(const Launched&) = delete;
  void end_launcher() const { kill(launcher_, SIGKILL); }
  pid_t rank() const { return rank_; }

 private:
  pid_t launcher_ = 0;
  pid_t rank_ = 0;
};

TEST(EndWithLauncher, HoldsForARankThatIsStopped) {
  const Launched launched(true);
  ASSERT_TRUE(is_alive(launched.rank()));
  kill(launched.rank(), SIGSTOP);
  launched.end_launcher();
  EXPECT_TRUE(eventually([&] { return !is_alive(launched.rank()); }));
}

TEST(EndWithLauncher, IsNotMistakenInTheEndOfTheThreadThatStartedIt) {
  const Launched launched(false);
  ASSERT_TRUE(is_alive(launched.rank()));
  kill(launched.rank(), SIGUSR2);                 // as mpirun passes it on
  std::this_thread::sleep_for(milliseconds(50));  // for what must not happen
  EXPECT_TRUE(is_alive(launched.rank()));
  launched.end_launcher();
  EXPECT_TRUE(eventually([&] { return !is_alive(launched.rank()); }));
}

}  // namespace
}  // namespace runner
