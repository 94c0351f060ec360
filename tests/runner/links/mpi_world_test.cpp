// MpiWorld under real mpirun with three ranks. What the ranks do is mpi_world_program.cpp's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <array>
#include <string>

#include "tests/temporary_folder.hpp"

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Outcome {
  int status = -1;  // 124: not done within a minute
  std::string output;
};

Outcome mpirun(const std::string& mode, const std::string& flags = "", int ranks = 3) {
  const tests::TemporaryFolder folder;
  const std::string command = "timeout 60 " MPIRUN " --allow-run-as-root --oversubscribe --bind-to none " + flags +
                              " -np " + std::to_string(ranks) + " " MPI_WORLD_PROGRAM " " + mode +
                              " " FAKE_TRAINER " " + folder.path().string() + " 2>&1";
  Outcome outcome;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> piece;
  while (const std::size_t n = fread(piece.data(), 1, piece.size(), pipe)) {
    outcome.output.append(piece.data(), n);
  }
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

TEST(MpiWorld, ProgramOfTheseTestsRefusesAnotherNumberOfRanks) {
  const Outcome outcome = mpirun("exchange", "", 2);
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("3 ranks, not 2"));
}

TEST(MpiWorld, CarriesLargeAndManySmallMessagesBothWays) {
  const Outcome outcome = mpirun("exchange");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("rank 1: served"), HasSubstr("rank 2: served"), HasSubstr("all said goodbye")));
}

TEST(MpiWorld, SleepsWhileItIsIdle) {
  const Outcome outcome = mpirun("idle");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  for (const char* rank : {"rank 0: idle for", "rank 1: idle for", "rank 2: idle for"}) {
    EXPECT_THAT(outcome.output, HasSubstr(rank));
  }
}

TEST(MpiWorld, PassesTheExitStatusOnThroughMpirun) {
  EXPECT_EQ(mpirun("status").status, 4);
}

TEST(MpiWorld, GoesOnWithoutALostWorkerAndDoesNotHangAtTheEnd) {
  const Outcome outcome = mpirun("lost", "--enable-recovery");
  EXPECT_NE(outcome.status, 124) << "mpirun did not end";
  EXPECT_THAT(outcome.output, HasSubstr("rank 1 finished its task without rank 2"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("all said goodbye")));
}

TEST(MpiWorld, WorkersLeaveWhenRankZeroHasBeenKilled) {
  const Outcome outcome = mpirun("killed", "--enable-recovery");
  EXPECT_NE(outcome.status, 124) << "mpirun did not end";
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("rank 1: served"), HasSubstr("rank 2: served")));
}

}  // namespace
