// A directory of shares: found by its folders or its scripts, read as a whole, and its screen.
#include "runner/shares_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/shares_words.hpp"
#include "storage/columns.hpp"
#include "tests/runner/shares_of_six.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Shares : public SharesOfSix {};

TEST_F(Shares, AreFoundByTheirFoldersAndByTheScriptsBeforeThereIsOne) {
  EXPECT_FALSE(shares_in(folder_.path()));
  fs::create_directories(folder_ / "features");
  EXPECT_FALSE(shares_in(folder_.path())) << "that may be anything";
  fs::create_directories(folder_ / "share-9-of-3");
  fs::create_directories(folder_ / "share-x-of-y");
  fs::create_directories(folder_ / "share-01-of-3");
  EXPECT_FALSE(shares_in(folder_.path()));
  fs::create_directories(of(2));
  EXPECT_EQ(shares_in(folder_.path()), 3);
  fs::remove_all(of(2));
  fs::create_directories(folder_ / "slurm");
  samples::write_bytes(folder_ / "slurm/share.sbatch",
                       "#!/bin/bash\nout=runs/a/share-\"$SLURM_ARRAY_TASK_ID\"-of-16\n");
  EXPECT_EQ(shares_in(folder_.path()), 16);
  samples::write_bytes(folder_ / "run.json", "{}");
  EXPECT_FALSE(shares_in(folder_.path())) << "it is a run itself";
}

TEST_F(Shares, AreAddedUpWithThoseThatHaveNotBegun) {
  ended(1, 2, 0, 0);
  ended(2, 1, 1, 3);
  const auto view = look();
  EXPECT_EQ(view.jobs.committed(), 3U);
  EXPECT_EQ(view.jobs.failed, 1U);
  EXPECT_EQ(view.jobs.left, 2U) << "of share 3";
  EXPECT_TRUE(view.is_all);
  ASSERT_EQ(view.failures.size(), 1U);
  EXPECT_EQ(view.failures[0].directory, "share-2-of-3");
  EXPECT_FALSE(view.seconds_left);
}

TEST_F(Shares, HaveALineEachOnTheScreenAndTheirFailuresBelow) {
  ended(1, 2, 0, 0);
  ended(2, 1, 1, 3);
  const auto text = screen();
  const auto folder = folder_.path().string();
  EXPECT_THAT(text, AllOf(testing::StartsWith(folder + ": 3 shares: 1 with failed jobs, 1 not begun, 1 complete\n"),
                          HasSubstr("3 of 6 jobs done, 0 running, 1 failed, 2 left\n"),
                          ContainsRegex("share 1 of 3 .*\\[#+\\] +2 +0 +0 +0"),
                          ContainsRegex("share 2 of 3 .*\\[#+!+\\] +1 +0 +1 +0"),
                          ContainsRegex("share 3 of 3 +not begun +\\[\\.+\\] +0 +0 +0 +2")));
  EXPECT_THAT(text,
              AllOf(ContainsRegex("share-2-of-3 +" + key(2, 1).hex.substr(0, 8) + " .*given up"), HasSubstr("it broke"),
                    HasSubstr("plume-bench explain " + folder + "/share-2-of-3 " + key(2, 1).hex.substr(0, 8)),
                    HasSubstr("plume-bench report")));
}

TEST_F(Shares, ThatWereWrittenAndNotBegunNameTheLineThatStartsThem) {
  scripts_are_there();
  EXPECT_THAT(screen(), AllOf(HasSubstr("nothing has run yet: `" + submit() + "` starts it, unless `squeue --me`"),
                              HasSubstr("how many jobs there are is not known"), Not(HasSubstr("0 of 0"))));
}

TEST_F(Shares, WhoseFeaturesFailedSayWhyAndWhatGoesOnForNoneStartsWithoutThem) {
  scripts_are_there();
  features_ended(1, "dog.png cannot be read");
  const auto text = screen({250, 0});
  EXPECT_THAT(text, AllOf(HasSubstr(": features failed; 3 shares: 3 not begun\n"),
                          HasSubstr("features failed: dog.png cannot be read (" + folder_.path().string() +
                                    "/features/logs/run.log)"),
                          HasSubstr("once that is mended, type " + submit() + "\n"), Not(HasSubstr("scancel")),
                          HasSubstr("0 of 6 jobs done")));
  EXPECT_TRUE(features_failed(look()));
  scripts_are_there("sbatch share.sbatch\n");
  EXPECT_THAT(screen({250, 0}), HasSubstr("once that is mended, scancel the shares that `squeue --me` still shows"));
  features_ended(0);
  EXPECT_FALSE(features_failed(look()));
  EXPECT_THAT(screen({250, 0}), HasSubstr("the features are made; shares that have not begun start by themselves"));
}

TEST_F(Shares, WhoseFeaturesWereRefusedNameTheOutputThatSaysWhy) {
  scripts_are_there();
  fs::create_directories(folder_ / "features");
  write_chain(folder_ / "features", {0, 0, 0, ChainWord{false, 2, "the run refused its command", 1'700'000'001}});
  EXPECT_THAT(screen({250, 0}),
              AllOf(HasSubstr("features failed; 3 shares"), ContainsRegex("features failed: refused .* ago"),
                    HasSubstr(folder_.path().string() + "/slurm/plume-*-features-*.out says why"),
                    HasSubstr("once that is mended, type " + submit())));
}

TEST_F(Shares, WhoseFeaturesCouldNotEvenStartShowWhatTheScriptPrinted) {
  scripts_are_there();
  const auto output = folder_ / "slurm/plume-small-features-12.out";
  const std::string begin = "2026-11-29T07:00:00Z allocation 12 on node1, start 0\n";
  const std::string stop = "plume-bench: on node1 this failed: module load cuda; nothing was run";
  samples::write_bytes(output, begin + "no such module\n" + stop + "\n");
  const auto text = screen({250, 0});
  EXPECT_THAT(text,
              AllOf(HasSubstr("features failed: " + stop + " (" + output.string() + ")"),
                    HasSubstr("once that is mended, type " + submit()), ContainsRegex("features +could not start")));
  samples::write_bytes(output, stop + "\n" + begin + "now it starts\n");
  EXPECT_THAT(screen(), Not(HasSubstr("failed")));
  samples::write_bytes(folder_ / "slurm/plume-small-share-13_2.out", stop + "\n");
  features_ended(0);
  EXPECT_THAT(screen({250, 0}),
              AllOf(HasSubstr("share-2-of-3: " + stop), ContainsRegex("share 2 of 3 +could not start")));
}

TEST_F(Shares, ThatHaveNotBegunAreCountedByTheFeaturesThatOnlyChose) {
  scripts_are_there();
  features_ended(0, "", {0, 2, 4, 5});
  EXPECT_EQ(look().jobs.left, 4U);
  EXPECT_TRUE(look().is_all);
}

TEST_F(Shares, ThatSlurmStartsAgainSayFirstThatTheyGoOnByThemselves) {
  scripts_are_there();
  interrupted(1, false, true);
  interrupted(2, true, true);
  interrupted(3, true, std::nullopt);
  for (const std::size_t columns : {80U, 100U, 140U}) {
    EXPECT_THAT(
        screen({columns, 0}),
        AllOf(ContainsRegex("share 1 of 3 +goes on by itself"), ContainsRegex("share 2 of 3 +goes on by itself"),
              ContainsRegex("share 3 of 3 +killed .*`squeue --me`"), Not(HasSubstr("stopped"))))
        << columns;
  }
  EXPECT_THAT(screen({250, 0}), AllOf(HasSubstr("1 killed, 2 waiting to go on"),
                                      HasSubstr("goes on by itself if `squeue --me` shows it; if not: " + submit())));
}

TEST_F(Shares, WithFailedJobsNameTheLineThatTriesThemAgain) {
  ended(1, 1, 1, 3);
  ended(2, 2, 0, 0);
  ended(3, 2, 0, 0);
  EXPECT_THAT(screen({250, 0}), HasSubstr("share-1-of-3 with failed jobs: `plume-bench status "));
  scripts_are_there();
  EXPECT_THAT(screen({250, 0}), HasSubstr("failed jobs run again with: " + submit() + " --retry-failed\n"));
  interrupted(3, false, true);
  EXPECT_THAT(screen({250, 0}), HasSubstr("failed jobs run again, once no share is at work or waits to go on, with: "));
}

TEST_F(Shares, WhoseTablesWereMadeNameThemAndWhatMakesThemAnewWhereTheyAreOlder) {
  for (const int share : {1, 2, 3}) ended(share, 2, 0, 0);
  const auto page = folder_ / "report/index.md";
  const auto command =
      "plume-bench report " + folder_.path().string() + "/share-*-of-3 --out " + (folder_ / "report").string() + "\n";
  EXPECT_THAT(screen({250, 0}), HasSubstr("\ntables of what is done: " + command));
  fs::create_directories(folder_ / "report");
  samples::write_bytes(page, "tables");
  const auto results = fs::last_write_time(of(2) / "journal.jsonl");
  fs::last_write_time(page, results + std::chrono::seconds(1));
  EXPECT_THAT(screen({250, 0}), HasSubstr("\ntables: " + page.string() + "\n"));
  fs::last_write_time(of(2) / "journal.jsonl", results + std::chrono::seconds(2));
  EXPECT_THAT(screen({250, 0}),
              HasSubstr("\ntables: " + page.string() + ", older than the newest results; made anew by: " + command));
}

TEST_F(Shares, FitAnyTerminalThoseThatNeedSomebodyFirst) {
  for (int share = 1; share <= 3; ++share) ended(share, share == 3 ? 0 : 2, 0, share == 3 ? 4 : 0);
  auto view = look();
  view.shares = 1000;
  for (int share = 4; share <= 1000; ++share) {
    view.parts.push_back({share, share_folder(share, 1000), view.parts[0].view, 0});
  }
  for (const std::size_t columns : {20U, 40U, 80U, 300U}) {
    for (const std::size_t rows : {1U, 5U, 12U, 24U, 2000U}) {
      const auto lines = screen_of(view, {columns, rows});
      EXPECT_LE(lines.size(), rows) << columns << " x " << rows;
      for (const auto& line : lines) EXPECT_LE(storage::columns_of(line.text), columns) << line.text;
    }
  }
  const auto text = text_of(screen_of(view, {110, 24}), false);
  EXPECT_THAT(text,
              AllOf(ContainsRegex("SHARE .*\nshare 3 of 1000"), ContainsRegex("and 9[0-9]+ more: 9[0-9]+ complete")));
}

TEST_F(Shares, ThatDoNotBelongTogetherAreNamed) {
  for (const int share : {1, 2, 3}) ended(share, 2, 0, 0);
  EXPECT_THAT(look().problems, testing::IsEmpty());
  auto status = read_status(of(2)).value();
  status.selection = "--share 2/4";
  samples::write_bytes(of(2) / "status.json", encode(status));
  EXPECT_THAT(look().problems, testing::ElementsAre(HasSubstr("its last run was told --share 2/4, not --share 2/3")));
  ended(2, 2, 0, 0);
  auto other =
      sweeps::parse_sweep(std::string(kSweepOfSix).replace(std::string(kSweepOfSix).find("0.0005"), 6, "0.0007"), "o");
  RunFile file;
  freeze(file, other, {{"cifar10", {{"cat", "dog"}, {}}}});
  write_run_file(of(2), file);
  EXPECT_THAT(look().problems, testing::Contains(HasSubstr("share-2-of-3: of another sweep than share-1-of-3")));
}

TEST_F(Shares, ThatWereDealtOutAnewCountAJobOnceThoughTwoHaveIt) {
  for (const int share : {1, 2, 3}) ended(share, 2, 0, 0);
  // What share 2 has now, share 1 had when it ran with another --only.
  const auto journal = tests::read_text(of(1) / "journal.jsonl");
  const auto theirs = results::encode(samples::done(plan_.jobs[jobs_of(2)[0]], samples::finished({0.9, 0.8}))) + "\n";
  samples::write_bytes(of(1) / "journal.jsonl", journal + theirs);
  EXPECT_EQ(look().jobs.committed(), 6U);
  EXPECT_EQ(look().jobs.chosen(), 6U);
  ended(2, 0, 0, 4);
  EXPECT_EQ(look().jobs.committed(), 5U) << "its result is in share 1";
  EXPECT_EQ(look().jobs.left, 1U);
  fs::remove_all(of(3));
  EXPECT_EQ(look().jobs.left, 3U);
}

TEST_F(Shares, ThatWereLastRunWithAnotherOnlyAreNamed) {
  for (const int share : {1, 2, 3}) ended(share, 2, 0, 0);
  auto status = read_status(of(2)).value();
  status.selection = "--only seed=0 --share 2/3";
  status.started += 60;
  samples::write_bytes(of(2) / "status.json", encode(status));
  EXPECT_THAT(look().problems, testing::ElementsAre(testing::StartsWith(
                                   "the last run of share-1-of-3 and 1 more was of all jobs, that of "
                                   "share-2-of-3 of `--only seed=0`: jobs were dealt out")));
}

TEST_F(Shares, AreAskedForTheJobThatIsExplained) {
  ended(1, 2, 0, 0);
  ended(2, 1, 1, 3);
  EXPECT_THAT(explained(key(2, 1).hex), AllOf(testing::StartsWith("share-2-of-3:\n"), HasSubstr("it broke")));
  EXPECT_THAT(explained(key(3, 0).hex),
              AllOf(testing::StartsWith("share-3-of-3:\n"), HasSubstr("not begun: "), HasSubstr("--share and --out")));
  EXPECT_THAT(explained("small/PLUME/horse"), HasSubstr("no column \"horse\" in table small; its columns are "));
}

TEST_F(Shares, OfWhichOneHasNotBegunAreNotAllBegunThoughTheFeaturesAreMade) {
  features_ended(0);
  ended(1, 2, 0, 0);
  ended(2, 2, 0, 0);
  EXPECT_THAT(explained(key(3, 0).hex), AllOf(HasSubstr("not begun: "), testing::Not(HasSubstr("left out"))));
}

TEST_F(Shares, AreLookedThroughForTheJobsOfACell) {
  ended(1, 2, 0, 0);
  ended(2, 1, 1, 3);
  scripts_are_there();
  auto status = read_status(of(2)).value();
  status.slurm_job = "8";
  samples::write_bytes(of(2) / "status.json", encode(status));
  const auto mean = explained("small/PLUME/mean");
  const auto folder = folder_.path().string();
  EXPECT_THAT(mean, AllOf(testing::StartsWith("small/PLUME/mean: 3 of 6 jobs done; missing:\n"),
                          ContainsRegex("  share-2-of-3: .*" + key(2, 1).hex.substr(0, 8) + ".*: failed: given up"),
                          HasSubstr("  share-3-of-3: 2 jobs: not begun: "), HasSubstr(": " + submit() + "\n"),
                          HasSubstr("run it again: " + submit() + " --retry-failed\n")));
  ended(2, 2, 0, 0);
  ended(3, 2, 0, 0);
  EXPECT_EQ(explained("small/PLUME/cat"), "small/PLUME/cat: complete: 3 of 3 jobs done\n");
}

}  // namespace
}  // namespace runner
