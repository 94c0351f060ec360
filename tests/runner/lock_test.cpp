// One run at a time on a directory.
#include "runner/lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "storage/error.hpp"
#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Waiting passes no time, but may do something.
LockOptions without_sleep(std::function<void()> while_waiting = [] {}) {
  LockOptions options;
  options.wait = [while_waiting](auto) { while_waiting(); };
  return options;
}

std::string boot_id() {
  std::string id;
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::getline(file, id);
  return id;
}

std::string own_host() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

std::string lock_text(const std::string& host, const std::string& boot, int pid, int counter = 0) {
  return R"({"v":1,"host":")" + host + R"(","boot":")" + boot + R"(","pid":)" + std::to_string(pid) +
         R"(,"started":1,"counter":)" + std::to_string(counter) + R"(,"nonce":"n"})";
}

std::string refusal(const std::filesystem::path& directory, LockOptions options) {
  try {
    DirectoryLock lock(directory, std::move(options));
  } catch (const storage::Error& error) {
    return error.what();
  }
  return "(not refused)";
}

/// Process id of a child that has ended and was waited for.
int ended_process() {
  const auto child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

TEST(DirectoryLock, ASecondRunIsRefusedByNameWhileTheFirstLives) {
  const tests::TemporaryFolder folder;
  const DirectoryLock first(folder.path(), without_sleep());
  EXPECT_THAT(refusal(folder.path(), without_sleep()),
              AllOf(HasSubstr(folder.path().string()), HasSubstr("another run"), HasSubstr(std::to_string(getpid())),
                    HasSubstr("--take-over")));
}

TEST(DirectoryLock, IsFreeAgainWhenItsRunEnds) {
  const tests::TemporaryFolder folder;
  { const DirectoryLock first(folder.path(), without_sleep()); }
  EXPECT_EQ(refusal(folder.path(), without_sleep()), "(not refused)");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(DirectoryLock, OfADeadProcessIsTakenOverAtOnce) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "lock", lock_text(own_host(), boot_id(), ended_process()));
  EXPECT_EQ(refusal(folder.path(), without_sleep()), "(not refused)");
}

// As after a killed mpirun in a container whose first process waits for nobody.
TEST(DirectoryLock, OfADeadProcessThatNobodyHasWaitedForIsTakenOverAtOnce) {
  const tests::TemporaryFolder folder;
  const auto child = fork();
  if (child == 0) {
    new DirectoryLock(folder.path(), without_sleep());  // not given back, as when it is killed
    _exit(0);
  }
  siginfo_t ended{};
  waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
  EXPECT_EQ(kill(child, 0), 0) << "its number is still taken";
  EXPECT_THAT(tests::read_text(folder / "lock"), HasSubstr(std::to_string(child)));
  EXPECT_EQ(refusal(folder.path(), without_sleep()), "(not refused)");
  waitpid(child, nullptr, 0);
}

TEST(DirectoryLock, OfAReusedProcessIdOrAnEarlierBootIsTakenOver) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "lock",
                    lock_text(own_host(), boot_id(), getpid()));  // alive, but it did not start at tick 1
  EXPECT_EQ(refusal(folder.path(), without_sleep()), "(not refused)");
  tests::write_text(folder / "lock", lock_text(own_host(), "another-boot", getpid()));
  EXPECT_EQ(refusal(folder.path(), without_sleep()), "(not refused)");
}

TEST(DirectoryLock, OfAnotherHostIsRespectedWhileItsCounterMoves) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "lock", lock_text("elsewhere", "b", 7));
  int counter = 0;
  const auto why =
      refusal(folder.path(),
              without_sleep([&] { tests::write_text(folder / "lock", lock_text("elsewhere", "b", 7, ++counter)); }));
  EXPECT_THAT(why, HasSubstr("elsewhere"));
  EXPECT_EQ(counter, 1);
}

TEST(DirectoryLock, OfAnotherHostIsStaleAfterThirtySecondsWithoutChange) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "lock", lock_text("elsewhere", "b", 7));
  int waits = 0;
  EXPECT_EQ(refusal(folder.path(), without_sleep([&] { ++waits; })), "(not refused)");
  EXPECT_GE(waits, 30);
}

TEST(DirectoryLock, TakeOverDoesNotWait) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "lock", lock_text("elsewhere", "b", 7));
  int waits = 0;
  auto options = without_sleep([&] { ++waits; });
  options.take_over = true;
  EXPECT_EQ(refusal(folder.path(), options), "(not refused)");
  EXPECT_LE(waits, 1);
}

TEST(DirectoryLock, ADamagedLockIsWatchedLikeAForeignOne) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "lock", "{\"v\":1,");
  int waits = 0;
  EXPECT_EQ(refusal(folder.path(), without_sleep([&] { ++waits; })), "(not refused)");
  EXPECT_GE(waits, 30);
}

TEST(DirectoryLock, OfTwoThatJudgeTheSameLockDeadOnlyTheLaterWriterKeepsIt) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "lock", lock_text(own_host(), "another-boot", 1));
  // The rival writes its own lock while the first waits to see whether it won.
  EXPECT_THAT(
      refusal(folder.path(), without_sleep([&] { tests::write_text(folder / "lock", lock_text("rival", "b", 9)); })),
      HasSubstr("rival"));
}

}  // namespace
}  // namespace runner
