// What `slurm` prints of a sweep before anything is submitted: how long it would take, and what is missing.
#include "runner/slurm_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "storage/error.hpp"
#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class SlurmCommand : public testing::Test {
 protected:
  SlurmCommand() {
    write_site("");
    setenv("TORCH_HOME", (folder_ / "torch").c_str(), 1);  // the hub of this machine is no matter
    question_.sweep = folder_ / "sweep.json";
    question_.out = folder_ / "out";
    question_.site.site = folder_ / "site.json";
    question_.site.cache = folder_ / "cache";
    question_.cluster.time = "2:00:00";
    question_.ask = [](const auto&, const auto&) { return Answer{false, "", "no Slurm"}; };
  }
  ~SlurmCommand() override { unsetenv("TORCH_HOME"); }

  void write_site(const std::string& more) {
    tests::write_text(folder_ / "site.json", R"({"version": 1)" + more + "}");
  }
  /// Of a sweep with this data set, and its kind where it is one of the user's own.
  std::string printed(const std::string& dataset, const std::string& kind = "", const std::string& more = "") {
    const auto own = kind.empty() ? "" : R"("datasets": {")" + dataset + R"(": {"kind": ")" + kind + R"("}}, )";
    tests::write_text(folder_ / "sweep.json", R"({"version": 1, "name": "s", )" + own + R"("blocks": [{"dataset": ")" +
                                                  dataset + R"(", "backbone": "resnet50", "lr": 0.001)" + more + "}]}");
    testing::internal::CaptureStdout();
    EXPECT_EQ(write_slurm_scripts(question_), 0);
    return testing::internal::GetCapturedStdout();
  }
  bool has_written() const { return std::filesystem::exists(folder_ / "out/slurm/run.sbatch"); }

  tests::TemporaryFolder folder_;
  SlurmQuestion question_;
};

TEST_F(SlurmCommand, NamesDataAndWeightsThatAreMissingAndWritesTheScripts) {
  const auto said = printed("cifar10");
  EXPECT_THAT(said, AllOf(HasSubstr("missing: data set \"cifar10\": it is not known where it lies; give --data "
                                    "cifar10=PATH, or \"data\": {\"cifar10\": \"PATH\"} in a site file"),
                          HasSubstr("missing: weights of resnet50: neither --weights nor "),
                          HasSubstr("The scripts are written all the same")));
  EXPECT_THAT(said, HasSubstr("sweep s: 10 jobs; ")) << "one for each official class";
  EXPECT_TRUE(has_written());
}

TEST_F(SlurmCommand, NamesADataSetThatIsNotWhereTheSiteFileSaysIt) {
  write_site(R"(, "data": {"cifar10": "nowhere"})");
  EXPECT_THAT(printed("cifar10"), HasSubstr("missing: data set \"cifar10\": " + (folder_ / "nowhere").string() +
                                            " is not there (site file " + (folder_ / "site.json").string() +
                                            " names it); put it there, or give --data cifar10=PATH"));
  question_.site.data = {{"cifar10", (folder_ / "elsewhere").string()}};
  question_.force = true;
  EXPECT_THAT(printed("cifar10"), HasSubstr("elsewhere is not there (--data names it)"));
}

TEST_F(SlurmCommand, CountsNoJobsWhereOnlyTheMissingFilesSayWhichClassesThereAre) {
  const auto said = printed("birds", "image-folder");
  EXPECT_THAT(said, AllOf(HasSubstr("sweep s: how many jobs depends on data that is missing; 1 node(s)"),
                          HasSubstr("missing: data set \"birds\""), Not(HasSubstr("estimated"))));
  EXPECT_TRUE(has_written());
}

TEST_F(SlurmCommand, SaysNothingOfMissingThingsWhereAllAreThere) {
  tests::write_text(folder_ / "r50.pth", "weights");
  question_.site.weights = {{"resnet50", (folder_ / "r50.pth").string()}};
  EXPECT_THAT(printed("synthetic"), Not(HasSubstr("missing")));
}

TEST_F(SlurmCommand, RefusesDataThatTheSweepDoesNotName) {
  question_.site.data = {{"cifar", "/data"}};
  EXPECT_THROW(printed("cifar10"), storage::UsageError);
  testing::internal::GetCapturedStdout();
  EXPECT_FALSE(has_written());
}

TEST_F(SlurmCommand, SaysHowLongItWouldTakeAndMarksTheGuess) {
  EXPECT_THAT(
      printed("cifar10"),
      testing::ContainsRegex("estimated: [0-9,.]+\\* worker-[a-z]+ of 4 CPU threads, with 1 worker all in about "
                             ".*\\* and at most .*\\* more for the features .together .*\\* worker-[a-z]+.: .*\n"
                             "  longest job: about .*\\*; an allocation has 1 h 55 min before its drain"));
}

TEST_F(SlurmCommand, SaysWhichFlagsAskForCpusWhereGpusWouldStandIdle) {
  question_.why_gpus_idle = "this version computes on the CPU only";
  question_.cluster.gpus_per_node = 4;
  EXPECT_THAT(printed("synthetic"), HasSubstr("GPUs would stand idle (to ask for CPUs alone: --gpus-per-node 0 "
                                              "--workers-per-node 4): this version computes on the CPU only\n"));
  question_.cluster.gpus_per_node = 0;
  question_.cluster.workers_per_node = 4;
  question_.force = true;
  EXPECT_THAT(printed("synthetic"), Not(HasSubstr("idle")));
}

TEST_F(SlurmCommand, HoldsWhatIsAskedForAgainstTheClusterAndWritesTheScripts) {
  question_.ask = [](const auto& command, const auto&) {
    const bool is_sinfo = command.front() == "sinfo";
    return Answer{true, is_sinfo ? "cpu*|up|30:00|1|(null)|8|7900|idle|(null)\n" : "MaxArraySize = 1001\n", ""};
  };
  EXPECT_THAT(printed("synthetic"),
              AllOf(HasSubstr("  Slurm: --time 2:00:00 is more than partition cpu allows: write --time 00:30:00\n"),
                    HasSubstr("  Slurm: no node of partition cpu has 1 GPU: write --gpus-per-node 0"
                              " --workers-per-node N\n"),
                    Not(HasSubstr("CPUs (")), Not(HasSubstr("as a job array"))));
  EXPECT_TRUE(has_written());
}

TEST_F(SlurmCommand, HasScriptsPrintNoEpochsThoughOnlySomeJobsRun) {
  question_.only = "seed=0";
  EXPECT_THAT(printed("cifar10"), HasSubstr("sweep s: 10 jobs; "));
  EXPECT_THAT(tests::read_text(folder_ / "out/slurm/run.sbatch"), HasSubstr("--only seed=0 "));
  EXPECT_THAT(tests::read_text(folder_ / "out/slurm/run.sbatch"), HasSubstr(" --no-epoch-lines --drain-within "));
}

TEST_F(SlurmCommand, ShowsOfLongLinesWhereTheyBeginToDiffer) {
  const std::string long_word(150, 'x');
  question_.run_flags = {"--deadline", long_word, "--job-retries", "1", "--start-deadline", long_word};
  printed("synthetic");
  question_.run_flags[3] = "2";
  try {
    printed("synthetic");
    FAIL() << "it took a script for what it would write";
  } catch (const storage::UsageError& error) {
    testing::internal::GetCapturedStdout();
    EXPECT_THAT(error.what(), ContainsRegex("run.sbatch: is there and differs from what would be written: line [0-9]+ "
                                            "is \"[.]{3} .*--job-retries 1 .*, and would be \".*--job-retries 2 "));
  }
}

TEST_F(SlurmCommand, RefusesLinesOfSetupThatTakeInTheScriptAfterThem) {
  const auto why = [&](const std::vector<std::string>& lines) -> std::string {
    question_.cluster.setup = lines;
    try {
      printed("synthetic");
    } catch (const storage::UsageError& error) {
      testing::internal::GetCapturedStdout();
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(why({"export A=1", "echo \\"}), HasSubstr("the script's next line would be a part of `echo \\`"));
  EXPECT_THAT(why({"cat <<E"}),
              AllOf(HasSubstr("expected lines of shell that are whole: "), HasSubstr("here-document")));
  for (const char* open : {"echo \"a", "true &&", "(", "if true; then", "x=`date"}) EXPECT_NE(why({open}), "") << open;
  EXPECT_FALSE(has_written());
  question_.force = true;
  EXPECT_EQ(why({"# a comment", "cat <<E", "text", "E", "export A=\\", "1"}), "");
  EXPECT_EQ(why({"touch " + (folder_ / "executed").string()}), "") << "written, and not executed";
  EXPECT_FALSE(std::filesystem::exists(folder_ / "executed"));
}

}  // namespace
}  // namespace runner
