// `status` and `explain` of directories of shares that really ran.
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>

#include "tests/end_to_end/looks.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// What `plume-bench slurm --form array` makes of a sweep.
class LookAtShares : public Look {
 protected:
  static Ended run_in(const std::string& folder, const TinySweep& sweep, const std::vector<std::string>& flags,
                      const std::vector<std::string>& environment = {}) {
    auto command = sweep.command(flags);
    for (std::size_t i = 0; i + 1 < command.size(); ++i) {
      if (command[i] == "--out") command[i + 1] = folder;
    }
    return Running(command, sweep.folder(), environment).wait();
  }
  static Ended run_share(const TinySweep& sweep, int share, const std::vector<std::string>& environment = {}) {
    const auto number = std::to_string(share);
    return run_in("out/share-" + number + "-of-2", sweep, {"--share", number + "/2"}, environment);
  }
};

TEST_F(LookAtShares, ShowsAllOfThemOnOneScreenAndFindsTheShareOfAJob) {
  const TinySweep sweep;
  ASSERT_EQ(
      run_share(sweep, 1, {fault("throw@seed=0,class=ring;throw@seed=0,class=cross;throw@seed=1,class=ring")}).status,
      3);
  const auto half = status(sweep.out());
  EXPECT_EQ(half.status, 0);
  EXPECT_THAT(half.output, AllOf(HasSubstr(": 2 shares: "), HasSubstr("1 not begun"), HasSubstr("of 4 jobs done"),
                                 ContainsRegex("share 2 of 2 +not begun"),
                                 ContainsRegex("a rehearsal, failures are deliberate:[ \n]+PLUME_FAULT")));
  const auto failed = document(sweep.out())["failures"];
  ASSERT_FALSE(failed.empty());
  const auto key = failed[0]["key"].get<std::string>();
  EXPECT_EQ(failed[0]["directory"], "share-1-of-2");
  EXPECT_THAT(half.output, HasSubstr("explain " + sweep.out().string() + "/share-1-of-2 " + key.substr(0, 8)));
  EXPECT_THAT(explain(sweep.out(), key).output, AllOf(StartsWith("share-1-of-2:\n"), HasSubstr("given up")));
  ASSERT_EQ(run_share(sweep, 2).status, 0);
  EXPECT_THAT(status(sweep.out()).output, AllOf(HasSubstr("1 complete"), Not(HasSubstr("not begun"))));
  const auto report = look({"report", sweep.out().string()});
  EXPECT_EQ(report.status, 2);
  EXPECT_THAT(report.errors, HasSubstr("plume-bench report " + sweep.out().string() + "/share-*-of-2 --out " +
                                       sweep.out().string() + "/report"));
  const auto now = document(sweep.out());
  EXPECT_EQ(now["shares"], 2);
  EXPECT_EQ(now["parts"].size(), 2U);
  EXPECT_EQ(now["jobs"]["chosen"], 4);
  EXPECT_EQ(now["parts"][1]["run"]["jobs"]["done"], 2);
}

TEST_F(LookAtShares, WhoseDirectoriesTakeNoOtherShareAndNoOtherSweep) {
  const TinySweep sweep;
  ASSERT_EQ(run_share(sweep, 1).status, 0);
  const std::string folder = "out/share-1-of-2";
  const auto refused = [&](const std::vector<std::string>& flags) {
    const auto ended = run_in(folder, sweep, flags);
    EXPECT_EQ(ended.status, 2) << ended.output;
    return ended.errors;
  };
  EXPECT_THAT(refused({"--share", "2/2"}),
              HasSubstr("--out: " + folder +
                        " holds 2 result(s) of --share 1/2, and takes none of --share 2/2; give "
                        "--share 1/2, or another --out"));
  EXPECT_THAT(refused({"--share", "1/3", "--dry-run"}), HasSubstr("takes none of --share 1/3"));
  EXPECT_THAT(refused({}), HasSubstr("takes none of a run without --share"));
  EXPECT_EQ(document(sweep.folder() / folder)["status"]["exit_status"], 0) << "what it says of its own run stays";
  ASSERT_EQ(run_share(sweep, 1).status, 0) << "its own";
  const auto text = read_text(sweep.folder() / "sweep.json");
  write_text(sweep.folder() / "sweep.json", std::string(text).replace(text.find("\"epochs\": 2"), 11, "\"epochs\": 3"));
  EXPECT_THAT(refused({"--share", "1/2"}), HasSubstr("of --share 1/2 of another sweep"));
}

TEST_F(LookAtShares, ThatRunWithAnotherOnlySayThatTheirJobsAreDealtOutAnew) {
  const TinySweep sweep(SweepShape{3});
  const auto run = [&](int share, const std::vector<std::string>& more) {
    auto flags = more;
    flags.insert(flags.end(), {"--share", std::to_string(share) + "/2"});
    const auto ended = run_in("out/share-" + std::to_string(share) + "-of-2", sweep, flags);
    EXPECT_EQ(ended.status, 0) << ended.errors;
    return ended.errors;
  };
  for (const int share : {1, 2}) {
    EXPECT_THAT(run(share, {"--only", "seed=0,seed=2"}), Not(HasSubstr("dealt out")));
    EXPECT_THAT(run(share, {"--only", "seed=2,seed=0"}), Not(HasSubstr("dealt out"))) << "the same jobs";
  }
  EXPECT_EQ(document(sweep.out())["jobs"]["done"], 4);
  const std::string said =
      "--only: the jobs of this share were dealt out of `--only seed=2,seed=0` before, and are of all jobs now: 1 of "
      "its "
      "2 result(s) are of jobs that it has no more.";
  EXPECT_THAT(run(1, {"--dry-run"}), HasSubstr(said));
  EXPECT_THAT(run(1, {}), HasSubstr(said));
  const auto mixed = status(sweep.out());
  EXPECT_EQ(mixed.status, 1);
  EXPECT_THAT(mixed.output, HasSubstr("the last run of share-2-of-2 was of `--only seed=2,seed=0`"));
  EXPECT_THAT(run(2, {}), HasSubstr(said));
  EXPECT_EQ(document(sweep.out())["jobs"]["chosen"], 6) << "of which two shares have a result each of two";
  EXPECT_EQ(document(sweep.out())["jobs"]["done"], 6);
  EXPECT_EQ(status(sweep.out()).status, 0);
}

/// With the scripts of `plume-bench slurm`, where a squeue is at hand that prints what a test gives it.
class LookAtSharesInAQueue : public LookAtShares {
 protected:
  void SetUp() override {
    auto command = sweep_.command({"--form", "array", "--shares", "2", "--gpus-per-node", "0"});
    command[1] = "slurm";
    const auto flag = [&](const char* name) { return std::find(command.begin(), command.end(), name); };
    command.erase(flag("--threads"), flag("--threads") + 2);
    *flag("--workers") = "--workers-per-node";
    const auto ended = Running(command, sweep_.folder()).wait();
    ASSERT_EQ(ended.status, 0) << ended.errors;
    fs::create_directory(from_ / "bin");
    write_text(from_ / "bin/squeue", "#!/bin/sh\ncat '" + (from_ / "queue").string() + "'\n");
    fs::permissions(from_ / "bin/squeue", fs::perms(0755));
  }
  /// A task of the shares' array, as squeue prints it.
  void queue_has(const std::string& tasks, const std::string& state, const std::string& reason) const {
    const auto script = (sweep_.out() / "slurm/share.sbatch").string();
    write_text(from_ / "queue", "8|" + tasks + "|" + state + "|" + reason + "|/\x1f" + script + "\n");
  }
  Ended ask(const std::vector<std::string>& arguments) const {
    return look(arguments, {"PATH=" + (from_ / "bin").string() + ":" + std::getenv("PATH")});
  }
  std::string share(int number) const {
    return (sweep_.out() / ("share-" + std::to_string(number) + "-of-2")).string();
  }
  const TinySweep sweep_{kEndless};
};

TEST_F(LookAtSharesInAQueue, ExplainsAJobOfARequeuedShareByTheQueue) {
  auto command = sweep_.command({"--share", "1/2"});
  *std::find(command.begin(), command.end(), "out") = "out/share-1-of-2";
  Running run(command, sweep_.folder(), {"SLURM_JOB_ID=9", "SLURM_JOB_END_TIME=4000000000"});
  ASSERT_TRUE(shows(run, share(1), trains));
  const auto key = document(share(1))["status"]["workers"][0]["task"]["key"].get<std::string>();
  run.signal(SIGKILL);
  run.wait();
  queue_has("1", "PENDING", "BeginTime");
  EXPECT_THAT(
      ask({"explain", sweep_.out().string(), key}).output,
      testing::EndsWith("nothing is to be typed: its batch script waits in Slurm's queue, and goes on with it\n"));
}

TEST_F(LookAtSharesInAQueue, SaysOfAShareWithoutADirectoryThatItWaitsOrHasNotBegun) {
  queue_has("1-2", "PENDING", "Priority");
  const auto waits = ask({"status", share(2)});
  EXPECT_EQ(waits.status, 0) << waits.errors;
  EXPECT_THAT(waits.output, AllOf(HasSubstr("its batch script waits in Slurm's queue (Priority)"),
                                  HasSubstr("nothing is to be typed")));
  EXPECT_THAT(ask({"explain", share(2), "tiny/linear-map + full/ring"}).errors,
              HasSubstr("it is: its batch script waits in Slurm's queue (Priority), and nothing has run yet"));
  queue_has("1", "PENDING", "Priority");
  EXPECT_THAT(ask({"status", share(2)}).output, AllOf(HasSubstr("its batch scripts are written"),
                                                      HasSubstr("slurm/submit` starts it: Slurm's queue has no job")));
  EXPECT_THAT(ask({"status", (sweep_.out() / "features").string()}).output, HasSubstr("nothing has run yet"));
  for (const std::string none : {"share-3-of-2", "share-1-of-3", "report"}) {
    const auto refused = ask({"status", (sweep_.out() / none).string()});
    EXPECT_EQ(refused.status, 2) << none;
    EXPECT_THAT(refused.errors, HasSubstr(none + ": no such directory")) << none;
  }
}

}  // namespace
}  // namespace tests
