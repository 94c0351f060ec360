// Real programs that answer, fail, hang and flood.
#include "runner/ask_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "storage/machine.hpp"
#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

using testing::HasSubstr;
using Seconds = std::chrono::duration<double>;

AskLimits limits(double seconds, std::size_t bytes = 1000) {
  return {Seconds(seconds), bytes};
}

/// Seconds that asking took.
double took(const std::vector<std::string>& command, const AskLimits& most, Answer& answer) {
  const auto start = std::chrono::steady_clock::now();
  answer = ask_program(command, {}, most);
  return Seconds(std::chrono::steady_clock::now() - start).count();
}

TEST(AskProgram, GivesWhatItPrintsAndPassesArgumentsAsTheyAre) {
  const auto answer = ask_program({"printf", "%s|", "$HOME", "a b", ";"});
  EXPECT_EQ(answer.output, "$HOME|a b|;|");
  EXPECT_EQ(answer.why, "");
  EXPECT_TRUE(answer.found);
}

TEST(AskProgram, AddsToTheEnvironment) {
  EXPECT_EQ(ask_program({"sh", "-c", "echo $ASKED:$HOME"}, {"ASKED=yes", "HOME=/elsewhere"}).output,
            "yes:/elsewhere\n");
}

TEST(AskProgram, RunsInTheFolderThatItIsGiven) {
  const tests::TemporaryFolder folder;
  EXPECT_EQ(ask_program({"pwd"}, {}, {}, folder.path()).output, folder.path().string() + "\n");
}

TEST(AskProgram, SaysThatThereIsNoSuchProgram) {
  const auto answer = ask_program({"plume-no-such-program"});
  EXPECT_FALSE(answer.found);
  EXPECT_THAT(answer.why, HasSubstr("plume-no-such-program cannot be started: No such file"));
}

TEST(AskProgram, SaysHowItFailedWithTheFirstLineOfItsOwnWords) {
  const auto answer =
      ask_program({"sh", "-c", "echo half an answer; echo 'slurm_load_jobs error: bad\nfatal: no answer' >&2; exit 3"});
  EXPECT_EQ(answer.why, "sh ended with status 3: slurm_load_jobs error: bad");
  EXPECT_EQ(answer.output, "");
  EXPECT_EQ(ask_program({"sh", "-c", "kill -9 $$"}).why, "sh was ended by signal 9");
}

TEST(AskProgram, KillsItAtTheDeadline) {
  Answer answer;
  EXPECT_LT(took({"sleep", "60"}, limits(0.1), answer), 5);
  EXPECT_THAT(answer.why, HasSubstr("sleep did not answer within"));
  EXPECT_LT(took({"sh", "-c", "exec >&- 2>&-; sleep 60"}, limits(0.1), answer), 5) << "silent, but still there";
  EXPECT_THAT(answer.why, HasSubstr("did not answer within"));
}

TEST(AskProgram, IsNotHeldByAChildThatKeepsTheStreamsOpenAndKillsItToo) {
  const tests::TemporaryFolder folder;
  const auto file = folder / "pid";
  Answer answer;
  EXPECT_LT(took({"sh", "-c", "sleep 60 & echo $! > " + file.string()}, limits(0.5), answer), 5);
  EXPECT_THAT(answer.why, HasSubstr("did not answer within"));
  const auto child = std::stoll(tests::read_text(file));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  const auto lives = [&] { return storage::start_of_process(child).has_value(); };
  while (lives() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_FALSE(lives());
}

TEST(AskProgram, TakesNoMoreThanItWants) {
  Answer answer;
  EXPECT_LT(took({"yes"}, limits(30, 100'000), answer), 20);
  EXPECT_EQ(answer.why, "yes printed more than 100000 bytes");
  EXPECT_EQ(answer.output, "");
  EXPECT_EQ(ask_program({"sh", "-c", "yes | head -c 9999999 >&2; echo fine"}).output, "fine\n") << "complaints are cut";
}

}  // namespace
}  // namespace runner
