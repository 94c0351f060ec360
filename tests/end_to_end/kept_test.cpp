// What trainings leave beside their results, with the real program: the same files whatever befell the training, and
// what a run says where they are missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "results/dump.hpp"
#include "storage/digest.hpp"
#include "sweeps/checkpoint_size.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/end_to_end/tiny_sweep.hpp"
#include "workers/kept_files.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const SweepShape kKeeping{.seeds = 1, .epochs = 5, .block = R"("save": "all", "dump": 7)"};
const SweepShape kKeepingNothing{.seeds = 1, .epochs = 5};

/// Digests of all files under models/ and dumps/, by name.
std::map<std::string, std::string> left_in(const fs::path& out) {
  std::map<std::string, std::string> files;
  for (const char* folder : {"models", "dumps"}) {
    if (!fs::exists(out / folder)) continue;
    for (const auto& entry : fs::directory_iterator(out / folder)) {
      files[entry.path().filename().string()] = storage::hex(storage::sha256(read_text(entry.path())));
    }
  }
  return files;
}

/// Of a run that nothing disturbs.
const std::map<std::string, std::string>& undisturbed() {
  static std::map<std::string, std::string> files;
  if (files.empty()) {
    const TinySweep sweep(kKeeping);
    EXPECT_EQ(sweep.run().status, 0);
    files = left_in(sweep.out());
  }
  return files;
}

TEST(Kept, AreTwoModelsAndADumpOfEachTraining) {
  std::vector<std::string> kinds;
  for (const auto& [name, digest] : undisturbed()) kinds.push_back(name.substr(32));
  std::sort(kinds.begin(), kinds.end());
  EXPECT_THAT(kinds, ElementsAre("-best.safetensors", "-best.safetensors", "-last.safetensors", "-last.safetensors",
                                 ".h5", ".h5"));
}

TEST(Kept, ChangeNeitherTheTablesNorTheKeys) {
  const TinySweep keeping(kKeeping), plain(kKeepingNothing);
  ASSERT_EQ(keeping.run().status, 0);
  ASSERT_EQ(plain.run().status, 0);
  EXPECT_EQ(keeping.table(), plain.table());
  EXPECT_TRUE(left_in(plain.out()).empty());
  EXPECT_FALSE(fs::exists(plain.out() / "models"));
}

TEST(Kept, AreTheSameBytesWhereTheTrainerWasKilledAndWentOnFromACheckpoint) {
  const TinySweep sweep(kKeeping);
  const auto ended = sweep.run({"--checkpoint-every", "1e-9"}, {fault("kill@attempt=1,epoch=3")});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(sweep.log(), HasSubstr("resumed from epoch 3 step 3 of attempt 1"));
  EXPECT_EQ(left_in(sweep.out()), undisturbed());
}

TEST(Kept, AreTheSameBytesOfTwoWorkers) {
  const TinySweep sweep(kKeeping);
  EXPECT_EQ(sweep.run({"--workers", "2"}).status, 0);
  EXPECT_EQ(left_in(sweep.out()), undisturbed());
}

TEST(Kept, OfACheckpointWithoutTheBestEpochsWeightsAreMadeAnew) {
  const TinySweep sweep(kKeepingNothing);
  const std::vector<std::string> once = {"--checkpoint-every", "1e-9", "--job-retries", "0"};
  EXPECT_EQ(sweep.run(once, {fault("kill@epoch=3")}).status, 3);
  write_text(sweep.folder() / "sweep.json", read_text(TinySweep(kKeeping).folder() / "sweep.json"));
  const auto ended = sweep.run({"--retry-failed"});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("it has no weights of the best epoch before it, which this training is to save"));
  EXPECT_EQ(left_in(sweep.out()), undisturbed());
}

TEST(Kept, AreAskedForOfTrainingsThatAreDoneByAFlag) {
  const TinySweep sweep(kKeepingNothing);
  ASSERT_EQ(sweep.run().status, 0);
  write_text(sweep.folder() / "sweep.json", read_text(TinySweep(kKeeping).folder() / "sweep.json"));
  const auto warned = sweep.run();
  EXPECT_EQ(warned.status, 0) << warned.errors;
  EXPECT_THAT(warned.errors, HasSubstr("2 of the trainings that are done left no models or dump, which the sweep now "
                                       "wants (\"save\", \"dump\"): give --redo-unsaved to train them again"));
  EXPECT_TRUE(left_in(sweep.out()).empty());
  const auto table = sweep.table();
  const auto redone = sweep.run({"--redo-unsaved"});
  EXPECT_EQ(redone.status, 0) << redone.errors;
  EXPECT_EQ(left_in(sweep.out()), undisturbed());
  EXPECT_EQ(sweep.table(), table);
  EXPECT_EQ(sweep.committed(), 4U) << "two were taken back";
  const auto again = sweep.run({"--redo-unsaved"});
  EXPECT_THAT(again.errors, AllOf(HasSubstr("2 done, 0 to run"), Not(HasSubstr("left no models"))));
}

TEST(Kept, ModelsAreListedByTheTrainingThatTheyAreOf) {
  const TinySweep sweep(kKeeping);
  const auto ended = sweep.run();
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output, testing::EndsWith("Models: out/report/models.csv\n"));
  const auto list = read_text(sweep.out() / "report/models.csv");
  EXPECT_THAT(list, testing::StartsWith("dataset,class,setting,seed,weights,epoch,auroc,model\n"));
  EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), 1 + 2 * 2);
  const auto key = sweep.journal("done").at(0).key;
  EXPECT_THAT(list, AllOf(HasSubstr("synthetic,ring,linear-map + full,0,last,4,"),
                          HasSubstr(",out/models/" + key + "-best.safetensors\n")));
  fs::remove_all(sweep.out() / "models");
  const auto without = run_program({"report", "out"}, sweep.folder());
  EXPECT_THAT(without.output, Not(HasSubstr("Models:")));
  EXPECT_FALSE(fs::exists(sweep.out() / "report/models.csv")) << "what is listed is there";
}

TEST(Kept, DumpHoldsTheRowsThatWereAskedForAndTheScoresOfAll) {
  const TinySweep sweep(kKeeping);
  ASSERT_EQ(sweep.run({"--only", "class=ring"}).status, 0);
  const auto key = sweep.journal("done").at(0).key;
  const auto dump = results::read_dump(results::dump_file(sweep.out(), {key}));
  EXPECT_EQ(dump.key, key);
  EXPECT_EQ(dump.dimension, 96);
  EXPECT_EQ(dump.embedding, 16);
  EXPECT_EQ(dump.normal.ids.size(), 7U);
  EXPECT_EQ(dump.anomalous.ids.size(), 7U);
  EXPECT_EQ(dump.test.ids.size(), 24U);
  EXPECT_THAT(dump.normal_classes, ElementsAre("ring"));
  ASSERT_TRUE(dump.best);
  for (std::size_t i = 0; i < dump.normal.ids.size(); ++i) {
    const auto at = std::find(dump.test.ids.begin(), dump.test.ids.end(), dump.normal.ids[i]) - dump.test.ids.begin();
    EXPECT_EQ(dump.best->normal.scores[i], dump.best->test_scores.at(static_cast<std::size_t>(at)));
  }
}

TEST(Kept, AreAsLargeAsThePlanSaysAndTheirHeaders) {
  const TinySweep sweep(kKeeping);
  ASSERT_EQ(sweep.run({"--only", "class=ring"}).status, 0);
  std::uintmax_t bytes = 0;
  for (const char* folder : {"models", "dumps"}) {
    for (const auto& entry : fs::directory_iterator(sweep.out() / folder)) bytes += entry.file_size();
  }
  sweeps::Job job;  // of this size
  job.training.dimension = 96;
  const auto planned = static_cast<std::uintmax_t>(sweeps::kept_bytes(job, {sweeps::Save::all, 7}));
  EXPECT_GE(bytes, planned);
  EXPECT_LT(bytes, planned + 50'000);
}

TEST(Kept, OfAResultThatWasTakenBackAreNotLeftAsThoseOfTheNewOne) {
  const TinySweep sweep(kKeeping);
  ASSERT_EQ(sweep.run().status, 0);
  write_text(sweep.folder() / "sweep.json", read_text(TinySweep(kKeepingNothing).folder() / "sweep.json"));
  auto command = sweep.command({"--redo-changed"});
  std::replace(command.begin(), command.end(), std::string("efficientnet-lite0=random:1"),
               std::string("efficientnet-lite0=random:2"));
  const auto redone = Running(command, sweep.folder()).wait();
  ASSERT_EQ(redone.status, 0) << redone.errors;
  EXPECT_EQ(sweep.committed(), 4U);
  EXPECT_TRUE(left_in(sweep.out()).empty());
}

TEST(Kept, AreMissedWhereTheyAreCutOrOfTheClassifierAlone) {
  const TinySweep sweep(kKeeping);
  ASSERT_EQ(sweep.run({"--only", "class=ring"}).status, 0);
  const auto key = sweep.journal("done").at(0).key;
  fs::resize_file(workers::model_file(sweep.out(), {key}, "last"), 1000);
  EXPECT_THAT(sweep.run({"--only", "class=ring"}).errors, HasSubstr("give --redo-unsaved"));
  ASSERT_EQ(sweep.run({"--only", "class=ring", "--redo-unsaved"}).status, 0);
  EXPECT_EQ(left_in(sweep.out()).at(key + "-last.safetensors"), undisturbed().at(key + "-last.safetensors"));
}

TEST(Kept, ThatFailToBeMadeAgainAreFailuresAndTheResultStays) {
  const TinySweep sweep(kKeepingNothing);
  ASSERT_EQ(sweep.run().status, 0);
  write_text(sweep.folder() / "sweep.json", read_text(TinySweep(kKeeping).folder() / "sweep.json"));
  const auto table = sweep.table();
  const auto failed = sweep.run({"--redo-unsaved", "--job-retries", "0"}, {fault("throw@class=ring")});
  EXPECT_EQ(failed.status, 3) << failed.errors;
  EXPECT_EQ(sweep.table(), table);
}

TEST(Kept, SayTheFileWhereItCannotBeWritten) {
  const TinySweep sweep(kKeeping);
  fs::create_directories(sweep.out());
  write_text(sweep.out() / "models", "a file where the folder should be");
  const auto ended = sweep.run({"--job-retries", "0"});
  EXPECT_NE(ended.status, 0);
  EXPECT_THAT(ended.errors, HasSubstr("out/models"));
}

}  // namespace
}  // namespace tests
