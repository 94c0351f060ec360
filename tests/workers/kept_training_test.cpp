// What a finished training leaves in files, and what cannot be dumped of it.
#include "workers/kept_training.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "plume/method.hpp"
#include "results/dump.hpp"
#include "tests/plume/small_jobs.hpp"
#include "tests/temporary_folder.hpp"
#include "workers/kept_files.hpp"

namespace workers {
namespace {

sweeps::Job job() {
  sweeps::Job job = small::job();
  job.backbone = "features";
  return job;
}

plume::JobData data() {
  return small::rows_of(20, 10);
}

/// Runs the training and gives what it leaves to `use`.
template <typename Use>
void train(const Use& use) {
  plume::Observer observer;
  observer.keep = plume::ModelParts::all;
  observer.on_finished = use;
  plume::run_job(job(), data(), observer);
}

class KeptFiles : public testing::Test {
 protected:
  KeptTraining all_of_it() const {
    KeptTraining kept{folder.path(),
                      job(),
                      {sweeps::Save::all, 3},
                      R"({"backbone":"features","content":"c0ffee","format":1,"length":24,"split":"train"})",
                      {}};
    for (int i = 0; i < 10; ++i) kept.test_ids.push_back("test#" + std::to_string(i));
    return kept;
  }
  const tests::TemporaryFolder folder;
  const sweeps::JobKey key = sweeps::key_of(job());
};

TEST_F(KeptFiles, AreWrittenWithASignOfLifeBeforeEach) {
  int signs = 0;
  train([&](const plume::FinishedTraining& training) { write_kept(all_of_it(), data(), training, [&] { ++signs; }); });
  EXPECT_EQ(signs, 3);
  EXPECT_TRUE(are_there(folder.path(), job(), {sweeps::Save::all, 3}));
  EXPECT_EQ(results::read_dump(results::dump_file(folder.path(), key)).normal.ids.size(), 3U);
}

TEST_F(KeptFiles, AreTheModelsAloneWherePseudoAnomaliesAreBeyondFloat32) {
  train([&](const plume::FinishedTraining& training) {
    at::Tensor(training.best->model.vae->fc5.bias).detach().fill_(std::numeric_limits<float>::max());
    EXPECT_THROW(write_kept(all_of_it(), data(), training, [] {}), results::DumpRefused);
  });
  EXPECT_TRUE(are_there(folder.path(), job(), {sweeps::Save::all, 0}));
  EXPECT_FALSE(std::filesystem::exists(results::dump_file(folder.path(), key)));
}

}  // namespace
}  // namespace workers
