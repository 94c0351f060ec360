// What `plan` prints, with and without data at hand.
#include "runner/plan_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "results/journal.hpp"
#include "runner/plan_needs.hpp"
#include "storage/error.hpp"
#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Without the line that says how much room there is.
std::string without_disk(std::string text) {
  const auto at = text.find("  disk: features ");
  if (at != std::string::npos) text.erase(at, text.find('\n', at) + 1 - at);
  return text;
}

class PlanCommand : public testing::Test {
 protected:
  PlanCommand() {
    tests::write_text(folder_ / "site.json", R"({"version": 1})");
    question_.site.site = folder_ / "site.json";
    question_.site.cache = folder_ / "cache";
    setenv("TORCH_HOME", (folder_ / "torch").c_str(), 1);  // the hub of this machine is no matter
    question_.ask = [](const auto&, const auto&) { return Answer{false, "", "no Slurm"}; };
  }
  ~PlanCommand() override { unsetenv("TORCH_HOME"); }
  std::string printed() {
    testing::internal::CaptureStdout();
    print_plan(question_);
    return testing::internal::GetCapturedStdout();
  }
  std::string printed(const std::string& blocks) {
    tests::write_text(folder_ / "sweep.json", R"({"version": 1, "name": "s", "blocks": [)" + blocks + "]}");
    question_.sweep = folder_ / "sweep.json";
    return printed();
  }

  tests::TemporaryFolder folder_;
  PlanQuestion question_;
};

TEST_F(PlanCommand, CountsThePaperWithoutAnyDataAtHand) {
  question_.sweep = PLUME_SOURCE_DIR "/sweeps/paper/all.json";
  EXPECT_EQ(
      without_disk(printed()),
      "sweep all: 820 distinct jobs out of 2,320 named, 0 done, 820 to run\n"
      "  table cifar10-main: 11 rows x 10 columns, 300 named, 150 jobs (0 shared with tables above), 0 done, 150 left\n"
      "  table cifar100-mean: 2 rows x 20 columns, 200 named, 200 jobs (0 shared with tables above), 0 done, 200 left\n"
      "  table cifar10-ablation: 7 rows x 10 columns, 350 named, 350 jobs (50 shared with tables above), 0 done, 350 "
      "left\n"
      "  table spark: 4 rows x 1 columns, 20 named, 20 jobs (0 shared with tables above), 0 done, 20 left\n"
      "  table cifar10-max: 4 rows x 10 columns, 300 named, 150 jobs (150 shared with tables above), 0 done, 150 left\n"
      "  table cifar10-lambda: 6 rows x 10 columns, 350 named, 200 jobs (150 shared with tables above), 0 done, 200 "
      "left\n"
      "  table cifar100-classes: 2 rows x 20 columns, 200 named, 200 jobs (200 shared with tables above), 0 done, 200 "
      "left\n"
      "  table cifar10-all: 27 rows x 10 columns, 150 named, 150 jobs (150 shared with tables above), 0 done, 150 "
      "left\n"
      "  table cifar10-ablation-all: 9 rows x 10 columns, 450 named, 450 jobs (350 shared with tables above), 0 "
      "done, 450 left\n"
      "  features of cifar10 through resnet50: 50,000 training and 10,000 test rows, 492 MB\n"
      "  features of cifar10 as images of 32x32: 50,000 training and 10,000 test rows, 184 MB\n"
      "  features of cifar100 through resnet50: 50,000 training and 10,000 test rows, 492 MB\n"
      "  features of cifar100 as images of 32x32: 50,000 training and 10,000 test rows, 184 MB\n"
      "  features of spark2021 through resnet50: at least 75,000 training and 30,000 test rows, 860 MB\n"
      "  features of spark2021 through vgg16: at least 75,000 training and 30,000 test rows, 1,720 MB\n"
      "  features of spark2021 through convnext-base: at least 75,000 training and 30,000 test rows, 430 MB\n"
      "  features of spark2021 as images of 32x32: at least 75,000 training and 30,000 test rows, 323 MB\n"
      "  trainings: 820; optimiser steps: 15.69 million; rows scored: 1.36 billion\n"
      "  checkpoints: at most 0.97 GB a training, of those that take longer than 10 minutes\n"
      "  features that the cache does not hold: at most 24.7* worker-hours of one CPU thread each\n"
      "  estimated: 963* worker-hours of one CPU thread each, or 3.6* GPU-hours on an H100; * = guess: no job like "
      "these was timed\n"
      "  longest job: about 17 h* on a CPU thread, 4 min* on an H100\n"
      "  memory: about 4.24 GB for each worker; 1.34 GB for the coordinator\n"
      "  missing: weights of convnext-base, resnet50, vgg16 (no file is named, and torch's hub folder has none): give "
      "--weights convnext-base=FILE, or name it in a site file\n"
      "  not looked at: cifar10, cifar100, spark2021 (neither --data nor a site file says where): classes and "
      "rows are the official ones\n");
}

TEST_F(PlanCommand, CountsAScaleAndSubstitutes) {
  question_.sweep = PLUME_SOURCE_DIR "/sweeps/paper/all.json";
  question_.scale = "quick";
  question_.substitutes = {{"spark2021", "spark2022"}, {"vgg16", "efficientnet-lite0"}};
  const auto text = printed();
  EXPECT_THAT(text, HasSubstr("sweep all at scale quick: 328 distinct jobs out of 928 named, 0 done, 328 to run\n"));
  EXPECT_THAT(text, HasSubstr("  features of cifar10 through resnet50: 200 training and 100 test rows, 2.5 MB\n"));
  EXPECT_THAT(text, HasSubstr("  features of spark2022 through efficientnet-lite0: rows not known before its files"));
  EXPECT_THAT(text, HasSubstr("those on spark2022 not counted\n"));
  EXPECT_THAT(text, HasSubstr("(no file is named, and torch's hub folder has none): at the scale quick they run "
                              "untrained\n"));
}

TEST_F(PlanCommand, CountsTheWeightsOfTheBestEpochWhereTheyAreKept) {
  const auto memory = [&](const std::string& save) {
    const auto text =
        printed(R"({"dataset": "synthetic", "backbone": "efficientnet-lite0", "save": ")" + save + R"("})");
    return text.substr(text.find("  memory: "), 50);
  };
  EXPECT_THAT(memory("none"), HasSubstr("about 1.41 GB for each worker"));
  EXPECT_THAT(memory("all"), HasSubstr("about 1.65 GB for each worker")) << "60.3 million numbers more";
}

TEST_F(PlanCommand, NamesWeightsThatAreMissing) {
  const std::string block = R"({"dataset": "cifar10", "backbone": "resnet50", "method": "knn"})";
  EXPECT_THAT(printed(block), HasSubstr("\n  missing: weights of resnet50 (no file is named, and "));
  question_.site.weights = {{"resnet50", "nowhere.pth"}};
  EXPECT_THAT(printed(block), testing::ContainsRegex("\n  missing: weights of resnet50: .*nowhere.pth is not there"));
  tests::write_text(folder_ / "r50.pth", "weights");
  question_.site.weights = {{"resnet50", (folder_ / "r50.pth").string()}};
  EXPECT_THAT(printed(block), Not(HasSubstr("missing")));
}

TEST_F(PlanCommand, ReadsWhatIsAtHand) {
  const auto text = printed(R"({"dataset": "synthetic", "backbone": "efficientnet-lite0", "epochs": 3, "seeds": 2})");
  EXPECT_THAT(text, HasSubstr("sweep s: 12 distinct jobs out of 12 named, 0 done, 12 to run\n"));
  EXPECT_THAT(text,
              HasSubstr("  features of synthetic through efficientnet-lite0: 2,400 training and 600 test rows, "));
  EXPECT_THAT(text, HasSubstr("  trainings: 12; optimiser steps: 468; rows scored: 36,000\n"))
      << "3 epochs each, of ceil(400 / 32) steps and of 400 + 600 rows";
  EXPECT_THAT(text, Not(HasSubstr("not looked at")));
}

TEST_F(PlanCommand, CountsASetOfFeaturesForEachClassThatItIsNormalisedBy) {
  EXPECT_THAT(printed(R"({"dataset": "cifar10", "backbone": "resnet50", "classes": ["cat", "dog"], "method": "knn",
                          "normalisation": ["normal-class", "dataset"], "train_rows": 10, "test_rows": 5})"),
              HasSubstr("  features of cifar10 through resnet50: 3 sets, 300 training and 150 test rows, 3.7 MB\n"));
}

TEST_F(PlanCommand, LeavesOutALastBatchOfOneRow) {
  EXPECT_THAT(printed(R"({"dataset": "cifar10", "backbone": "resnet50", "classes": ["cat"], "train_rows": [65, 66],
                          "epochs": 10})"),
              HasSubstr("  trainings: 2; optimiser steps: 50; "))
      << "two batches of 65 rows, three of 66";
}

TEST_F(PlanCommand, CountsAJobThatNoTableNamesOnce) {
  tests::write_text(folder_ / "sweep.json", R"({"version": 1, "name": "s", "blocks": [
      {"dataset": "cifar10", "backbone": "resnet50", "classes": ["cat"], "lambda": [5, 10]}],
      "tables": [{"id": "t", "rows": [{"name": "a", "where": {"lambda": 5}}, {"name": "b", "where": {"lambda": 5}}]}]})");
  question_.sweep = folder_ / "sweep.json";
  EXPECT_THAT(printed(), HasSubstr("2 distinct jobs out of 3 named"));
}

results::Done done(const sweeps::Job& job, double seconds) {
  results::Done d;
  d.job = job;
  d.result.train_rows = 10;
  d.result.test_rows = 50;
  d.result.classes = {"a"};
  d.result.train = d.result.test = {std::string(32, '0'), std::string(8, '0')};
  d.result.weights = "random:0";
  d.result.device = "cpu";
  d.timing.wall_seconds = seconds;
  d.timing.host = "node";
  d.timing.started = "2026-11-28T12:00:00Z";
  return d;
}

void keep(const std::filesystem::path& directory, const std::vector<results::Done>& all) {
  std::filesystem::create_directories(directory);
  tests::write_text(directory / "run.json", R"({"version": 1, "sweeps": []})");
  results::Journal journal(directory / "journal.jsonl", results::replay_journal(directory / "journal.jsonl"));
  for (const auto& one : all) journal.append(one);
  journal.sync();
}

TEST_F(PlanCommand, CountsWhatSeveralDirectoriesHoldAndTakesTimesOfOthers) {
  const std::string block = R"({"dataset": "cifar10", "backbone": "resnet50", "classes": ["cat"], "train_rows": 10,
                                "test_rows": 5, "lr": 0.001, "dimension": 384, "epochs": 10, "seeds": 4})";
  tests::write_text(folder_ / "sweep.json", R"({"version": 1, "name": "s", "blocks": [)" + block + "]}");
  question_.sweep = folder_ / "sweep.json";
  const auto sweep = sweeps::read_sweep(question_.sweep);
  auto job = sweep.blocks.at(0).jobs_without_class.at(0);
  job.normal_class = "cat";
  auto second = job, other = job;
  second.seed = 1;
  other.dataset = "elsewhere";
  keep(folder_ / "a", {done(job, 600)});
  keep(folder_ / "b", {done(second, 600)});
  keep(folder_ / "c", {done(other, 1800)});
  EXPECT_THAT(printed(), HasSubstr("0 done, 4 to run\n"));
  question_.times = {(folder_ / "c").string()};
  EXPECT_THAT(printed(), HasSubstr("  estimated: 2.0 worker-hours, from 1 job that ran on CPUs\n"));
  question_.times.clear();
  question_.out = {(folder_ / "a").string(), (folder_ / "b").string()};
  question_.workers = 2;
  const auto text = printed();
  EXPECT_THAT(text, HasSubstr("4 distinct jobs out of 4 named, 2 done, 2 to run\n"));
  EXPECT_THAT(text, HasSubstr("  estimated: 20 worker-minutes left of 40 worker-minutes, from 2 jobs that ran on CPUs\n"
                              "  longest job left: about 10 min; with 2 workers all in about 10 min\n"));
}

TEST_F(PlanCommand, StillWantsDataWhoseClassesNobodyKnows) {
  tests::write_text(folder_ / "sweep.json",
                    R"({"version": 1, "name": "s", "datasets": {"mine": {"kind": "image-folder"}},
      "blocks": [{"dataset": "mine", "method": "plad"}]})");
  question_.sweep = folder_ / "sweep.json";
  EXPECT_THROW(print_plan(question_), storage::UsageError);
}

TEST_F(PlanCommand, RefusesAPathThatIsGivenAndWrong) {
  question_.sweep = PLUME_SOURCE_DIR "/sweeps/paper/cifar10-max.json";
  question_.site.data["cifar10"] = (folder_ / "nowhere").string();
  EXPECT_THROW(print_plan(question_), storage::UsageError);
}

}  // namespace
}  // namespace runner
