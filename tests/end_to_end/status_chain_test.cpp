// `status` and `explain` of a directory that is run through batch scripts, at each step of a chain of allocations.
// There is no Slurm: the test starts runs and asks `chain` as the script does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/program.hpp"
#include "tests/end_to_end/pseudo_terminal.hpp"
#include "tests/end_to_end/tiny_sweep.hpp"

namespace tests {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The features of an array are a run of their own: nothing of it trains, and nothing is to be gone on with.
TEST(ChainOfFeatures, IsCompleteOnceTheyAreMadeThoughNoJobHasAResult) {
  const TinySweep sweep;
  auto command = sweep.command();
  command[1] = "extract";
  const auto made = Running(command, sweep.folder()).wait();
  ASSERT_EQ(made.status, 0) << made.errors;
  const auto said = run_program({"chain", sweep.out().string(), "--status", "0"}, sweep.folder());
  EXPECT_EQ(said.status, 5);
  EXPECT_EQ(said.output, "every feature is in the cache: the chain is complete\n");
  const auto died = run_program({"chain", sweep.out().string(), "--status", "137"}, sweep.folder());
  EXPECT_EQ(died.status, 0) << died.output;
}

/// A directory with the scripts of `plume-bench slurm`; the runs are started as the script starts them.
class LookAtAChain : public testing::Test {
 protected:
  void SetUp() override {
    auto command = sweep_.command();
    command[1] = "slurm";
    const auto flag = [&](const char* name) { return std::find(command.begin(), command.end(), name); };
    command.erase(flag("--threads"), flag("--threads") + 2);
    command.erase(flag("--workers"), flag("--workers") + 2);
    const auto ended = Running(command, sweep_.folder()).wait();
    ASSERT_EQ(ended.status, 0) << ended.errors;
  }
  /// An allocation; drained as soon as a job has ended, if it is to be.
  int allocation(bool drained) const {
    Running run(sweep_.command(), sweep_.folder(), {"SLURM_JOB_ID=12", "SLURM_JOB_END_TIME=4000000000"});
    if (drained) {
      EXPECT_TRUE(run.until([&] { return sweep_.committed() >= 1; }));
      run.signal(SIGUSR1);
    }
    return run.wait().status;
  }
  Ended look(const std::vector<std::string>& arguments) const { return run_program(arguments, from_.path()); }
  nlohmann::json document() const {
    return nlohmann::json::parse(look({"status", sweep_.out().string(), "--json"}).output);
  }
  Ended chain(int status_of_the_run) const {
    const auto status = std::to_string(status_of_the_run);
    return Running({program().string(), "chain", sweep_.out().string(), "--status", status}, from_.path(),
                   {"SLURM_JOB_ID=12"})
        .wait();
  }
  std::string line_of_errors(const std::vector<std::string>& arguments) const {
    const auto ended = look(arguments);
    EXPECT_EQ(ended.status, 2);
    return ended.errors;
  }
  std::vector<std::string> watch() const {
    return {program().string(), "status", sweep_.out().string(), "--watch", "--every", "0.1"};
  }
  static constexpr int kWide = 300;  // for a headline on one line
  std::string script() const { return "sbatch " + (sweep_.out() / "slurm/run.sbatch").string(); }
  std::string headline() const { return document()["headline"]; }
  std::string next() const {
    std::string all;
    const auto now = document();
    for (const auto& line : now["next"]) all += line.get<std::string>() + "\n";
    return all;
  }
  TemporaryFolder from_;
  const TinySweep sweep_{SweepShape{2, 150}};
};

TEST_F(LookAtAChain, SaysAtEachOfItsStepsWhatComesNext) {
  EXPECT_THAT(headline(), HasSubstr("its batch scripts are written, and nothing has run yet"));
  EXPECT_THAT(next(), HasSubstr("`" + script() + "` starts it"));

  ASSERT_EQ(allocation(true), 4);
  EXPECT_THAT(headline(), HasSubstr("its batch script has yet to say whether another allocation"));
  ASSERT_EQ(chain(4).status, 0);
  EXPECT_THAT(headline(), HasSubstr("the next allocation goes on once Slurm starts it"));
  EXPECT_THAT(look({"explain", sweep_.out().string(), "tiny/linear-map + full/cross"}).output,
              HasSubstr("the next allocation goes on"));
  EXPECT_EQ(document()["following"], "next allocation");

  EXPECT_THAT(chain(0).output, HasSubstr("the run's exit status is 0, but by the directory"));
  EXPECT_THAT(line_of_errors({"explain", sweep_.out().string()}), HasSubstr("e.g. plume-bench explain "));
  const auto output = sweep_.out() / "slurm/plume-tiny-13.out";
  write_text(output,
             "2026-11-29T07:00:00Z allocation 13 on node1, start 0\nplume-bench: no module; nothing was run\n"
             "2026-11-29T07:00:01Z script of allocation 13 ends before its run, exit status 2\n");
  EXPECT_THAT(headline(), HasSubstr("its batch script (Slurm job 13) ended just now before its run began"));
  EXPECT_THAT(next(), HasSubstr("its last words: plume-bench: no module; nothing was run"));
  std::filesystem::remove(output);

  ASSERT_EQ(chain(127).status, 5) << "the next one could not start its run";
  EXPECT_THAT(headline(), HasSubstr("could not be started"));
  EXPECT_THAT(next(), HasSubstr("goes on with what is left: " + script()));

  ASSERT_EQ(allocation(false), 0);
  EXPECT_THAT(chain(0).output, HasSubstr("every job has a result: the chain is complete"));
  EXPECT_THAT(headline(), testing::StartsWith("complete; "));
  EXPECT_THAT(next(), Not(HasSubstr("sbatch")));
}

TEST_F(LookAtAChain, AgainAndAgainFollowsItFromBeforeTheFirstAllocationToTheLast) {
  PseudoTerminal terminal(watch(), sweep_.folder(), kWide, 20);
  const auto draws = [&](const char* text) {
    return terminal.until([text](const auto& drawn) { return drawn.find(text) != std::string::npos; });
  };
  ASSERT_TRUE(draws("nothing has run yet")) << terminal.drawn();
  ASSERT_EQ(allocation(true), 4);
  ASSERT_TRUE(draws("its batch script has yet to say")) << terminal.drawn();
  ASSERT_EQ(chain(4).status, 0);
  ASSERT_TRUE(draws("the next allocation goes on once Slurm starts it")) << terminal.drawn();
  ASSERT_EQ(allocation(false), 0);
  EXPECT_EQ(terminal.wait(), 0);
  const auto left = terminal.drawn().substr(terminal.drawn().rfind("\033[?1049l"));
  EXPECT_THAT(left, HasSubstr("complete; ended"));
}

TEST_F(LookAtAChain, AgainAndAgainEndsWithAChainThatEnds) {
  ASSERT_EQ(allocation(true), 4);
  ASSERT_EQ(chain(4).status, 0);
  PseudoTerminal terminal(watch(), sweep_.folder(), kWide, 20);
  ASSERT_TRUE(terminal.until([](const auto& drawn) { return drawn.find("the next allocation") != std::string::npos; }));
  ASSERT_EQ(chain(137).status, 0) << "the next one got nothing done";
  ASSERT_EQ(chain(137).status, 5);
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_THAT(terminal.drawn(), HasSubstr("because: it was killed (status 137): 2 allocations in a row"));
}

}  // namespace
}  // namespace tests
