// Every mistake gets one clear line and the right exit status.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

std::string knn_sweep(const std::string& dataset, const std::string& more = "") {
  return R"({"version": 1, "name": "s", "datasets": {"folder": {"kind": "image-folder"}}, "blocks": [{"dataset": ")" +
         dataset + R"(", "backbone": "efficientnet-lite0", "method": "knn", "train_rows": 4, "test_rows": 2)" + more +
         "}]}";
}

class Mistake : public testing::Test {
 protected:
  /// Runs a sweep; `more` flags come last. Asserts that standard error ends in one line "plume-bench: ...", and returns
  /// it.
  std::string run(const std::string& sweep, int status, const std::vector<std::string>& more = {}) {
    write_text(folder_ / "sweep.json", sweep);
    std::vector<std::string> arguments = {"run", "sweep.json", "--out", "out"};
    if (std::find(more.begin(), more.end(), "--cache") == more.end()) {
      arguments.insert(arguments.end(), {"--cache", "cache"});
    }
    if (std::find(more.begin(), more.end(), "--weights") == more.end()) {
      arguments.insert(arguments.end(), {"--weights", "efficientnet-lite0=" + real_weights().string()});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return line_of(run_program(arguments, folder_.path()), status);
  }
  static std::string line_of(const Ended& ended, int status) {
    EXPECT_EQ(ended.status, status) << ended.errors;
    const auto at = ended.errors.rfind("plume-bench: ");
    if (at == std::string::npos) return "(no line) " + ended.errors;
    const auto line = ended.errors.substr(at);
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
    return line;
  }
  fs::path image(const std::string& where) { return folder_ / ("images/" + where); }
  TemporaryFolder folder_;
};

TEST_F(Mistake, AnUnknownKeyIsAnsweredWithTheNearestRightOne) {
  EXPECT_THAT(run(knn_sweep("synthetic", R"(, "bakbone": "x")"), 2),
              AllOf(HasSubstr("sweep.json"), HasSubstr("blocks[0].bakbone"), HasSubstr("\"backbone\"")));
}

TEST_F(Mistake, ACacheThatCannotBeIsRefusedBeforeAnythingIsScanned) {
  write_text(folder_ / "file", "no folder");
  EXPECT_THAT(
      run(knn_sweep("synthetic"), 2, {"--cache", "file"}),
      AllOf(HasSubstr("file: the feature cache cannot be made here"), HasSubstr("give another folder with --cache")));
}

TEST_F(Mistake, ASubstituteSaysWhatItStandsInFor) {
  EXPECT_THAT(run(knn_sweep("synthetic"), 2, {"--substitute", "synthetic"}),
              HasSubstr("--substitute: expected OLD=NEW, found \"synthetic\""));
}

TEST_F(Mistake, AMissingSweepFileIsNamed) {
  const auto line = line_of(run_program({"run", "none.json", "--out", "out"}, folder_.path()), 2);
  EXPECT_THAT(line, HasSubstr("none.json"));
}

TEST_F(Mistake, AMistypedFlagOrCommandIsAnsweredWithTheNearestRightOne) {
  EXPECT_THAT(line_of(run_program({"run", "s.json", "--uot", "x", "--out", "y"}, folder_.path()), 2),
              AllOf(HasSubstr("--uot"), HasSubstr("--out")));
  EXPECT_THAT(line_of(run_program({"rnu", "s.json"}, folder_.path()), 2), AllOf(HasSubstr("rnu"), HasSubstr("run")));
  EXPECT_THAT(line_of(run_program({}, folder_.path()), 2), HasSubstr("--help"));
}

TEST_F(Mistake, ADataSetWhoseFolderIsNotKnownNamesTheWaysToGiveIt) {
  EXPECT_THAT(run(knn_sweep("folder"), 2), AllOf(HasSubstr("\"folder\""), HasSubstr("--data folder=PATH")));
}

TEST_F(Mistake, AMistypedIdOfAPathIsAnsweredWithTheRightOne) {
  EXPECT_THAT(run(knn_sweep("folder"), 2, {"--data", "foldre=/data"}),
              AllOf(HasSubstr("--data foldre=/data"), HasSubstr("\"folder\"")));
}

TEST_F(Mistake, AFolderWithoutTheLayoutIsNamedWithWhatWasExpected) {
  fs::create_directories(image("stuff"));
  EXPECT_THAT(run(knn_sweep("folder"), 2, {"--data", "folder=" + image("").string()}),
              AllOf(HasSubstr("images"), HasSubstr("train/")));
  EXPECT_THAT(run(knn_sweep("cifar10"), 2, {"--data", "cifar10=" + image("").string()}), HasSubstr("data_batch_1.bin"));
}

TEST_F(Mistake, AnIdGivenTwiceIsRefused) {
  EXPECT_THAT(run(knn_sweep("folder"), 2, {"--data", "folder=a", "--data", "folder=b"}),
              HasSubstr("--data folder: given twice, as a and as b; give it once"));
}

TEST_F(Mistake, ANameThatATerminalWouldObeyIsShownOnOneLine) {
  EXPECT_THAT(run(knn_sweep("folder"), 2, {"--data", "folder=x\n\x1b[2J"}), HasSubstr("x??[2J: "));
}

TEST_F(Mistake, ATruncatedBatchOfCifar10IsNamedWithBothSizes) {
  for (const char* name : {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin",
                           "data_batch_5.bin", "test_batch.bin"}) {
    write_text(image(name), "short");
  }
  EXPECT_THAT(run(knn_sweep("cifar10"), 2, {"--data", "cifar10=" + image("").string()}),
              AllOf(HasSubstr("data_batch_1.bin"), HasSubstr("30730000")));
}

TEST_F(Mistake, ADamagedImageIsNamedByTheTrainerAndTheRunFails) {
  for (const char* name : {"train/cat/1.jpg", "train/cat/2.jpg", "train/dog/1.jpg", "train/dog/2.jpg", "test/cat/1.jpg",
                           "test/dog/1.jpg"}) {
    write_text(image(name), "not a jpeg");
  }
  const auto line = run(knn_sweep("folder"), 1, {"--data", "folder=" + image("").string()});
  EXPECT_THAT(line, HasSubstr("1.jpg"));
}

TEST_F(Mistake, DamagedWeightsAreNamed) {
  auto bytes = read_text(real_weights());
  bytes.resize(bytes.size() / 2);
  write_text(folder_ / "half.pth", bytes);
  EXPECT_THAT(run(knn_sweep("synthetic"), 1, {"--weights", "efficientnet-lite0=half.pth"}), HasSubstr("half.pth"));
  EXPECT_THAT(run(knn_sweep("synthetic"), 2, {"--weights", "efficientnet-lite0=none.pth"}),
              HasSubstr("none.pth is not there"));
}

TEST_F(Mistake, ASecondRunOnADirectoryIsRefusedWhileTheFirstWorks) {
  write_text(folder_ / "sweep.json", knn_sweep("synthetic"));
  const std::vector<std::string> command = {program().string(),
                                            "run",
                                            "sweep.json",
                                            "--out",
                                            "out",
                                            "--cache",
                                            "cache",
                                            "--weights",
                                            "efficientnet-lite0=" + real_weights().string()};
  TemporaryFolder elsewhere;
  Running first(command, folder_.path());
  ASSERT_TRUE(first.until([&] { return fs::exists(folder_ / "out/lock"); }));
  first.signal(SIGSTOP);  // alive and holding the lock, however fast it is
  auto absolute = command;
  for (auto& word : absolute) {
    if (word == "sweep.json" || word == "out" || word == "cache") word = (folder_ / word).string();
  }
  const auto second = Running(absolute, elsewhere.path()).wait();
  EXPECT_THAT(line_of(second, 1),
              AllOf(HasSubstr("another run works on this directory"), HasSubstr(std::to_string(first.pid()))));
  first.signal(SIGCONT);
  EXPECT_EQ(first.wait().status, 0) << "the first is undisturbed";
}

TEST_F(Mistake, AJournalDamagedInTheMiddleIsRefusedUntilRepaired) {
  ASSERT_EQ(run_program({"run", "sweep.json", "--out", "out"}, folder_.path()).status, 2);
  write_text(folder_ / "sweep.json", knn_sweep("synthetic"));
  const std::vector<std::string> arguments = {
      "run",     "sweep.json", "--out",     "out",
      "--cache", "cache",      "--weights", "efficientnet-lite0=" + real_weights().string()};
  const auto first = run_program(arguments, folder_.path());
  ASSERT_EQ(first.status, 0) << first.errors;
  auto journal = read_text(folder_ / "out/journal.jsonl");
  journal[journal.find("\"auc\":") + 8] ^= 1;
  write_text(folder_ / "out/journal.jsonl", journal);
  EXPECT_THAT(line_of(run_program(arguments, folder_.path()), 1),
              AllOf(HasSubstr("journal.jsonl"), HasSubstr("line "), HasSubstr("checksum"), HasSubstr("repair")));
  EXPECT_EQ(run_program({"repair", "out"}, folder_.path()).status, 0);
  const auto again = run_program(arguments, folder_.path());
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(again.output, first.output);
}

TEST_F(Mistake, AJournalThatCannotGrowIsNamedAndNothingCommittedIsLost) {
  write_text(folder_ / "sweep.json", knn_sweep("synthetic"));
  const std::vector<std::string> arguments = {
      "run",     "sweep.json", "--out",     "out",
      "--cache", "cache",      "--weights", "efficientnet-lite0=" + real_weights().string()};
  const auto whole = run_program(arguments, folder_.path());
  ASSERT_EQ(whole.status, 0) << whole.errors;
  fs::remove_all(folder_ / "out");

  // Room for three or four of the six results: a limit on the size of files fails a write as a full disk does.
  std::vector<std::string> limited = {"bash", "-c", "trap '' XFSZ; ulimit -f 4; exec \"$@\"", "bash",
                                      program().string()};
  limited.insert(limited.end(), arguments.begin(), arguments.end());
  const auto line = line_of(Running(limited, folder_.path()).wait(), 1);
  EXPECT_THAT(line, AllOf(HasSubstr("journal.jsonl"), HasSubstr("File too large")));
  const auto kept = read_text(folder_ / "out/journal.jsonl");
  EXPECT_GT(std::count(kept.begin(), kept.end(), '\n'), 0);

  const auto again = run_program(arguments, folder_.path());
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(again.output, whole.output);
  EXPECT_EQ(read_text(folder_ / "out/journal.jsonl").rfind(kept, 0), 0U) << "what was committed is still there, first";
}

TEST_F(Mistake, AnEmptyOutAndAnOutputThatCannotBeWrittenAreRefused) {
  write_text(folder_ / "sweep.json", knn_sweep("synthetic"));
  EXPECT_THAT(line_of(run_program({"run", "sweep.json", "--out", ""}, folder_.path()), 2), HasSubstr("--out"));
  const auto full = Running({"bash", "-c", "exec \"$@\" >/dev/full", "bash", program().string(), "plan", "sweep.json"},
                            folder_.path())
                        .wait();
  EXPECT_THAT(line_of(full, 1), HasSubstr("standard output"));
}

TEST_F(Mistake, AFlagOfRunGivenToSlurmIsSentBehindTheDashesOrToTheScript) {
  write_text(folder_ / "sweep.json", knn_sweep("synthetic"));
  const auto slurm = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{"slurm", "sweep.json", "--out", "out", "--mem", "4G"};
    all.insert(all.end(), more.begin(), more.end());
    return run_program(all, folder_.path());
  };
  EXPECT_THAT(line_of(slurm({"--retry-failed"}), 2),
              AllOf(HasSubstr("--retry-failed: a flag of `run`, not of `slurm`"), HasSubstr("-- --retry-failed"),
                    HasSubstr("sbatch DIR/slurm/run.sbatch --retry-failed")));
  EXPECT_THAT(line_of(slurm({"--retry-faild"}), 2), testing::Not(HasSubstr("of `run`")));
  EXPECT_THAT(
      line_of(slurm({"--", "--checkpoint-evry", "5"}), 2),
      AllOf(HasSubstr("after --: --checkpoint-evry: expected a flag of `run`"), HasSubstr("--checkpoint-every")));
  EXPECT_THAT(line_of(slurm({"--", "--only"}), 2), HasSubstr("--only: a flag of `slurm` itself: write it before --"));
  for (const char* never : {"--", "--dry-run", "--take-over", "--help"}) {
    EXPECT_THAT(line_of(slurm({"--", never}), 2), HasSubstr("nothing for every allocation of a script"));
  }
  EXPECT_THAT(line_of(slurm({"--setup", "if true; then"}), 2), HasSubstr("expected lines of shell that are whole"));
  EXPECT_FALSE(fs::exists(folder_ / "out"));
  EXPECT_EQ(slurm({"--", "--retry-failed"}).status, 0);
  EXPECT_THAT(read_text(folder_ / "out/slurm/run.sbatch"),
              AllOf(testing::ContainsRegex(" --retry-failed --drain-within [0-9]+ --end-within 8 \"[$]@\""),
                    HasSubstr("#SBATCH --mem=4G\n")));
}

TEST_F(Mistake, WhatIsNoNumberIsInNoRange) {
  write_text(folder_ / "sweep.json", knn_sweep("synthetic"));
  for (const char* flag : {"--checkpoint-every", "--heartbeat-deadline", "--deadline-margin"}) {
    EXPECT_THAT(line_of(run_program({"run", "sweep.json", "--out", "out", flag, "nan"}, folder_.path()), 2),
                AllOf(HasSubstr(flag), HasSubstr("found nan")));
  }
}

TEST_F(Mistake, ARefusedRunTellsTheScriptThatStartedIt) {
  write_text(folder_ / "sweep.json", knn_sweep("synthetic"));
  const auto told = [&](const std::vector<std::string>& command, const std::string& rank) {
    write_text(folder_ / "told", "");
    std::vector<std::string> all{"env", "PLUME_EXIT_STATUS_FILE=told", rank, program().string()};
    all.insert(all.end(), command.begin(), command.end());
    Running(all, folder_.path()).wait();
    return read_text(folder_ / "told");
  };
  const std::vector<std::string> refused{"run", "sweep.json", "--out", "out", "--no-such-flag"};
  EXPECT_EQ(told(refused, "PMIX_RANK=0"), "2\n");
  EXPECT_EQ(told(refused, "PMIX_RANK=1"), "") << "rank 0 speaks for all";
  EXPECT_EQ(told({"chain", "nowhere", "--status", "4"}, "PMIX_RANK=0"), "") << "of runs alone";
}

TEST_F(Mistake, ReportAndRepairWantADirectoryOfARun) {
  EXPECT_THAT(line_of(run_program({"report", "nowhere"}, folder_.path()), 2),
              AllOf(HasSubstr("nowhere"), HasSubstr("run.json")));
  EXPECT_THAT(line_of(run_program({"repair", "nowhere"}, folder_.path()), 2), HasSubstr("nowhere"));
}

}  // namespace
}  // namespace tests
