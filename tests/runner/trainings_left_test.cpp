// What the last run left in its middle, by the journal and the checkpoints that lie there.
#include "runner/trainings_left.hpp"

#include <gmock/gmock.h>

#include "storage/sealed_file.hpp"
#include "tests/runner/run_pictures.hpp"
#include "tests/temporary_folder.hpp"
#include "workers/checkpoint_files.hpp"
#include "workers/checkpoint_header.hpp"

namespace runner {
namespace {

/// Four trainings of 40 epochs. The last run began in the second in which `MadeUpRun::start` has attempts begin.
class TrainingsLeft : public testing::Test {
 protected:
  TrainingsLeft() { run_.at_work().started = storage::utc_seconds("2026-11-27T20:15:03Z").value(); }

  std::filesystem::path checkpoint_of(std::size_t job, int attempt) const {
    return workers::checkpoint_file(folder_ / "attempts", run_.key(job), attempt);
  }
  void checkpoint(std::size_t job, int attempt, int epoch) const {
    workers::CheckpointHeader header;
    header.identity.key = run_.key(job).hex;
    header.identity.device = "cpu";
    header.attempt = attempt;
    header.written = header.started = "2026-11-27T20:16:00Z";
    header.epoch = epoch;
    for (int done = 0; done < epoch; ++done) {
      header.epochs.emplace_back();
      header.epochs.back().epoch = done;
    }
    const auto file = checkpoint_of(job, attempt);
    std::filesystem::create_directories(file.parent_path());
    storage::SealedFileWriter writer(file, encode(header), 0, [] {});
    writer.publish();
  }
  std::string words() const {
    auto picture = run_.picture();
    picture.directory = folder_.path();
    return trainings_left(picture);
  }

  tests::TemporaryFolder folder_;
  MadeUpRun run_;
};

TEST_F(TrainingsLeft, ByARunThatWasKilledAreNamedWithTheEpochThatTheyGoOnFrom) {
  run_.start(0, 1);
  checkpoint(0, 1, 3);
  run_.start(1, 2);
  checkpoint(1, 1, 7);
  checkpoint(1, 2, 5);
  run_.start(2, 1);
  EXPECT_EQ(words(), "2 training(s) that were cut off go on from a checkpoint, the farthest from epoch 7 of 40");
}

TEST_F(TrainingsLeft, ByARunThatDrainedStandBesideThoseThatMadeWay) {
  run_.start(0, 1);
  run_.end(0, 1, "drained", "given back on request at epoch 12 step 3 of 40; its checkpoint is written");
  checkpoint(0, 1, 12);
  run_.start(1, 1);
  run_.end(1, 1, "worker_lost", "its link broke");
  checkpoint(1, 1, 0);
  EXPECT_EQ(words(),
            "1 training(s) made way with a checkpoint, the farthest at epoch 12 of 40, and 1 training(s) that were cut "
            "off go on from a checkpoint, the farthest from epoch 0 of 40");
}

TEST_F(TrainingsLeft, WithoutAGoodCheckpointBeginAnewAndAreNotNamed) {
  run_.start(0, 1);
  checkpoint(0, 1, 3);
  run_.finish(0);
  run_.start(1, 1);
  run_.end(1, 1, "exception", "it broke");
  checkpoint(1, 1, 3);
  run_.start(1, 2);
  run_.start(2, 1);
  checkpoint(2, 1, 3);
  tests::write_text(checkpoint_of(2, 1), "damaged");
  EXPECT_EQ(words(), "");
}

TEST_F(TrainingsLeft, ByAnEarlierRunAreNotNamed) {
  run_.start(0, 1);
  checkpoint(0, 1, 3);
  run_.status->started += 60;
  EXPECT_EQ(words(), "");
}

}  // namespace
}  // namespace runner
