// status.json as text: nothing of it is believed before it is checked.
#include "runner/status_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "storage/error.hpp"
#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

using testing::HasSubstr;

/// With something in every field.
RunStatus full() {
  RunStatus s;
  s.program = "1.0";
  s.written = 1'700'000'100;
  s.counter = 17;
  s.phase = RunPhase::draining;
  s.why = "a reason";
  s.exit_status = 4;
  s.host = "node17";
  s.boot = "b00t";
  s.pid = 42;
  s.process_started = 99;
  s.started = 1'700'000'000;
  s.slurm_job = "1234";
  s.slurm_restart = 2;
  s.slurm_cluster = "deep";
  s.deadline = 1'700'000'900;
  s.command = {"plume-bench", "run", "my sweep.json"};
  s.sweep = "s";
  s.selection = "--share 2/8";
  s.chosen = "84";
  s.committed = 3;
  s.failed = 1;
  s.feature_rows = 2048;
  s.checkpoints = 5;
  s.jobs = {10, 2, 3, 1};
  s.jobs_before = 6;
  s.jobs_chosen = 22;
  s.jobs_per_minute = 1.5;
  s.seconds_left = 60.25;
  s.faults = "hang@seed=0";
  s.journal_bytes = 12345;
  s.features = {{"pets", "", 100, 50, false, ""}, {"pets", "resnet50", 100, 100, true, "why not"}};
  WorkerTask task{"train", "pets/\u732b seed 0", std::string(32, 'a'), 2, 1'700'000'050, 40, 10, 0.5, 0.75, 2.5};
  task.still = workers::Stillness{40.5, 60, true};
  s.features[0].rows_per_second = 12.5;
  s.features[0].seconds_left = 4;
  s.workers = {{1, "node17", 4, "GPU-1", "NVIDIA", WorkerState::working, "", 1'700'000'099, task},
               {2, "node18", 4, "", "", WorkerState::set_aside, "bad", 0, {}}};
  s.failures = {
      {1'700'000'060, "pets/cat seed 0", std::string(32, 'a'), 1, "hung", "no step", "worker 1 (node17)", true}};
  return s;
}

/// What is said of text with one member changed; "" where it is believed.
std::string complaint_about(const nlohmann::json& document) {
  try {
    decode_status(document.dump(), "status.json");
    return "";
  } catch (const storage::Error& error) {
    return error.what();
  }
}

TEST(StatusFile, ReadsBackAsItWasWritten) {
  EXPECT_EQ(decode_status(encode(full()), "status.json"), full());
  EXPECT_EQ(decode_status(encode(RunStatus{}), "status.json"), RunStatus{});
}

TEST(StatusFile, HasTheCountersOfTheRunWhereAScriptFindsThem) {
  const auto document = nlohmann::json::parse(encode(full()));
  EXPECT_EQ(document["committed"], 3);
  EXPECT_EQ(document["failed"], 1);
  EXPECT_EQ(document["feature_rows"], 2048);
  EXPECT_EQ(document["checkpoints"], 5);
  EXPECT_EQ(document["slurm_job"], "1234");
  EXPECT_EQ(document["slurm_restart"], 2);
}

TEST(StatusFile, OfARunSaysWhatOnlyWas) {
  EXPECT_EQ(only_in(""), "");
  EXPECT_EQ(only_in("--share 2/8"), "");
  EXPECT_EQ(only_in("features only"), "");
  EXPECT_EQ(only_in("--only seed=0,class=a b"), "seed=0,class=a b");
  EXPECT_EQ(only_in("--only seed=0 --share 2/8"), "seed=0");
  EXPECT_EQ(only_in("--only seed=0, features only"), "seed=0");
}

TEST(StatusFile, CutAnywhereIsAnErrorOfOneLineThatNamesIt) {
  const auto text = encode(full());
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes) {
    try {
      decode_status(text.substr(0, bytes), "out/status.json");
      FAIL() << "believed with " << bytes << " bytes";
    } catch (const storage::Error& error) {
      ASSERT_THAT(error.what(), testing::StartsWith("out/status.json: "));
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

TEST(StatusFile, OfAnotherVersionIsLeftToAnotherProgram) {
  auto document = nlohmann::json::parse(encode(full()));
  document["v"] = 2;
  EXPECT_THAT(complaint_about(document),
              HasSubstr("status.json: v: expected 1, found 2: it was written by another plume-bench"));
}

TEST(StatusFile, RefusesWhatCannotBeAndSaysWhere) {
  const auto with = [](const char* pointer, nlohmann::json value) {
    auto document = nlohmann::json::parse(encode(full()));
    document[nlohmann::json::json_pointer(pointer)] = std::move(value);
    return complaint_about(document);
  };
  EXPECT_THAT(with("/state", "dancing"), HasSubstr("state: found \"dancing\""));
  EXPECT_THAT(with("/written", "yesterday"), HasSubstr("written: expected a time"));
  EXPECT_THAT(with("/committed", -1), HasSubstr("committed"));
  EXPECT_THAT(with("/committed", 1.5), HasSubstr("committed"));
  EXPECT_THAT(with("/workers/0/task/epochs", 0), HasSubstr("workers[0].task.epochs"));
  EXPECT_THAT(with("/workers/1/state", 7), HasSubstr("workers[1].state"));
  EXPECT_THAT(with("/features/0/rows_done", 101), HasSubstr("features[0].rows_done"));
  EXPECT_THAT(with("/workers", "many"), HasSubstr("workers"));
  EXPECT_THAT(with("/failures", nlohmann::json(std::vector<int>(1001))), HasSubstr("failures"));
  EXPECT_EQ(with("/a_key_of_the_future", 1), "");
}

TEST(StatusFile, ThatIsNotThereIsNoneAndAFolderInItsPlaceIsNamed) {
  const tests::TemporaryFolder folder;
  EXPECT_FALSE(read_status(folder.path()));
  std::filesystem::create_directory(folder / "status.json");
  EXPECT_THROW(read_status(folder.path()), storage::Error);
}

TEST(ChosenJobs, AreABitEachAndOnlyOfAPlanOfThatSize) {
  EXPECT_EQ(chosen_text({0, 5}, 6), "84");
  EXPECT_EQ(chosen_of("84", 6), (std::vector<bool>{true, false, false, false, false, true}));
  EXPECT_FALSE(chosen_of("84", 9));
  EXPECT_FALSE(chosen_of("86", 6)) << "a job beyond the last";
  EXPECT_FALSE(chosen_of("8x", 6));
}

}  // namespace
}  // namespace runner
