// Scores of files by a saved detector: those that its training had, and what cannot be scored.
#include "workers/scoring.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datasets/dataset.hpp"
#include "datasets/png_encoder.hpp"
#include "plume/method.hpp"
#include "plume/threshold.hpp"
#include "storage/error.hpp"
#include "sweeps/backbones.hpp"
#include "tests/datasets/jpeg_writer.hpp"
#include "tests/end_to_end/npy_bytes.hpp"
#include "tests/storage/plain_files.hpp"
#include "tests/workers/small_models.hpp"
#include "workers/raw_images.hpp"
#include "workers/saved_model.hpp"

namespace workers {
namespace {

namespace fs = std::filesystem;
using storage_test::message_of;
using storage_test::TemporaryFolder;
using storage_test::write_plainly;
using testing::AllOf;
using testing::HasSubstr;

/// Trains on `data`, saves the last epoch as `file`, and gives the scores that it had on the test split.
std::vector<double> train_and_save(ModelFacts facts, const plume::JobData& data, const fs::path& file) {
  std::vector<double> scores;
  plume::Observer observer;
  observer.keep = plume::ModelParts::classifier;
  observer.on_finished = [&](const plume::FinishedTraining& finished) {
    facts.which = "last";
    facts.epoch = finished.last.epoch.epoch;
    facts.auroc = finished.last.epoch.auc();
    facts.threshold = finished.last.epoch.threshold;
    if (finished.statistics) {
      facts.mean.assign(finished.statistics->mean.begin(), finished.statistics->mean.end());
      facts.std_dev.assign(finished.statistics->std_dev.begin(), finished.statistics->std_dev.end());
    }
    facts.contents = "classifier";
    write_model(file, facts, finished.last.model);
    scores = plume::scores_of(finished.last.model, finished.test, [] {});
  };
  const auto result = plume::run_job(facts.job, data, observer);
  EXPECT_EQ(result.outcome, results::Outcome::finished);
  return scores;
}

ScoreTask task_of(const fs::path& model, std::vector<std::string> paths) {
  return {model.string(), std::move(paths), 1,
          [](const std::string&) -> std::string { throw storage::UsageError("nowhere"); }};
}

/// Faults must be told as they are kept.
Scored score(const ScoreTask& task) {
  std::vector<std::string> told, kept;
  auto scored = score_files(task, [&](const std::string& line) { told.push_back(line); });
  for (const auto& row : scored.rows) {
    if (!row.fault.empty()) kept.push_back(row.fault);
  }
  EXPECT_EQ(told, kept);
  return scored;
}

std::string refusal(const ScoreTask& task) {
  return message_of<storage::UsageError>([&] { score(task); });
}

void expect_scores(const std::vector<ScoredRow>& rows, const std::vector<double>& wanted) {
  ASSERT_EQ(rows.size(), wanted.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].fault, "");
    EXPECT_NEAR(rows[i].score, wanted[i], 1e-6) << rows[i].path;
  }
}

/// Verdicts are those that the shares of a training count.
void expect_verdicts_of_training(const Scored& scored, const std::vector<double>& scores) {
  const plume::Threshold threshold{static_cast<float>(*scored.facts.threshold), 0};
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool accepted = *plume::shares_on_the_right_side(threshold, {scores[i]}, {0}, {0}, 1)[0] == 1;
    EXPECT_EQ(scored.rows[i].is_normal, accepted) << scores[i];
    EXPECT_EQ(scored.rows[i].score > *scored.threshold, accepted) << "the columns can be compared";
  }
}

// ---- features of another program

class ScoringOfFeatures : public testing::Test {
 protected:
  ScoringOfFeatures() {
    plume::JobData data;
    data.train = at::linspace(-1, 1, 20 * 8).sin().view({20, 8});
    data.test = at::linspace(-2, 3, 12 * 8).cos().view({12, 8});
    data.classes = {"bad", "good", "it's \"so,so\""};
    data.normal_classes = {1};
    for (int i = 0; i < 12; ++i) data.test_labels.push_back(1 - i % 2);
    auto facts = tests::facts_of_features();
    facts.job.training.batch_size = 8;
    scores_ = train_and_save(facts, data, model_);
    bytes_.assign(static_cast<const char*>(data.test.const_data_ptr()), data.test.nbytes());
    write_plainly(folder_ / "test.npy", tests::npy("<f4", "(12, 8)", bytes_));
  }
  std::string file(const char* name) const { return (folder_ / name).string(); }

  TemporaryFolder folder_;
  fs::path model_ = folder_ / "m.safetensors";
  std::vector<double> scores_;
  std::string bytes_;
};

TEST_F(ScoringOfFeatures, AreThoseOfTheTraining) {
  const auto scored = score(task_of(model_, {file("test.npy")}));
  expect_scores(scored.rows, scores_);
  expect_verdicts_of_training(scored, scores_);
  EXPECT_EQ(scored.rows.back().path, file("test.npy#11"));
  EXPECT_EQ(scored.source.backbone, "features");
}

TEST_F(ScoringOfFeatures, PassOverARowThatIsNotFinite) {
  bytes_.replace(32 * 3, 4, "\xff\xff\xff\x7f", 4);  // NaN
  write_plainly(folder_ / "some.npy", tests::npy("<f4", "(12, 8)", bytes_));
  const auto scored = score(task_of(model_, {file("some.npy")}));
  EXPECT_EQ(scored.rows.size(), 12U);
  EXPECT_EQ(scored.rows[0].path, file("some.npy#3"));
  EXPECT_THAT(scored.rows[0].fault, HasSubstr("some.npy#3: has a feature that is not finite"));
  EXPECT_NEAR(scored.rows[4].score, scores_[4], 1e-6);
}

TEST_F(ScoringOfFeatures, RefuseImagesAndOtherLengths) {
  EXPECT_THAT(refusal(task_of(model_, {file("a.jpg")})),
              AllOf(HasSubstr("a.jpg"), HasSubstr("give .npy matrices [n, 8], no images")));
  write_plainly(folder_ / "long.npy", tests::npy("<f4", "(1, 9)", std::string(36, '\0')));
  EXPECT_THAT(refusal(task_of(model_, {file("test.npy"), file("long.npy")})),
              AllOf(HasSubstr("long.npy: has rows of 9 features"), HasSubstr("trained on rows of 8")));
  EXPECT_THAT(refusal(task_of(model_, {file("none.npy")})), HasSubstr("none.npy"));
}

// ---- images, as plad takes them

class ScoringOfImages : public testing::Test {
 protected:
  ScoringOfImages() {
    const auto data = datasets::open_images(
        {.id = "s", .kind = "synthetic", .seed = 1, .train_per_class = 12, .test_per_class = 3, .class_count = 3}, "");
    plume::JobData job;
    job.classes = data->classes();
    job.normal_classes = {0, 1};
    std::vector<std::uint8_t> train, test;
    for (std::int64_t i = 0; i < data->size(datasets::Split::train); ++i) {
      if (data->label(datasets::Split::train, i) < 2) append_raw_image(data->read(datasets::Split::train, i), 0, train);
    }
    for (std::int64_t i = 0; i < data->size(datasets::Split::test); ++i) {
      const auto image = data->read(datasets::Split::test, i);
      append_raw_image(image, 0, test);
      write_plainly(folder_ / ("images/" + std::to_string(i) + ".png"), datasets::encode_png(image));
      job.test_labels.push_back(data->label(datasets::Split::test, i));
    }
    const auto tensor = [](std::vector<std::uint8_t>& bytes) {
      return at::from_blob(bytes.data(), {static_cast<std::int64_t>(bytes.size()) / 3072, 3, 32, 32}, at::kByte)
          .clone();
    };
    job.train = tensor(train);
    job.test = tensor(test);
    auto facts = tests::facts_of_images();
    facts.classes = job.classes;
    facts.job.members = facts.normal_classes = {job.classes[0], job.classes[1]};
    scores_ = train_and_save(facts, job, model_);
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  TemporaryFolder folder_;
  fs::path model_ = folder_ / "m.safetensors";
  std::vector<double> scores_;
};

TEST_F(ScoringOfImages, AreThoseOfTheTraining) {
  const auto scored = score(task_of(model_, {file("images")}));
  expect_scores(scored.rows, scores_);
  expect_verdicts_of_training(scored, scores_);
  EXPECT_EQ(scored.source.backbone, sweeps::kRawImages);
}

TEST_F(ScoringOfImages, GoOnAfterWhatCannotBeRead) {
  write_plainly(folder_ / "images/00.jpg", "no picture");
  write_plainly(folder_ / "images/4-.jpg", datasets_test::jpeg(48, 40, 10).substr(0, 300));
  const auto scored = score(task_of(model_, {file("images")}));
  ASSERT_EQ(scored.rows.size(), 11U);
  EXPECT_THAT(scored.rows[0].fault, HasSubstr("00.jpg: is neither a JPEG nor a PNG"));
  EXPECT_THAT(scored.rows[1].fault, HasSubstr("4-.jpg: "));
  EXPECT_NEAR(scored.rows[2].score, scores_[0], 1e-6);
}

TEST_F(ScoringOfImages, RefuseWhatIsNotThereIsEmptyOrAMatrix) {
  fs::create_directories(folder_ / "empty/deeper");
  write_plainly(folder_ / "empty/deeper/notes.txt", "notes");
  EXPECT_THAT(refusal(task_of(model_, {file("nowhere")})), HasSubstr("nowhere: is not there; give image files"));
  EXPECT_THAT(refusal(task_of(model_, {file("empty")})), HasSubstr("empty: no JPEG or PNG image is in it"));
  EXPECT_THAT(refusal(task_of(model_, {file("x.npy")})), HasSubstr("x.npy"));
  EXPECT_THAT(refusal(task_of(model_, {"/dev/null"})), HasSubstr("/dev/null: is neither a file nor a folder"));
}

}  // namespace
}  // namespace workers
