// Why a job or a cell is not done, for each way in which that can be.
#include "runner/explain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "tests/runner/run_pictures.hpp"

namespace runner {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string text(const std::vector<std::string>& lines) {
  std::string all;
  for (const auto& line : lines) all += line + "\n";
  return all;
}

class Explain : public testing::Test {
 protected:
  std::string job(std::size_t i) const {
    return text(explain_job({0, i}, run_.picture(), [](const auto&) { return false; }));
  }
  std::string cell(const std::string& address) const {
    return text(explain_cell(std::get<CellAddress>(address_of(address, run_.picture())), run_.picture()));
  }
  std::string refusal(const std::string& address) const {
    try {
      address_of(address, run_.picture());
    } catch (const storage::UsageError& error) {
      return error.what();
    }
    return "";
  }
  static constexpr const char* kSameCommand = "plume-bench run 'my sweep.json' --out runs/a\n";
  MadeUpRun run_;
};

TEST_F(Explain, ADoneJobWithItsNumbersAndWhereItWasMade) {
  run_.start(0, 1);
  run_.finish(0);
  EXPECT_THAT(job(0),
              AllOf(StartsWith("pets/cat linear-map + full seed 0\nkey " + run_.key(0).hex + ", in small/Linear/cat\n"),
                    HasSubstr("done: AUROC 0.8000 after 2 epochs, best 0.9000 at epoch 0; attempt 1 on node7 (cpu, 1 "
                              "thread(s)), begun 2026-11-27T20:15:03Z, took 13 s"),
                    HasSubstr("attempt 1, begun 2026-11-27T20:15:03Z on worker 1 (a): a result"),
                    HasSubstr("grep " + run_.key(0).hex.substr(0, 8) + " runs/a/logs/run.log"),
                    Not(HasSubstr("plume-bench run"))));
}

TEST_F(Explain, ARunningJobWithItsWorkerAndEpoch) {
  run_.at_work();
  run_.put_to_work(1);
  EXPECT_THAT(job(1),
              HasSubstr("running: worker 1 (a, CPU, 1 thread(s)) is at attempt 1 for 60 s: 10 of 40 epochs, 2 s an "
                        "epoch, 60 s left; AUROC 0.8125"));
}

TEST_F(Explain, AFailedJobWithEveryTryItsBudgetAndTheFileOfItsLastWords) {
  run_.start(0, 1, "worker 2 (b)");
  run_.end(0, 1, "worker-lost", "no sign of life for 30 s");
  run_.start(0, 2);
  run_.fail(0, "hung", "no step for 60 s");
  run_.ended(3);
  const auto file = "runs/a/attempts/" + run_.key(0).hex + "-2/stderr.txt";
  const auto lines = text(explain_job({0, 0}, run_.picture(), [&](const auto& asked) { return asked == file; }));
  EXPECT_THAT(
      lines,
      AllOf(HasSubstr("failed: given up at attempt 2: hung: no step for 60 s\n"),
            HasSubstr("attempt 1, begun 2026-11-27T20:15:03Z on worker 2 (b): worker-lost: no sign of life for 30 s; "
                      "counted as a lost worker's (--infrastructure-retries)\n"),
            HasSubstr("hung: no step for 60 s; counted as a try of the job's own (--job-retries); its trainer's "
                      "standard error: " +
                      file),
            testing::EndsWith("--out runs/a --retry-failed\n")));
}

TEST_F(Explain, ATryThatMadeWayAndIsChargedToNobody) {
  run_.start(0, 1);
  run_.end(0, 1, "drained", "given back on request at epoch 7");
  run_.ended(4);
  EXPECT_THAT(job(0), HasSubstr("drained: given back on request at epoch 7; not counted: it made way"));
}

TEST_F(Explain, ADivergedJobThatNothingMends) {
  run_.diverge(0);
  EXPECT_THAT(job(0),
              AllOf(HasSubstr("diverged: at epoch 7"), HasSubstr("lower learning rate"), Not(HasSubstr("retry"))));
}

TEST_F(Explain, AJobThatWaitsForItsFeatures) {
  run_.at_work(RunPhase::extracting).features = {{"pets", "efficientnet-lite0", 60000, 4200, false, ""}};
  EXPECT_THAT(job(0), HasSubstr("waiting: for features of pets through efficientnet-lite0: 4,200 of 60,000 rows\n"));
  run_.status->features = {{"pets", "", 60000, 4200, false, ""}, {"pets", "efficientnet-lite0", 1, 1, true, ""}};
  EXPECT_THAT(job(0), HasSubstr("waiting: for a scan of pets: 4,200 of 60,000 rows\n"));
}

TEST_F(Explain, AJobThatWaitsForAWorkerOrForTheNextRun) {
  run_.at_work().jobs.waiting = 34;
  EXPECT_THAT(job(0), HasSubstr("waiting: for a free worker, like 34 jobs in all; the longest goes first\n"));
  run_.start(0, 1);
  run_.end(0, 1, "signal", "SIGSEGV");
  EXPECT_THAT(job(0), HasSubstr("the longest goes first; attempt 2 comes next\n"));
  run_.status->phase = RunPhase::draining;
  EXPECT_THAT(job(0),
              AllOf(HasSubstr("for the next run: this one starts no job any more"), testing::EndsWith(kSameCommand)));
}

TEST_F(Explain, AJobWhoseFeaturesCannotBeMade) {
  run_.ended(1);
  run_.status->features = {{"pets", "efficientnet-lite0", 100, 10, false, "pets: row 3 is damaged"}};
  EXPECT_THAT(
      job(0),
      AllOf(HasSubstr(
                "blocked: the features of pets through efficientnet-lite0 cannot be made: pets: row 3 is damaged\n"),
            testing::EndsWith(kSameCommand)));
}

TEST_F(Explain, AJobThatWasUnderWayWhenItsRunDied) {
  run_.at_work();
  run_.put_to_work(0);
  run_.start(0, 1);
  run_.life = {Life::died, 240, false};
  EXPECT_THAT(
      job(0),
      AllOf(
          HasSubstr(
              "interrupted: attempt 1 on worker 1 (a), begun 2026-11-27T20:15:03Z, was under way when the run ended\n"),
          HasSubstr(": no end is known"), testing::EndsWith(kSameCommand)));
  run_.end(0, 1, "worker-lost", "the run ended while worker 1 (a) was at it");
  EXPECT_THAT(job(0), HasSubstr("not counted: it ended with its run"));
}

TEST_F(Explain, AJobThatNoRunCameTo) {
  run_.ended(4);
  EXPECT_THAT(job(3), AllOf(HasSubstr("not begun: no run has come to it (drained"), testing::EndsWith(kSameCommand)));
}

TEST_F(Explain, AJobThatOnlyLeftOut) {
  auto& status = run_.at_work();
  status.selection = "--only class=cat";
  status.chosen = chosen_text({0, 2}, 4);
  EXPECT_THAT(job(1),
              AllOf(HasSubstr("left out: the last run was told --only class=cat\n"), HasSubstr("without --only")));
  status.selection = "--share 1/2";
  EXPECT_THAT(job(1), HasSubstr("another share runs it"));
}

TEST_F(Explain, AJobThatTheScriptsLeaveOutNeedsOthersThoughTheLastRunHadIt) {
  run_.fail(0, "hung", "no step");
  run_.ended(3);
  run_.run_by_slurm();
  run_.scripts->only = "class=dog";
  run_.scripts->to_write_for_all = "plume-bench slurm s.json --out runs/a --force";
  const std::string line =
      "this writes scripts without --only, with the --module, --setup, "
      "--container and --sbatch of before, if any: plume-bench slurm s.json --out runs/a --force; then sbatch "
      "runs/a/slurm/run.sbatch";
  EXPECT_THAT(job(0), testing::EndsWith(line + " --retry-failed\n"));
  EXPECT_THAT(job(2), AllOf(HasSubstr("; the batch scripts leave it out (--only class=dog)\n"),
                            testing::EndsWith(line + "\n")));
  EXPECT_THAT(job(1), testing::EndsWith("go on with it: sbatch runs/a/slurm/run.sbatch\n")) << "a dog";
  run_.status->slurm_job.clear();
  EXPECT_THAT(job(2), testing::EndsWith(kSameCommand)) << "the last run was by hand";
}

TEST_F(Explain, AJobWhoseResultWasTakenBack) {
  run_.finish(0);
  run_.end(0, 1, std::string(results::kRedo), "its feature sets have changed");
  EXPECT_THAT(job(0), AllOf(HasSubstr("taken back: the result of attempt 1, because its feature sets have changed\n")));
}

TEST_F(Explain, AJobThatTheSweepNoLongerNames) {
  const auto former = run_.key(0);
  run_.finish(0);
  run_.plans[0].keys[0] = {std::string(32, '0')};
  const auto address = address_of(former.hex.substr(0, 8), run_.picture());
  EXPECT_THAT(text(explain_former(std::get<FormerJob>(address), run_.picture(), [](const auto&) { return false; })),
              AllOf(HasSubstr("pets/cat"),
                    HasSubstr("of no sweep of this directory (any more): its result stays in the journal")));
}

TEST_F(Explain, ACellWithWhatIsMissingGroupedByItsReason) {
  run_.finish(0);
  run_.fail(2, "hung", "no step");
  run_.ended(3);
  EXPECT_EQ(cell("small/Linear/cat"),
            "small/Linear/cat: 1 of 2 jobs done; missing:\n"
            "  pets/cat linear-map + full seed 1 [" +
                run_.key(2).hex.substr(0, 8) +
                "]: failed: given up at attempt 2: hung: no step\n"
                "run it again: plume-bench run 'my sweep.json' --out runs/a --retry-failed\n");
  EXPECT_THAT(cell("small/Linear/dog"), AllOf(HasSubstr("0 of 2 jobs done"), HasSubstr("  2 jobs: not begun:"),
                                              HasSubstr("    pets/dog linear-map + full seed 1 [")));
  EXPECT_THAT(cell("small/Linear/mean"), HasSubstr("1 of 4 jobs done"));
  run_.finish(2, 3);
  EXPECT_EQ(cell("small/Linear/cat"), "small/Linear/cat: complete: 2 of 2 jobs done\n");
}

TEST_F(Explain, ACellThatNobodyPlannedIsNotComplete) {
  for (auto& one : run_.plans[0].tables[0].rows[0].cells) one.jobs.clear();
  EXPECT_EQ(cell("small/Linear/cat"), "small/Linear/cat: the sweep plans no job for it\n");
}

TEST_F(Explain, FindsWhatIsTypedWhateverItsCase) {
  EXPECT_EQ(cell("SMALL/linear/Cat"), cell("small/Linear/cat"));
  const auto by_key = std::get<JobAddress>(address_of(run_.key(2).hex.substr(0, 6), run_.picture()));
  EXPECT_EQ(by_key.job, 2U);
  EXPECT_EQ(std::get<JobAddress>(address_of("pets/dog linear-map + full seed 1", run_.picture())).job, 3U);
}

TEST_F(Explain, FindsRowsWhoseNamesHoldSlashes) {
  run_.plans[0].tables[0].rows[0].name = "a/b c";
  EXPECT_THAT(cell("small/a/b c/dog"), StartsWith("small/a/b c/dog: 0 of 2"));
}

TEST_F(Explain, FindsRowsAsTablesPrintThem) {
  const auto whole = cell("small/Linear/cat");
  for (const char* mark : {"untrained", "partly untrained", "not the paper's weights", "untrained, substitute",
                           "partly untrained, not the paper's weights, substitute", "substitute"}) {
    EXPECT_EQ(cell(std::string("small/Linear (") + mark + ")/cat"), whole) << mark;
  }
  EXPECT_THAT(refusal("small/Linaer (untrained)/cat"), HasSubstr("no row \"Linaer\" in table small"));
  EXPECT_THAT(refusal("small/Linear (trained)/cat"), HasSubstr("no row \"Linear (trained)\""));
  auto& row = run_.plans[0].tables[0].rows[0];
  row.name = "a|b [c]\n<d> (untrained)";
  for (const char* typed : {"small/a|b [c] <d> (untrained)/cat", "small/a\\|b \\[c] &lt;d> (untrained)/cat",
                            "small/a|b [c] <d> (untrained) (untrained)/cat"}) {
    EXPECT_THAT(cell(typed), HasSubstr(": 0 of 2 jobs done")) << typed;
  }
}

TEST_F(Explain, FindsColumnsAndMeansAsTablesPrintThem) {
  run_.plans[0].tables[0].columns_are = sweeps::Columns::mean;
  EXPECT_THAT(cell("small/Linear/mean"), HasSubstr("0 of 4 jobs done"));
  auto& table = run_.plans[0].tables[0];
  table.columns.resize(1);
  table.rows[0].cells.resize(1);
  EXPECT_THAT(cell("small/Linear/mean"), HasSubstr("0 of 2 jobs done")) << "the only column that is printed";
}

TEST_F(Explain, AnswersAMistypedAddressWithTheNearestRightOne) {
  EXPECT_THAT(refusal("small/Linaer/cat"),
              HasSubstr("small/Linaer/cat: no row \"Linaer\" in table small (did you mean \"Linear\"?)"));
  EXPECT_THAT(refusal("small/near/cat"), HasSubstr("no row \"near\" in table small (did you mean \"Linear\"?)"))
      << "a part of its name";
  EXPECT_THAT(refusal("small/Linear/cow"),
              HasSubstr("no column \"cow\" in table small; its columns are \"cat\", \"dog\""));
  EXPECT_THAT(refusal("small/linear"),
              HasSubstr("a column of table small is missing; its columns are \"cat\", \"dog\""));
  EXPECT_THAT(refusal("smal/Linear/cat"), HasSubstr("did you mean table \"small\"?"));
  EXPECT_THAT(refusal("12345"), HasSubstr("at least 6 digits"));
  EXPECT_THAT(refusal("000000"), HasSubstr("no job of runs/a has a key that begins so"));
  EXPECT_THAT(refusal("what"), HasSubstr("expected the key of a job"));
  run_.plans[0].keys[0] = {"abcdef0" + std::string(25, '0')};
  run_.plans[0].keys[1] = {"abcdef1" + std::string(25, '0')};
  EXPECT_THAT(refusal("abcdef"), AllOf(HasSubstr("2 jobs"), HasSubstr("give more digits")));
}

TEST_F(Explain, BeforeTheImagesAreScannedSaysThatNoJobIsKnownAndHowTheRunIs) {
  run_.plans.clear();
  run_.names.clear();
  run_.facts.command.clear();
  run_.at_work(RunPhase::scanning);
  EXPECT_THAT(refusal("small/Linear/cat"), AllOf(HasSubstr("run.json is written once all images are scanned"),
                                                 testing::EndsWith("it is: scanning images")));
  run_.ended(1, "pets: cat/3.jpg is damaged");
  run_.status->command = {"plume-bench", "run", "my sweep.json"};
  for (const char* asked : {"small/Linear/cat", "0123abcd"}) {
    EXPECT_THAT(refusal(asked), AllOf(HasSubstr("broke"), HasSubstr("because: pets: cat/3.jpg is damaged"),
                                      testing::EndsWith("once that is mended, the same command goes on with what is "
                                                        "left: plume-bench run 'my sweep.json'")));
  }
}

TEST_F(Explain, AJobOfARunByABatchScriptIsGoneOnWithByTheScript) {
  run_.fail(0, "hung", "no step");
  run_.ended(3);
  run_.run_by_slurm();
  EXPECT_THAT(job(0), testing::EndsWith("run it again: sbatch runs/a/slurm/run.sbatch --retry-failed\n"));
  EXPECT_THAT(job(1), testing::EndsWith("go on with it: sbatch runs/a/slurm/run.sbatch\n"));
}

TEST_F(Explain, AJobOfAChainNeedsNothingTypedWhileAnotherAllocationFollows) {
  run_.fail(0, "hung", "no step");
  run_.ended(4);
  run_.run_by_slurm();
  run_.chain_said(true, 4);
  EXPECT_THAT(job(1), testing::EndsWith("the next allocation goes on with it; `squeue --me` shows it waiting\n"));
  EXPECT_THAT(job(0), testing::EndsWith("once the chain has ended, run it again: sbatch runs/a/slurm/run.sbatch "
                                        "--retry-failed\n"));
  run_.at_work(RunPhase::draining);
  run_.run_by_slurm();
  EXPECT_THAT(job(1), testing::EndsWith("the next allocation goes on with it\n"));
}

}  // namespace
}  // namespace runner
